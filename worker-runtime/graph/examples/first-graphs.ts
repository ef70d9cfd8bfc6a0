import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { formatDeviceName, parseDeviceName } from "../../cluster/device-name.js";
import { Graph } from "../graph.js";
import { add, constant, identity, multiply } from "../ops/index.js";
import { documentOf, FIRST_WORKER, SECOND_WORKER, setRun } from "./document.js";

/**
 * a = 3, b = 2, x = a + b, y = a · b, and z = x + y = 11.
 * @param parts where all but z is
 * @param total where z is; both left out: where the master chooses
 */
export function sumsGraph(parts?: string, total = parts): MetaGraphDef {
  const graph = new Graph();
  const { x, y } = graph.withDevice(parts, () => {
    const a = constant(graph, 3, { name: "a" });
    const b = constant(graph, 2, { name: "b" });
    return { x: add(a, b, { name: "x" }), y: multiply(a, b, { name: "y" }) };
  });
  graph.withDevice(total, () => add(x, y, { name: "z" }));
  return documentOf(graph, { a: [192, 56], b: [192, 148], x: [412, 56], y: [412, 148], z: [632, 100] });
}

/** The first example: all but z on one worker, z on the other. */
export function welcomeGraph(): MetaGraphDef {
  return sumsGraph(FIRST_WORKER, SECOND_WORKER);
}

/** The same on the GPU of one worker: soft placement, which runs of the window have, uses its CPU where it has none. */
export function gpuGraph(): MetaGraphDef {
  const worker = parseDeviceName(FIRST_WORKER);
  return sumsGraph(formatDeviceName({ ...worker, type: "GPU", index: 0 }));
}

/** A text that one worker has and the other says: the first program of TensorFlow's own guide to distributed execution. */
export function helloGraph(): MetaGraphDef {
  const graph = new Graph();
  const text = graph.withDevice(FIRST_WORKER, () =>
    constant(graph, "Hello, distributed TensorFlow!", { name: "text" }),
  );
  graph.withDevice(SECOND_WORKER, () => identity(text, { name: "hello" }));
  setRun(graph, { fetches: ["hello:0"], trace: true });
  return documentOf(graph, { text: [0, 0], hello: [260, 0] });
}
