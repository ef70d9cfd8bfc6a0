/** Hashes of strings as TensorFlow computes them. All numbers are unsigned 64-bit integers. */

const MASK = (1n << 64n) - 1n;

const u64 = (value: bigint) => value & MASK;
const times = (a: bigint, b: bigint) => u64(a * b);
const rotateRight = (value: bigint, bits: bigint) =>
  bits === 0n ? value : u64((value >> bits) | (value << (64n - bits)));

function littleEndian(bytes: Uint8Array, at: number, count: number): bigint {
  let value = 0n;
  for (let index = count - 1; index >= 0; index -= 1) {
    value = (value << 8n) | BigInt(bytes[at + index] ?? 0);
  }
  return value;
}

const fetch64 = (bytes: Uint8Array, at: number) => littleEndian(bytes, at, 8);
const fetch32 = (bytes: Uint8Array, at: number) => littleEndian(bytes, at, 4);

/** Primes of FarmHash (and of CityHash before it). */
const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;

const shiftMix = (value: bigint) => value ^ (value >> 47n);

function hashPair(first: bigint, second: bigint, multiplier: bigint): bigint {
  const a = shiftMix(times(first ^ second, multiplier));
  return times(shiftMix(times(second ^ a, multiplier)), multiplier);
}

function farmUpTo16(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const size = BigInt(length);
  if (length >= 8) {
    const multiplier = u64(K2 + size * 2n);
    const a = u64(fetch64(bytes, 0) + K2);
    const b = fetch64(bytes, length - 8);
    const c = u64(times(rotateRight(b, 37n), multiplier) + a);
    const d = times(u64(rotateRight(a, 25n) + b), multiplier);
    return hashPair(c, d, multiplier);
  }
  if (length >= 4) {
    const multiplier = u64(K2 + size * 2n);
    return hashPair(u64(size + (fetch32(bytes, 0) << 3n)), fetch32(bytes, length - 4), multiplier);
  }
  if (length > 0) {
    const y = BigInt((bytes[0] ?? 0) + ((bytes[length >> 1] ?? 0) << 8));
    const z = BigInt(length + ((bytes[length - 1] ?? 0) << 2));
    return times(shiftMix(times(y, K2) ^ times(z, K0)), K2);
  }
  return K2;
}

function farmUpTo32(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const multiplier = u64(K2 + BigInt(length) * 2n);
  const a = times(fetch64(bytes, 0), K1);
  const b = fetch64(bytes, 8);
  const c = times(fetch64(bytes, length - 8), multiplier);
  const d = times(fetch64(bytes, length - 16), K2);
  return hashPair(
    u64(rotateRight(u64(a + b), 43n) + rotateRight(c, 30n) + d),
    u64(a + rotateRight(u64(b + K2), 18n) + c),
    multiplier,
  );
}

function farmUpTo64(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const multiplier = u64(K2 + BigInt(length) * 2n);
  const a = times(fetch64(bytes, 0), K2);
  const b = fetch64(bytes, 8);
  const c = times(fetch64(bytes, length - 8), multiplier);
  const d = times(fetch64(bytes, length - 16), K2);
  const y = u64(rotateRight(u64(a + b), 43n) + rotateRight(c, 30n) + d);
  const z = hashPair(y, u64(a + rotateRight(u64(b + K2), 18n) + c), multiplier);
  const e = times(fetch64(bytes, 16), multiplier);
  const f = fetch64(bytes, 24);
  const g = times(u64(y + fetch64(bytes, length - 32)), multiplier);
  const h = times(u64(z + fetch64(bytes, length - 24)), multiplier);
  return hashPair(
    u64(rotateRight(u64(e + f), 43n) + rotateRight(g, 30n) + h),
    u64(e + rotateRight(u64(f + a), 18n) + g),
    multiplier,
  );
}

