/** The graphs that ship with Tensordeck. */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";

export interface ExampleGraph {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The tensor that a run is to show; absent if it cannot run as it is. */
  readonly result?: string;
  /** Its modules are loaded when it is first built: pictures and networks take time that a start does not have. */
  readonly build: () => Promise<MetaGraphDef>;
}

/** The graphs that ship with Tensordeck, in display order. */
export const examples: readonly ExampleGraph[] = [
  {
    id: "welcome",
    title: "Welcome",
    description: "Five nodes on two workers: z = (a + b) + (a × b) gives 11.0.",
    result: "z:0",
    build: async () => (await import("./first-graphs.js")).welcomeGraph(),
  },
  {
    id: "digits",
    title: "Handwritten digits",
    description: "A trained network names the digit that a picture shows: 97 of 100 that it has never seen.",
    result: "scores:0",
    build: async () => (await import("./classifier.js")).digitsExample(),
  },
  {
    id: "train-digits",
    title: "Train on digits",
    description:
      "A network learns to name digits: its first layer lives and computes on one worker, its second on the other.",
    result: "loss:0",
    build: async () => (await import("./training.js")).modelParallelGraph(),
  },
  {
    id: "train-replicas",
    title: "Train on two workers",
    description:
      "Both workers compute the gradients of their half of each batch; the weights follow the mean of the two.",
    result: "loss:0",
    build: async () => (await import("./training.js")).replicatedGraph(),
  },
  {
    id: "csv-sum",
    title: "Sum of a CSV column",
    description: "A column of whole numbers is cut in two, summed on two workers and added up.",
    build: async () => (await import("./csv-sum.js")).csvSumGraph(),
  },
  {
    id: "counter",
    title: "Counter",
    description: "A variable on one worker that every run counts up, once init has given it its first value.",
    result: "count:0",
    build: async () => (await import("./variables.js")).counterGraph(),
  },
  {
    id: "hello",
    title: "Hello, distributed TensorFlow!",
    description: "A text goes from one worker to the other.",
    result: "hello:0",
    build: async () => (await import("./first-graphs.js")).helloGraph(),
  },
  {
    id: "places",
    title: "Variables in two places",
    description: "One worker counts up its own variable and the other's: the trace shows who does what.",
    result: "var2_add:0",
    build: async () => (await import("./variables.js")).placesGraph(),
  },
  {
    id: "ring",
    title: "Ring all-reduce",
    description:
      "Three workers add up their vectors, each sending no more than twice a vector, without a parameter server.",
    result: "sum_0:0",
    build: async () => (await import("./all-reduce.js")).ringGraph(),
  },
  {
    id: "server-sum",
    title: "Sum by a parameter server",
    description:
      "The same sum through one task, which gets and sends the vectors of all workers: compare the transfers with the ring.",
    result: "sum_0:0",
    build: async () => (await import("./all-reduce.js")).serverSumGraph(),
  },
  {
    id: "collective-sum",
    title: "Sum by a collective operation",
    description:
      "The same sum by one operation of TensorFlow's: a ring within the workers, which know each other from their start.",
    result: "sum_0:0",
    build: async () => (await import("./all-reduce.js")).collectiveSumGraph(),
  },
  {
    id: "gpu",
    title: "On the GPU of another machine",
    description: "The sums of the welcome graph on a worker's GPU, or on its CPU where it has none.",
    result: "z:0",
    build: async () => (await import("./first-graphs.js")).gpuGraph(),
  },
  {
    id: "reduce-sum",
    title: "Sum over two workers",
    description:
      "1,000 ones are cut in two, printed and added up on two workers, and kept by a parameter server.",
    result: "keep:0",
    build: async () => (await import("./reduce-sum.js")).reduceSumGraph(),
  },
  {
    id: "layers-on-servers",
    title: "Layers on parameter servers",
    description:
      "The variables of each layer are on a parameter server of their own; a worker trains both, in 10,000 steps.",
    result: "loss:0",
    build: async () => (await import("./parameter-servers.js")).layersOnServersGraph(),
  },
  {
    id: "in-graph",
    title: "In-graph replication",
    description:
      "One graph with a replica of the model on each worker; the variables on parameter servers follow the mean.",
    result: "loss:0",
    build: async () => (await import("./parameter-servers.js")).inGraphReplication(),
  },
  {
    id: "between-graph",
    title: "Between-graph replication",
    description: "The graph of one worker of several, each of which trains the shared variables for itself.",
    result: "loss:0",
    build: async () => (await import("./parameter-servers.js")).betweenGraphReplication(),
  },
];
