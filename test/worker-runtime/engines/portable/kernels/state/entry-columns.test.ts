import { expect, test } from "vitest";
import { EntryColumns } from "../../../../../../worker-runtime/engines/portable/kernels/state/tables/entry-columns.js";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import fc from "../../../../../support/seeded-check.js";

const acts = fc.array(
  fc.record({
    key: fc.integer({ min: 0, max: 300 }),
    value: fc.integer({ min: -9, max: 9 }),
    removes: fc.boolean(),
  }),
  { maxLength: 600 },
);

test.each<[DType, readonly number[]]>([
  ["float32", []],
  ["int64", [2]],
  ["string", [3]],
  ["complex64", [2]],
  ["bool", [0]],
])("entries of %s %o are those of a Map, in its order, whatever is added and removed", (valueType, shape) => {
  const length = shape.reduce((product, size) => product * size, 1);
  const tensorOf = (value: number): Tensor => {
    const texts = Array.from({ length }, (_, i) => String(value + i));
    return valueType === "string"
      ? Tensor.of(texts, "string", shape)
      : Tensor.of(
          texts.map((text) => (valueType === "complex64" ? { re: Number(text), im: 1 } : Number(text))),
          valueType,
          shape,
        );
  };
  fc.assert(
    fc.property(acts, (list) => {
      const columns = new EntryColumns("int64", valueType, shape);
      const expected = new Map<string, number>();
      for (const { key, value, removes } of list) {
        const text = String(key);
        if (removes) {
          columns.delete(text);
          expected.delete(text);
        } else {
          columns.put(text, Tensor.of([0n, BigInt(key)]).data, 1, tensorOf(value).data, 0);
          expected.set(text, value);
        }
      }
      expect(columns.size).toBe(expected.size);
      const found = [...columns.indexes()].map(([text, index]) => {
        expect(columns.keyAt(index).item()).toBe(BigInt(text));
        return [text, columns.valueAt(index).toArray()];
      });
      expect(found).toEqual([...expected].map(([text, value]) => [text, tensorOf(value).toArray()]));
    }),
    { numRuns: 30 },
  );
});
