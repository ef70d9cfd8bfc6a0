import { expect, test } from "vitest";
import {
  type BucketLayout,
  DenseBuckets,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/tables/dense-buckets.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";

const layout: BucketLayout = {
  keyType: "int64",
  emptyKey: Tensor.of(-1n, "int64"),
  deletedKey: Tensor.of(-2n, "int64"),
  valueType: "float32",
  valueShape: [2],
};

const keyOf = (key: number) => ({ data: BigInt64Array.of(BigInt(key)), from: 0 });

/** All keys and values as the table's export has them. */
function exported(buckets: DenseBuckets) {
  const keys = new BigInt64Array(buckets.count);
  const values = new Float32Array(2 * buckets.count);
  for (let at = 0; at < buckets.count; at += 1) {
    buckets.exportKey(keys, at);
    buckets.exportValue(values, at, at);
  }
  return { keys: Array.from(keys, Number), values: Array.from(values) };
}

function withKeys(...keys: readonly number[]): DenseBuckets {
  const buckets = new DenseBuckets(layout, 4);
  for (const key of keys) {
    const at = buckets.indexOf(keyOf(key), true) ?? -1;
    buckets.put(at, keyOf(key), Float32Array.of(0, key, key + 0.5), 1);
  }
  return buckets;
}

test("a key goes to the place of its hash, or at growing distances from it", () => {
  // 1, then 1 + 1, then 1 + 1 + 2.
  expect(exported(withKeys(1, 5, 9))).toEqual({
    keys: [9, 1, 5, -1],
    values: [9, 9.5, 1, 1.5, 5, 5.5, 0, 0],
  });
});

test("a removed key leaves its value and a place for another key, past which others are still found", () => {
  const buckets = withKeys(1, 5);
  buckets.remove(1);
  expect(buckets.isUsed(1)).toBe(false);
  expect(exported(buckets)).toEqual({ keys: [-1, -2, 5, -1], values: [0, 0, 1, 1.5, 5, 5.5, 0, 0] });
  expect(buckets.indexOf(keyOf(5), false)).toBe(2);
  expect(buckets.indexOf(keyOf(9), true)).toBe(1);
});

test("places are restored as they were exported, those without a key too", () => {
  const buckets = withKeys(1, 5);
  buckets.remove(1);
  const { keys, values } = exported(buckets);
  const restored = new DenseBuckets(layout, 4);
  const data = BigInt64Array.from(keys, BigInt);
  const used = keys.map((_, from) => restored.restore(from, { data, from }, Float32Array.from(values)));
  expect(used).toEqual([false, false, true, false]);
  expect(exported(restored)).toEqual({ keys, values });
});

test("strings are keys by their bytes; a full table has no place left", () => {
  const text = (value: string) => Tensor.of(value);
  const buckets = new DenseBuckets(
    { ...layout, keyType: "string", emptyKey: text(""), deletedKey: text("-"), valueShape: [] },
    4,
  );
  const bucketOf = (value: string) => buckets.indexOf({ data: text(value).data, from: 0 }, false);
  for (const key of ["a", "b", "c", "d"]) {
    buckets.put(bucketOf(key) ?? -1, { data: text(key).data, from: 0 }, Float32Array.of(1), 0);
  }
  expect([..."abcd"].map(bucketOf).sort()).toEqual([0, 1, 2, 3]);
  expect(bucketOf("e")).toBeUndefined();
  expect(() => bucketOf("")).toThrow("Using the empty_key as a table key is not allowed");
  expect(() => bucketOf("-")).toThrow("Using the deleted_key as a table key is not allowed");
});
