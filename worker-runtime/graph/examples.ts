import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { digitsGraph } from "./digits/digits-graph.js";
import { Graph } from "./graph.js";
import {
  add,
  assignAdd,
  constant,
  floorDivide,
  globalVariablesInitializer,
  multiply,
  placeholder,
  reduceSum,
  size,
  stack,
  subtract,
  variable,
  zeros,
} from "./ops/index.js";
import { DOCUMENT_COLLECTION, LAYOUT_X_ATTR, LAYOUT_Y_ATTR } from "./private-attrs.js";

const FIRST_WORKER = "/job:worker/task:0";
const SECOND_WORKER = "/job:worker/task:1";

type Places = Readonly<Record<string, readonly [x: number, y: number]>>;

function floatAttr(value: number): AttrValue {
  return { value: { $case: "f", value } };
}

/** The graph as a document, with the positions of its nodes. */
function documentOf(graph: Graph, places: Places): MetaGraphDef {
  const metaGraph = graph.toMetaGraphDef();
  for (const node of metaGraph.graphDef?.node ?? []) {
    const place = places[node.name];
    if (!place) continue;
    node.attr.set(LAYOUT_X_ATTR, floatAttr(place[0]));
    node.attr.set(LAYOUT_Y_ATTR, floatAttr(place[1]));
  }
  return metaGraph;
}

/** The first example: a = 3, b = 2, x = a + b and y = a · b on one worker, z = x + y = 11 on the other. */
export function welcomeGraph(): MetaGraphDef {
  const graph = new Graph();
  const { x, y } = graph.withDevice(FIRST_WORKER, () => {
    const a = constant(graph, 3, { name: "a" });
    const b = constant(graph, 2, { name: "b" });
    return { x: add(a, b, { name: "x" }), y: multiply(a, b, { name: "y" }) };
  });
  graph.withDevice(SECOND_WORKER, () => add(x, y, { name: "z" }));
  return documentOf(graph, { a: [192, 56], b: [192, 148], x: [412, 56], y: [412, 148], z: [632, 100] });
}

/**
 * Sums a column of integers on two workers: it is fed to "input" and split in two halves (the second is one longer if
 * the length is odd), each of which is summed on its worker; their sum is "total".
 */
export function csvSumGraph(): MetaGraphDef {
  const graph = new Graph();
  const input = placeholder(graph, "int32", [-1], { name: "input" });
  const length = size(input, { name: "length" });
  const two = constant(graph, 2, { dtype: "int32", name: "two" });
  const half = floorDivide(length, two, { name: "half" });
  const rest = subtract(length, half, { name: "rest" });
  const sizes = stack([half, rest], 0, { name: "sizes" });
  const axis = constant(graph, 0, { dtype: "int32", name: "axis" });
  const parts = graph.op("SplitV", [input, sizes, axis], { num_split: 2 }, "parts").outputs;
  const sums = parts.map((part, i) =>
    graph.withDevice(i === 0 ? FIRST_WORKER : SECOND_WORKER, () =>
      reduceSum(part, axis, { name: `sum_${i}` }),
    ),
  );
  const stacked = graph.withDevice(FIRST_WORKER, () => stack(sums, 0, { name: "sums" }));
  graph.withDevice(FIRST_WORKER, () => reduceSum(stacked, axis, { name: "total" }));
  return documentOf(graph, {
    input: [0, 48],
    length: [220, 140],
    two: [220, 232],
    half: [440, 232],
    rest: [660, 140],
    sizes: [880, 186],
    axis: [880, 278],
    parts: [1100, 48],
    sum_0: [1320, 0],
    sum_1: [1320, 92],
    sums: [1540, 46],
    total: [1760, 92],
  });
}

/** A variable that lives on one worker and is incremented by the other; it keeps its value between runs. */
export function counterGraph(): MetaGraphDef {
  const graph = new Graph();
  const counter = graph.withDevice(FIRST_WORKER, () => {
    const start = zeros(graph, [], { name: "start" });
    return variable(graph, start, { name: "counter" });
  });
  const step = graph.withDevice(SECOND_WORKER, () => constant(graph, 1, { name: "step" }));
  assignAdd(counter, step, { name: "count" });
  globalVariablesInitializer(graph, { name: "init" });
  // The variable is not fetched: unordered with count, it could show the value before or after.
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run: { fetches: ["count:0"] } }));
  return documentOf(graph, {
    start: [0, 0],
    counter: [0, 92],
    step: [0, 184],
    "counter/Assign": [220, 0],
    "counter/read": [220, 92],
    count: [220, 184],
    init: [440, 0],
  });
}

/** A trained classifier: what digit one of its pictures shows, with the scores of all ten. */
export function digitsExample(): MetaGraphDef {
  const graph = digitsGraph([FIRST_WORKER, SECOND_WORKER]);
  const fetches = ["picture:0", "scores:0", "label:0"];
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run: { fetches } }));
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

export interface ExampleGraph {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The tensor that a run is to show; absent if it cannot run as it is. */
  readonly result?: string;
  readonly build: () => MetaGraphDef;
}

/** The graphs that ship with Tensordeck, in display order. */
export const examples: readonly ExampleGraph[] = [
  {
    id: "welcome",
    title: "Welcome",
    description: "Five nodes on two workers: z = (a + b) + (a × b) gives 11.0.",
    result: "z:0",
    build: welcomeGraph,
  },
  {
    id: "digits",
    title: "Handwritten digits",
    description: "A trained network names the digit that a picture shows: 97 of 100 that it has never seen.",
    result: "scores:0",
    build: digitsExample,
  },
  {
    id: "csv-sum",
    title: "Sum of a CSV column",
    description: "A column of whole numbers is cut in two, summed on two workers and added up.",
    build: csvSumGraph,
  },
  {
    id: "counter",
    title: "Counter",
    description: "A variable on one worker that every run counts up, once init has given it its first value.",
    result: "count:0",
    build: counterGraph,
  },
];
