import { bitsFromNumber } from "../../../../protocol/small-float.js";
import { PHILOX_BLOCK_SIZE, type Philox, PhiloxSamples } from "./philox.js";

/** Blocks of the stream that TensorFlow reserves for an output whose number of samples is not known in advance. */
export const RESERVED_BLOCKS_PER_OUTPUT = 256;

/** The arrays to which random numbers are written; float16 and bfloat16 as raw bits. */
export type RandomArray =
  | Float32Array
  | Float64Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/** The dtypes of random floats. */
export type RandomFloat = "float16" | "bfloat16" | "float32" | "float64";

/**
 * Fills a tensor from a stream, group by group. A group is the result of one draw of the distribution, and its position
 * in the stream depends only on its index.
 */
export interface Distribution {
  readonly groupSize: number;
  /** Writes the groups from `first` up to, not including, `end`. The stream itself is not advanced. */
  fill(stream: Philox, output: RandomArray, first: number, end: number): void;
}

/**
 * Converts a block of four 32-bit numbers to the elements of the group that begins at `start`. Elements written beyond
 * the end of the typed array are discarded: the last group of a tensor may be cut off.
 */
type BlockReader<A extends RandomArray> = (block: Uint32Array, output: A, start: number) => void;

/** A distribution whose groups use one block each. */
function blockDistribution<A extends RandomArray>(groupSize: number, read: BlockReader<A>): Distribution {
  return {
    groupSize,
    fill(stream, output, first, end) {
      const own = stream.clone();
      own.skip(first);
      const block = new Uint32Array(PHILOX_BLOCK_SIZE);
      for (let index = first; index < end; index += 1) {
        own.next(block);
        // A distribution is created for one dtype and only ever receives arrays of that dtype.
        read(block, output as A, index * groupSize);
      }
    },
  };
}

const view = new DataView(new ArrayBuffer(8));

/** A float32 in [0, 1) from the lower 23 bits. */
function uniformFloat(bits: number): number {
  return (bits & 0x7fffff) / 0x800000;
}

/** A float64 in [0, 1) from the lower 20 bits of `high` and all bits of `low`. */
export function uniformDouble(high: number, low: number): number {
  return ((high & 0xfffff) * 0x100000000 + low) / 2 ** 52;
}

/** Uniform in [0, 1), with 10 random bits for float16, 7 for bfloat16, 23 for float32 and 52 for float64. */
export function uniform(dtype: RandomFloat): Distribution {
  switch (dtype) {
    case "float32":
      return blockDistribution<Float32Array>(4, (block, output, start) => {
        for (let index = 0; index < 4; index += 1) {
          output[start + index] = uniformFloat(block[index] ?? 0);
        }
      });
    case "float64":
      return blockDistribution<Float64Array>(2, (block, output, start) => {
        output[start] = uniformDouble(block[0] ?? 0, block[1] ?? 0);
        output[start + 1] = uniformDouble(block[2] ?? 0, block[3] ?? 0);
      });
    default: {
      const values = 2 ** (dtype === "float16" ? 10 : 7);
      return blockDistribution<Uint16Array>(4, (block, output, start) => {
        for (let index = 0; index < 4; index += 1) {
          output[start + index] = bitsFromNumber(dtype, ((block[index] ?? 0) & (values - 1)) / values);
        }
      });
    }
  }
}

/** The lower bound of the logarithm's argument in TensorFlow's Box–Muller transform. */
const SMALLEST_UNIFORM = 1e-7;
const SMALLEST_UNIFORM_FLOAT = Math.fround(SMALLEST_UNIFORM);

/**
 * Two normal float32 from two 32-bit numbers (Box–Muller). Every step is rounded to float32 as in TensorFlow; its C
 * library's logf and sincosf may differ from a correctly rounded result in the last bit.
 */
function boxMullerFloat(bits0: number, bits1: number, pair: Float64Array | Float32Array): void {
  const u1 = Math.max(uniformFloat(bits0), SMALLEST_UNIFORM_FLOAT);
  const angle = Math.fround(2 * Math.PI * uniformFloat(bits1));
  const radius = Math.fround(Math.sqrt(Math.fround(-2 * Math.fround(Math.log(u1)))));
  pair[0] = Math.fround(Math.sin(angle)) * radius;
  pair[1] = Math.fround(Math.cos(angle)) * radius;
}

function boxMullerDouble(block: Uint32Array, pair: Float64Array | Float32Array): void {
  const u1 = Math.max(uniformDouble(block[0] ?? 0, block[1] ?? 0), SMALLEST_UNIFORM);
  const angle = 2 * Math.PI * uniformDouble(block[2] ?? 0, block[3] ?? 0);
  const radius = Math.sqrt(-2 * Math.log(u1));
  pair[0] = Math.sin(angle) * radius;
  pair[1] = Math.cos(angle) * radius;
}

