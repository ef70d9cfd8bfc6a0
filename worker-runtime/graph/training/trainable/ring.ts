/** The mean of the replicas' gradients by a ring all-reduce: each worker passes parts of a sum to the next one. */
import type { Output } from "../../operation.js";
import { add, concat, divide, identity, reshape, split } from "../../ops/index.js";

/** Runs what makes nodes on the device of a worker. */
export type OnWorker = <T>(worker: number, make: () => T) => T;

/**
 * Gives each worker the mean of all vectors. In n - 1 rounds every worker adds its part to the sum that it gets from its
 * neighbour, and then holds the whole sum of one part; in n - 1 more, these go round. Each sends 2 (n - 1) / n vectors.
 *
 * @param gradients of each worker, all of the same known shapes
 * @param sums whether the sum is wanted instead of the mean
 */
export function ringMean(
  gradients: readonly (readonly Output[])[],
  shapes: readonly (readonly number[])[],
  on: OnWorker,
  sums: boolean,
): Output[][] {
  const workers = gradients.map((_, worker) => worker);
  const count = workers.length;
  const sizes = shapes.map((shape) => shape.reduce((product, size) => product * size, 1));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const parts = workers.map(
    (part) => Math.floor(((part + 1) * total) / count) - Math.floor((part * total) / count),
  );
  const near = (worker: number) => ((worker % count) + count) % count;
  const own = gradients.map((all, worker) =>
    on(worker, () => split(joined(all), parts, 0, { name: `parts_${worker}` })),
  );
  // By worker and part: what the worker knows of the sum so far.
  const known = own.map((chunks) => [...chunks]);
  const pass = (round: number, make: (received: Output, worker: number, part: number) => Output) => {
    const sent = workers.map((worker) => {
      const part = near(worker - round);
      return { to: near(worker + 1), part, value: known[worker]?.[part] as Output };
    });
    for (const { to, part, value } of sent) {
      (known[to] as Output[])[part] = on(to, () => make(value, to, part));
    }
  };
  for (let round = 0; round < count - 1; round += 1) {
    pass(round, (received, worker, part) =>
      add(received, own[worker]?.[part] as Output, { name: `reduce_${round}/worker_${worker}` }),
    );
  }
  for (const worker of sums ? [] : workers) {
    const part = near(worker + 1);
    const chunks = known[worker] as Output[];
    chunks[part] = on(worker, () => divide(chunks[part] as Output, count, { name: `mean/worker_${worker}` }));
  }
  for (let round = 0; round < count - 1; round += 1) {
    pass(round - 1, (received, worker) => identity(received, { name: `gather_${round}/worker_${worker}` }));
  }
  return known.map((chunks, worker) =>
    on(worker, () => {
      const whole = concat(chunks, 0, { name: `all_${worker}` });
      const cuts = sizes.length === 1 ? [whole] : split(whole, sizes, 0, { name: `cuts_${worker}` });
      return cuts.map((one, at) => reshape(one, shapes[at] ?? []));
    }),
  );
}

/** All elements, one after the other. */
function joined(tensors: readonly Output[]): Output {
  const flat = tensors.map((tensor) => reshape(tensor, [-1]));
  return flat.length === 1 ? (flat[0] as Output) : concat(flat, 0);
}
