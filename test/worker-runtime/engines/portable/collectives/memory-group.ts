/** Members of a group that reach each other within the test. */
import { BufRendezvous } from "../../../../../worker-runtime/engines/portable/collectives/buf-rendezvous.js";
import type { Membership } from "../../../../../worker-runtime/engines/portable/collectives/collective.js";
import { internalError } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

export interface MemoryGroup {
  readonly members: readonly Membership[];
  /** The tensors that each member provided, in order. */
  readonly sent: readonly { readonly from: number; readonly key: string; readonly tensor: Tensor }[];
}

/** @param tasks of the members by rank. */
export function memoryGroup(tasks: readonly string[], sourceRank = -1): MemoryGroup {
  const buffers = tasks.map(() => new BufRendezvous());
  const sent: { from: number; key: string; tensor: Tensor }[] = [];
  const members = tasks.map(
    (_, rank): Membership => ({
      tasks,
      rank,
      sourceRank,
      provide(key, tensor, signal) {
        sent.push({ from: rank, key, tensor });
        return buffers[rank]?.provide(key, tensor, signal) ?? Promise.reject(internalError("no member"));
      },
      async receive(from, key, { dtype, count }, signal) {
        const tensor = await buffers[from]?.consume(key, signal);
        if (tensor?.dtype !== dtype || tensor.size !== count) {
          throw internalError(`${key} is ${tensor?.size} of ${tensor?.dtype}, not ${count} of ${dtype}.`);
        }
        return new Tensor(dtype, [count], tensor.data);
      },
    }),
  );
  return { members, sent };
}
