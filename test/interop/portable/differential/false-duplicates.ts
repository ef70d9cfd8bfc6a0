/**
 * TensorFlow's false alarm that a RunGraph was received twice. A worker refuses one whose request ID is among the newest
 * 100,000 (core/distributed_runtime/recent_request_ids.cc). The IDs have 64 bits, but come from a generator that every
 * thread has for itself and seeds with 32 bits (request_id.cc; tsl::random::ThreadLocalNew64), and a master runs every step
 * on a new thread (Master::RunStep; SchedClosure). So a step has one of 2^32 IDs, and among n steps of a server there is an
 * alarm with a probability of n² / 2^33: 1 % among 10,000.
 */
import type { Outcome } from "./evaluate.js";

function isFalseDuplicate(outcome: Outcome): boolean {
  return (
    outcome.kind === "error" &&
    outcome.code === "ABORTED" &&
    outcome.message.includes("The same RunGraph (Worker) request was received twice.")
  );
}

/**
 * The outcomes of cases on TensorFlow, without false alarms: a case that has one is run once more.
 *
 * @param again Runs the cases of these indices as if they had not run before.
 */
export async function withoutFalseDuplicates(
  outcomes: readonly Outcome[][],
  again: (indices: readonly number[]) => Promise<readonly Outcome[][]>,
): Promise<Outcome[][]> {
  const indices = [...outcomes.keys()].filter((i) => outcomes[i]?.some(isFalseDuplicate));
  const second = indices.length === 0 ? [] : await again(indices);
  return outcomes.map((first, i) => second[indices.indexOf(i)] ?? first);
}
