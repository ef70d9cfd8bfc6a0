/** The graphs that ship with Tensordeck. */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { digitsExample } from "./classifier.js";
import { csvSumGraph } from "./csv-sum.js";
import { helloGraph, welcomeGraph } from "./first-graphs.js";
import { ringGraph } from "./ring.js";
import { modelParallelGraph, replicatedGraph } from "./training.js";
import { counterGraph, placesGraph } from "./variables.js";

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
    id: "train-digits",
    title: "Train on digits",
    description:
      "A network learns to name digits: its first layer lives and computes on one worker, its second on the other.",
    result: "loss:0",
    build: modelParallelGraph,
  },
  {
    id: "train-replicas",
    title: "Train on two workers",
    description:
      "Both workers compute the gradients of their half of each batch; the weights follow the mean of the two.",
    result: "loss:0",
    build: replicatedGraph,
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
  {
    id: "hello",
    title: "Hello, distributed TensorFlow!",
    description: "A text goes from one worker to the other.",
    result: "hello:0",
    build: helloGraph,
  },
  {
    id: "places",
    title: "Variables in two places",
    description: "One worker counts up its own variable and the other's: the trace shows who does what.",
    result: "count_1:0",
    build: placesGraph,
  },
  {
    id: "ring",
    title: "Ring all-reduce",
    description:
      "Three workers add up their vectors, each sending no more than twice a vector, without a parameter server.",
    result: "sum_0:0",
    build: ringGraph,
  },
];

export { counterGraph, csvSumGraph, welcomeGraph };
