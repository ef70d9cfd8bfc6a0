import { hash64, hash64Combine } from "../hash64.js";

/** The id of the root frame. */
export const ROOT_FRAME_ID = 0n;

/**
 * The id of a loop frame in rendezvous keys, the same in every task (TensorFlow's PropagatorState).
 * @param parentId the id of the frame around it;
 * @param parentIteration the iteration that started the loop.
 */
export function childFrameId(parentId: bigint, parentIteration: number, name: string): bigint {
  return hash64Combine(
    parentId,
    hash64Combine(BigInt(parentIteration), hash64(new TextEncoder().encode(name))),
  );
}
