/** Additive constants of the key schedule and multipliers of a round: Salmon et al., "Parallel random numbers: as easy
 * as 1, 2, 3" (SC11), Philox4x32-10, which is TensorFlow's generator. */
const KEY_STEP_LOW = 0x9e3779b9;
const KEY_STEP_HIGH = 0xbb67ae85;
const MULTIPLIER_A = 0xd2511f53;
const MULTIPLIER_B = 0xcd9e8d57;
const ROUNDS = 10;

/** The number of 32-bit numbers in one block of the stream. */
export const PHILOX_BLOCK_SIZE = 4;

/** RNG_ALG_PHILOX, RNG_ALG_THREEFRY and RNG_ALG_AUTO_SELECT of TensorFlow; a CPU selects Philox. */
export const RNG_ALGORITHMS = { philox: 1, threefry: 2, auto: 3 } as const;

const LOW_64_BITS = (1n << 64n) - 1n;

/** The upper half of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const carry = ((aLow * bLow) >>> 16) + aHigh * bLow;
  const middle = (carry & 0xffff) + aLow * bHigh;
  return (aHigh * bHigh + (carry >>> 16) + (middle >>> 16)) >>> 0;
}

/**
 * TensorFlow's stream of random bits: a block of four 32-bit numbers for each value of a 128-bit counter. The numbers
 * depend only on key and counter, so any block may be computed without the preceding ones.
 */
export class Philox {
  /** Least significant word first. */
  readonly #counter: Uint32Array;
  readonly #key: Uint32Array;

  /** @param counter four 32-bit words, least significant first. @param key two words. Both are copied. */
  constructor(counter: ArrayLike<number>, key: ArrayLike<number>) {
    this.#counter = Uint32Array.from({ length: PHILOX_BLOCK_SIZE }, (_, index) => counter[index] ?? 0);
    this.#key = Uint32Array.from({ length: 2 }, (_, index) => key[index] ?? 0);
  }

  /** The stream for the two seeds of a random op. */
  static ofSeeds(seed: bigint, seed2: bigint): Philox {
    return new Philox([0, 0, ...words64(seed2)], words64(seed));
  }

  /** The stream for a stateless op's key (one uint64) and counter (two uint64, least significant first). */
  static ofKeyAndCounter(key: bigint, counter: readonly [bigint, bigint]): Philox {
    return new Philox([...words64(counter[0]), ...words64(counter[1])], words64(key));
  }

  /** The counter as two 64-bit words, least significant first. */
  get counter(): readonly [bigint, bigint] {
    const [a = 0, b = 0, c = 0, d = 0] = this.#counter;
    return [BigInt(a) | (BigInt(b) << 32n), BigInt(c) | (BigInt(d) << 32n)];
  }

  get key(): bigint {
    const [low = 0, high = 0] = this.#key;
    return BigInt(low) | (BigInt(high) << 32n);
  }

  clone(): Philox {
    return new Philox(this.#counter, this.#key);
  }

  /** Skips this many blocks of the stream. */
  skip(blocks: bigint | number): void {
    const [low, high] = this.counter;
    const sum = (low | (high << 64n)) + (BigInt(blocks) & LOW_64_BITS);
    this.#counter.set([...words64(sum & LOW_64_BITS), ...words64((sum >> 64n) & LOW_64_BITS)]);
  }

  /** Moves to another position in the same key's stream: `blocks` after the counter of `start`. */
  moveTo(start: Philox, blocks: number): void {
    this.#counter.set(start.#counter);
    const low = (this.#counter[0] ?? 0) + blocks;
    if (low < 2 ** 32) {
      this.#counter[0] = low;
    } else {
      this.skip(blocks);
    }
  }

  /** Writes the next block into `block`, four unsigned 32-bit numbers. */
  next(block: Uint32Array): void {
    const counter = this.#counter;
    let c0 = counter[0] ?? 0;
    let c1 = counter[1] ?? 0;
    let c2 = counter[2] ?? 0;
    let c3 = counter[3] ?? 0;
    let k0 = this.#key[0] ?? 0;
    let k1 = this.#key[1] ?? 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const highA = multiplyHigh(c0, MULTIPLIER_A);
      const highB = multiplyHigh(c2, MULTIPLIER_B);
      const lowA = Math.imul(c0, MULTIPLIER_A) >>> 0;
      const lowB = Math.imul(c2, MULTIPLIER_B) >>> 0;
      c0 = (highB ^ c1 ^ k0) >>> 0;
      c2 = (highA ^ c3 ^ k1) >>> 0;
      c1 = lowB;
      c3 = lowA;
      k0 = (k0 + KEY_STEP_LOW) >>> 0;
      k1 = (k1 + KEY_STEP_HIGH) >>> 0;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
    for (let word = 0; word < PHILOX_BLOCK_SIZE; word += 1) {
      const next = ((counter[word] ?? 0) + 1) >>> 0;
      counter[word] = next;
      if (next !== 0) {
        break;
      }
    }
  }
}

/** Returns the numbers of a stream one at a time. */
export class PhiloxSamples {
  readonly #stream: Philox;
  readonly #block = new Uint32Array(PHILOX_BLOCK_SIZE);
  #used = PHILOX_BLOCK_SIZE;

  constructor(stream: Philox) {
    this.#stream = stream;
  }

  /** The next unsigned 32-bit number. */
  next(): number {
    if (this.#used === PHILOX_BLOCK_SIZE) {
      this.#stream.next(this.#block);
      this.#used = 0;
    }
    const sample = this.#block[this.#used] ?? 0;
    this.#used += 1;
    return sample;
  }

  /** Discards the rest of the current block; to be called after the stream was moved. */
  restart(): void {
    this.#used = PHILOX_BLOCK_SIZE;
  }
}

function words64(value: bigint): [number, number] {
  return [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)];
}