/** Two 64-bit numbers from 32 bytes and two seeds. */
function weakHash(bytes: Uint8Array, at: number, seedA: bigint, seedB: bigint): [bigint, bigint] {
  const w = fetch64(bytes, at);
  const z = fetch64(bytes, at + 24);
  const a = u64(seedA + w);
  const b = rotateRight(u64(seedB + a + z), 21n);
  const sum = u64(a + fetch64(bytes, at + 8) + fetch64(bytes, at + 16));
  return [u64(sum + z), u64(b + rotateRight(sum, 44n) + a)];
}

/** FarmHash's Fingerprint64 (farmhashna): the hash of StringToHashBucketFast. */
export function fingerprint64(bytes: Uint8Array): bigint {
  const { length } = bytes;
  if (length <= 16) return farmUpTo16(bytes);
  if (length <= 32) return farmUpTo32(bytes);
  if (length <= 64) return farmUpTo64(bytes);
  const seed = 81n;
  let x = seed;
  let y = u64(seed * K1 + 113n);
  let z = times(shiftMix(u64(y * K2 + 113n)), K2);
  let v: [bigint, bigint] = [0n, 0n];
  let w: [bigint, bigint] = [0n, 0n];
  x = u64(x * K2 + fetch64(bytes, 0));
  const end = Math.floor((length - 1) / 64) * 64;
  const last = length - 64;
  const round = (at: number, multiplier: bigint, factor: bigint) => {
    x = times(rotateRight(u64(x + y + v[0] + fetch64(bytes, at + 8)), 37n), multiplier);
    y = times(rotateRight(u64(y + v[1] + fetch64(bytes, at + 48)), 42n), multiplier);
    x ^= u64(w[1] * factor);
    y = u64(y + v[0] * factor + fetch64(bytes, at + 40));
    z = times(rotateRight(u64(z + w[0]), 33n), multiplier);
    v = weakHash(bytes, at, times(v[1], multiplier), u64(x + w[0]));
    w = weakHash(bytes, at + 32, u64(z + w[1]), u64(y + fetch64(bytes, at + 16)));
    [z, x] = [x, z];
  };
  for (let at = 0; at < end; at += 64) {
    round(at, K1, 1n);
  }
  const multiplier = u64(K1 + ((z & 0xffn) << 1n));
  w = [u64(w[0] + BigInt((length - 1) & 63)), w[1]];
  v = [u64(v[0] + w[0]), v[1]];
  w = [u64(w[0] + v[0]), w[1]];
  round(last, multiplier, 9n);
  return hashPair(
    u64(hashPair(v[0], w[0], multiplier) + times(shiftMix(y), K0) + z),
    u64(hashPair(v[1], w[1], multiplier) + x),
    multiplier,
  );
}

/** SipHash-2-4 with a key of two numbers: the hash of StringToHashBucketStrong. */
export function sipHash(bytes: Uint8Array, key: readonly [bigint, bigint]): bigint {
  let v0 = 0x736f6d6570736575n ^ key[0];
  let v1 = 0x646f72616e646f6dn ^ key[1];
  let v2 = 0x6c7967656e657261n ^ key[0];
  let v3 = 0x7465646279746573n ^ key[1];
  const rounds = (count: number) => {
    for (let round = 0; round < count; round += 1) {
      v0 = u64(v0 + v1);
      v2 = u64(v2 + v3);
      v1 = rotateRight(v1, 51n) ^ v0;
      v3 = rotateRight(v3, 48n) ^ v2;
      v0 = rotateRight(v0, 32n);
      v2 = u64(v2 + v1);
      v0 = u64(v0 + v3);
      v1 = rotateRight(v1, 47n) ^ v2;
      v3 = rotateRight(v3, 43n) ^ v0;
      v2 = rotateRight(v2, 32n);
    }
  };
  const take = (block: bigint) => {
    v3 ^= block;
    rounds(2);
    v0 ^= block;
  };
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) {
    take(fetch64(bytes, at));
  }
  take(littleEndian(bytes, whole, bytes.length - whole) | (BigInt(bytes.length & 0xff) << 56n));
  v2 ^= 0xffn;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}
