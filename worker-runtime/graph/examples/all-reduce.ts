/** Three workers add up their vectors, in three ways. Worker i has [1, 2, …, 90] times 10^i. */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { taskText } from "../../cluster/device-name.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { add, concat, constant, identity, split } from "../ops/index.js";
import { FIRST_SERVER, setRun } from "./document.js";

const WORKERS = 3;
/** In elements: little less than 128 bytes, as TensorFlow's own ring begins its chunks at multiples of 64. */
const CHUNK = 30;
const workers = Array.from({ length: WORKERS }, (_, worker) => worker);

function onWorker<T>(graph: Graph, worker: number, body: () => T): T {
  return graph.withDevice(taskText({ job: "worker", index: worker }), body);
}

/** A worker's part of the graph. */
function vectorOf(graph: Graph, worker: number): Output {
  const values = Array.from({ length: WORKERS * CHUNK }, (_, index) => (index + 1) * 10 ** worker);
  return onWorker(graph, worker, () => constant(graph, values, { name: `vector_${worker}` }));
}

/** The document, whose run makes the sum that each worker has, "sum_0", "sum_1" and "sum_2", and fetches one of them. */
function runOfSums(graph: Graph): MetaGraphDef {
  const [first, ...others] = workers.map((worker) => `sum_${worker}`);
  setRun(graph, { fetches: [`${first}:0`], targets: others, trace: true });
  return graph.toMetaGraphDef();
}

/**
 * A ring all-reduce, as Baidu brought it to training (Gibiansky 2017): each of n workers has a vector, cut into n chunks.
 * In n - 1 rounds every worker adds a chunk to the one that it gets from its neighbour and passes the sum on; then each
 * has one chunk of the total, which goes round in n - 1 more. A worker sends 2 (n - 1) / n of a vector, however many
 * there are.
 */
export function ringGraph(): MetaGraphDef {
  const graph = new Graph();
  const on = <T>(worker: number, body: () => T): T => onWorker(graph, worker, body);
  const own = workers.map((worker) =>
    on(worker, () => split(vectorOf(graph, worker), WORKERS, 0, { name: `chunks_${worker}` })),
  );
  // By worker and chunk: what the worker knows of the sum so far.
  const known: Output[][] = own.map((chunks) => [...chunks]);
  const pass = (round: number, make: (received: Output, worker: number, chunk: number) => Output) => {
    const sent = workers.map((worker) => {
      const chunk = modulo(worker - round);
      return { to: modulo(worker + 1), chunk, value: known[worker]?.[chunk] as Output };
    });
    for (const { to, chunk, value } of sent) {
      (known[to] as Output[])[chunk] = on(to, () => make(value, to, chunk));
    }
  };
  for (let round = 0; round < WORKERS - 1; round += 1) {
    pass(round, (received, worker, chunk) =>
      add(received, own[worker]?.[chunk] as Output, { name: `reduce_${round}/worker_${worker}` }),
    );
  }
  // Worker i has the whole sum of chunk i + 1 now.
  for (let round = 0; round < WORKERS - 1; round += 1) {
    pass(round - 1, (received, worker) => identity(received, { name: `gather_${round}/worker_${worker}` }));
  }
  for (const worker of workers) {
    on(worker, () => concat(known[worker] as Output[], 0, { name: `sum_${worker}` }));
  }
  return runOfSums(graph);
}

/** The sum by a parameter server: every worker sends it its whole vector and gets the whole sum, all through one task. */
export function serverSumGraph(): MetaGraphDef {
  const graph = new Graph();
  const vectors = workers.map((worker) => vectorOf(graph, worker));
  const total = graph.withDevice(FIRST_SERVER, () => graph.op("AddN", [vectors], {}, "total").output);
  for (const worker of workers) {
    onWorker(graph, worker, () => identity(total, { name: `sum_${worker}` }));
  }
  return runOfSums(graph);
}

/**
 * The sum by TensorFlow's collective operation, which is a ring within the workers' runtimes. Their servers must have been
 * started with a `collective_group_leader`.
 */
export function collectiveSumGraph(): MetaGraphDef {
  const graph = new Graph();
  for (const worker of workers) {
    const vector = vectorOf(graph, worker);
    onWorker(graph, worker, () => {
      const [size, group, instance] = [WORKERS, 1, 1].map((key) => constant(graph, key, { dtype: "int32" }));
      const inputs = [vector, size as Output, group as Output, instance as Output, []];
      graph.op("CollectiveReduceV2", inputs, { merge_op: "Add", final_op: "Id" }, `sum_${worker}`);
    });
  }
  return runOfSums(graph);
}

function modulo(number: number): number {
  return (number + WORKERS) % WORKERS;
}
