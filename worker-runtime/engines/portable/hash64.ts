/**
 * TensorFlow's Hash64 and its combination of two hashes, which identify strings, loop frames and steps with
 * collectives.
 */

/** Hash64 is MurmurHash64A with this seed. */
const SEED = 0xdeca_fcaf_fen;
const MULTIPLIER = 0xc6a4_a793_5bd1_e995n;
const SHIFT = 47n;
const GOLDEN_RATIO = 0x9e37_79b9_7f4a_7800n;

const u64 = (value: bigint) => BigInt.asUintN(64, value);

/** TensorFlow's Hash64 of some bytes, unsigned. */
export function hash64(bytes: Uint8Array): bigint {
  let hash = u64(SEED ^ (BigInt(bytes.length) * MULTIPLIER));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) {
    let word = u64(view.getBigUint64(at, true) * MULTIPLIER);
    word ^= word >> SHIFT;
    hash = u64((hash ^ u64(word * MULTIPLIER)) * MULTIPLIER);
  }
  if (whole < bytes.length) {
    for (let at = bytes.length - 1; at >= whole; at -= 1) {
      hash ^= BigInt(view.getUint8(at)) << BigInt(8 * (at - whole));
    }
    hash = u64(hash * MULTIPLIER);
  }
  hash ^= hash >> SHIFT;
  hash = u64(hash * MULTIPLIER);
  return hash ^ (hash >> SHIFT);
}

/** TensorFlow's Hash64Combine of two unsigned hashes; the result is unsigned. */
export function hash64Combine(a: bigint, b: bigint): bigint {
  return a ^ u64(b + GOLDEN_RATIO + (a << 10n) + (a >> 4n));
}

/** TensorFlow's FingerprintCat64: a fingerprint of two fingerprints, in their order. */
export function fingerprintCat64(first: bigint, second: bigint): bigint {
  const mixed = (value: bigint) => value ^ (value >> SHIFT);
  const joined = first ^ MULTIPLIER ^ u64(mixed(u64(second * MULTIPLIER)) * MULTIPLIER);
  return mixed(u64(mixed(u64(joined * MULTIPLIER)) * MULTIPLIER));
}
