import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { taskText } from "../../cluster/device-name.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { add, concat, constant, identity, split } from "../ops/index.js";
import { setRun } from "./document.js";

const WORKERS = 3;
const CHUNK = 2;

/**
 * A ring all-reduce, as Baidu brought it to training (Gibiansky 2017): each of n workers has a vector, cut into n chunks.
 * In n - 1 rounds every worker adds a chunk to the one that it gets from its neighbour and passes the sum on; then each
 * has one chunk of the total, which goes round in n - 1 more. A worker sends 2 (n - 1) / n of a vector, however many
 * there are. Worker i has [1, 2, …] times 10^i; "sum_0", "sum_1" and "sum_2" are the same.
 */
export function ringGraph(): MetaGraphDef {
  const graph = new Graph();
  const places = Array.from({ length: WORKERS }, (_, worker) => worker);
  const on = <T>(worker: number, body: () => T): T =>
    graph.withDevice(taskText({ job: "worker", index: worker }), body);
  const own = places.map((worker) =>
    on(worker, () => {
      const values = Array.from({ length: WORKERS * CHUNK }, (_, index) => (index + 1) * 10 ** worker);
      return split(constant(graph, values, { name: `vector_${worker}` }), WORKERS, 0, {
        name: `chunks_${worker}`,
      });
    }),
  );
  // By worker and chunk: what the worker knows of the sum so far.
  const known: Output[][] = own.map((chunks) => [...chunks]);
  const pass = (round: number, make: (received: Output, worker: number, chunk: number) => Output) => {
    const sent = places.map((worker) => {
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
  for (const worker of places) {
    on(worker, () => concat(known[worker] as Output[], 0, { name: `sum_${worker}` }));
  }
  setRun(graph, { fetches: places.map((worker) => `sum_${worker}:0`), trace: true });
  return graph.toMetaGraphDef();
}

function modulo(number: number): number {
  return (number + WORKERS) % WORKERS;
}
