import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { digitsGraph } from "../digits/digits-graph.js";
import { documentOf, FIRST_WORKER, SECOND_WORKER, setRun } from "./document.js";

/** A trained classifier: what digit one of its pictures shows, with the scores of all ten. */
export function digitsExample(): MetaGraphDef {
  const graph = digitsGraph([FIRST_WORKER, SECOND_WORKER]);
  setRun(graph, { fetches: ["picture:0", "scores:0", "label:0"] });
  const column = (index: number) => index * 216;
  const row = (index: number) => index * 92;
  const place = (x: number, y: number): readonly [number, number] => [column(x), row(y)];
  return documentOf(graph, {
    ...{ pictures: place(0, 0), number: place(0, 1), "picture/axis": place(0, 2) },
    ...{ picture: place(1, 0), "batch/axis": place(1, 2), batch: place(2, 0), numbers: place(3, 0) },
    ...{ "brightness/scale": place(3, 2), brightness: place(4, 0), "conv_1/kernel": place(4, 2) },
    ...{ "conv_1/Conv2D": place(5, 0), "conv_1/bias": place(5, 2), "conv_1/BiasAdd": place(6, 0) },
    ...{ conv_1: place(7, 0), "conv_2/kernel": place(0, 5), "conv_2/Conv2D": place(1, 4) },
    ...{ "conv_2/bias": place(1, 5), "conv_2/BiasAdd": place(2, 4), conv_2: place(3, 4) },
    ...{
      "flat/shape": place(3, 5),
      flat: place(4, 4),
      "dense/kernel": place(4, 5),
      "dense/MatMul": place(5, 4),
    },
    ...{ "dense/bias": place(5, 5), dense: place(6, 4), scores: place(7, 4), "best/dimension": place(7, 5) },
    ...{ best: place(8, 4), labels: place(8, 3), "label/axis": place(8, 5), label: place(9, 4) },
  });
}