/** Mean 0, standard deviation 1; equal to TensorFlow's within one or two units in the last place. */
export function standardNormal(dtype: RandomFloat): Distribution {
  const pair = dtype === "float64" ? new Float64Array(2) : new Float32Array(2);
  if (dtype === "float64") {
    return blockDistribution<Float64Array>(2, (block, output, start) => {
      boxMullerDouble(block, pair);
      output.set(start + 2 <= output.length ? pair : pair.subarray(0, 1), start);
    });
  }
  const raw = dtype === "float32" ? undefined : dtype;
  return blockDistribution<Float32Array | Uint16Array>(4, (block, output, start) => {
    for (let index = 0; index < 4; index += 2) {
      boxMullerFloat(block[index] ?? 0, block[index + 1] ?? 0, pair);
      const first = pair[0] ?? 0;
      const second = pair[1] ?? 0;
      output[start + index] = raw === undefined ? first : bitsFromNumber(raw, first);
      output[start + index + 1] = raw === undefined ? second : bitsFromNumber(raw, second);
    }
  });
}

/** Draws beyond two standard deviations are repeated. */
const TRUNCATION = 2;

/** Standard normal, truncated at two standard deviations from the mean. */
export function truncatedNormal(dtype: RandomFloat): Distribution {
  const groupSize = dtype === "float64" ? 2 : 4;
  const blocksPerGroup = (groupSize * RESERVED_BLOCKS_PER_OUTPUT) / PHILOX_BLOCK_SIZE;
  const raw = dtype === "float16" || dtype === "bfloat16" ? dtype : undefined;
  return {
    groupSize,
    fill(stream, output, first, end) {
      const values = output as Float32Array | Float64Array | Uint16Array;
      const own = stream.clone();
      const samples = new PhiloxSamples(own);
      const block = new Uint32Array(PHILOX_BLOCK_SIZE);
      const pair = dtype === "float64" ? new Float64Array(2) : new Float32Array(2);
      const base = stream.clone();
      base.skip(BigInt(first) * BigInt(blocksPerGroup));
      for (let index = first; index < end; index += 1) {
        own.moveTo(base, (index - first) * blocksPerGroup);
        samples.restart();
        const start = index * groupSize;
        const count = Math.min(groupSize, output.length - start);
        let elementIndex = 0;
        while (elementIndex < count) {
          if (dtype === "float64") {
            for (let word = 0; word < PHILOX_BLOCK_SIZE; word += 1) {
              block[word] = samples.next();
            }
            boxMullerDouble(block, pair);
          } else {
            const bits0 = samples.next();
            boxMullerFloat(bits0, samples.next(), pair);
          }
          for (const value of pair) {
            if (Math.abs(value) < TRUNCATION && elementIndex < count) {
              values[start + elementIndex] = raw === undefined ? value : bitsFromNumber(raw, value);
              elementIndex += 1;
            }
          }
        }
      }
    },
  };
}

/** Integers from `low` up to, not including, `high`; with the slight modulo bias of TensorFlow's. */
export function uniformInt(dtype: "int32" | "int64", low: bigint, high: bigint): Distribution {
  const range = high - low;
  if (dtype === "int32") {
    const from = Number(low);
    const count = Number(range);
    return blockDistribution<Int32Array>(4, (block, output, start) => {
      for (let index = 0; index < 4; index += 1) {
        output[start + index] = from + ((block[index] ?? 0) % count);
      }
    });
  }
  return blockDistribution<BigInt64Array>(2, (block, output, start) => {
    output[start] = low + (word64(block, 0) % range);
    output[start + 1] = low + (word64(block, 2) % range);
  });
}

/** All values of the dtype, equally likely. */
export function uniformFullInt(dtype: "int32" | "uint32" | "int64" | "uint64"): Distribution {
  if (dtype === "int32" || dtype === "uint32") {
    return blockDistribution<Int32Array | Uint32Array>(4, (block, output, start) => {
      for (let index = 0; index < 4; index += 1) {
        output[start + index] = block[index] ?? 0;
      }
    });
  }
  return blockDistribution<BigInt64Array | BigUint64Array>(2, (block, output, start) => {
    output[start] = word64(block, 0);
    output[start + 1] = word64(block, 2);
  });
}

/** Combines two 32-bit numbers into a 64-bit one, the first being the lower half. */
function word64(block: Uint32Array, index: number): bigint {
  view.setUint32(0, block[index] ?? 0, true);
  view.setUint32(4, block[index + 1] ?? 0, true);
  return view.getBigUint64(0, true);
}
