const MASK = 0xffff_ffff_ffff_ffffn;
const MULTIPLIER = 0xc6a4_a793_5bd1_e995n;
const ROTATION = 47n;
/** TensorFlow's Hash64 of a string starts with it. */
const SEED = 0xdeca_fcaf_fen;
const GOLDEN_RATIO = 0x9e37_79b9_7f4a_7800n;

/** MurmurHash64A of some bytes with TensorFlow's seed. */
function hash64(bytes: Uint8Array): bigint {
  let hash = (SEED ^ (BigInt(bytes.length) * MULTIPLIER)) & MASK;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) {
    let word = (view.getBigUint64(at, true) * MULTIPLIER) & MASK;
    word ^= word >> ROTATION;
    word = (word * MULTIPLIER) & MASK;
    hash = ((hash ^ word) * MULTIPLIER) & MASK;
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at -= 1) {
      hash ^= BigInt(view.getUint8(at)) << BigInt(8 * (at - whole));
    }
    hash = (hash * MULTIPLIER) & MASK;
  }
  hash ^= hash >> ROTATION;
  hash = (hash * MULTIPLIER) & MASK;
  return hash ^ (hash >> ROTATION);
}

/** TensorFlow's Hash64Combine. */
function combine(a: bigint, b: bigint): bigint {
  return a ^ ((b + GOLDEN_RATIO + (a << 10n) + (a >> 4n)) & MASK);
}

/** The id of the root frame. */
export const ROOT_FRAME_ID = 0n;

/**
 * The id by which rendezvous keys name a loop frame, the same in every task (TensorFlow's PropagatorState).
 * @param parentId the id of the frame around it; @param parentIteration the iteration that started the loop.
 */
export function childFrameId(parentId: bigint, parentIteration: number, name: string): bigint {
  return combine(parentId, combine(BigInt(parentIteration), hash64(new TextEncoder().encode(name))));
}
