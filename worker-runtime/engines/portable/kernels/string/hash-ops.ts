import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { hash64 } from "../../hash64.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { fingerprint64, sipHash } from "./hashes.js";

/** Nanoseconds per short string. */
const NANOSECONDS_PER_STRING = 5000;
/** Nanoseconds per byte of a long string: 64-bit arithmetic with bigints. */
const NANOSECONDS_PER_BYTE = 200;

function bucketKernel(
  op: string,
  hashOf: (node: KernelNode) => (bytes: Uint8Array) => bigint,
): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const buckets = node.long("num_buckets");
      if (buckets < 1n) {
        throw invalidArgument(`Value for attr 'num_buckets' of ${buckets} must be at least minimum 1`);
      }
      const hash = hashOf(node);
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const numbers = BigInt64Array.from(stringsOf(input), (bytes) => hash(bytes) % buckets);
        return [new Tensor("int64", input.shape, numbers)];
      };
    },
    {
      types: noTypes,
      cost: (_, inputs) => {
        const strings = inputAt(inputs, 0);
        return strings.size * NANOSECONDS_PER_STRING + strings.byteLength * NANOSECONDS_PER_BYTE;
      },
    },
  );
}

/** Hashes strings to bucket numbers. */
export const hashKernels: readonly PureKernelDefinition[] = [
  bucketKernel("StringToHashBucketFast", () => fingerprint64),
  bucketKernel("StringToHashBucket", () => hash64),
  bucketKernel("StringToHashBucketStrong", (node) => {
    const value = node.attr("key")?.value;
    const key = value?.$case === "list" ? value.value.i : [];
    const [first, second] = key;
    if (key.length !== 2 || first === undefined || second === undefined) {
      throw invalidArgument("Key must have 2 elements");
    }
    const words: [bigint, bigint] = [BigInt.asUintN(64, first), BigInt.asUintN(64, second)];
    return (bytes) => sipHash(bytes, words);
  }),
];
