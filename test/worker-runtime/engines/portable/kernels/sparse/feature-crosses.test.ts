import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CrossWriter,
  columnsOf,
  crossed,
} from "../../../../../../worker-runtime/engines/portable/kernels/sparse/feature-crosses.js";
import {
  limitTensorBytes,
  tensorBytesLimit,
} from "../../../../../../worker-runtime/engines/portable/kernels/support/allocation.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";

/** A sparse column with so many features in row 0. */
function column(count: number, rows: number) {
  const indices = Array.from({ length: count }, (_, i) => [0n, BigInt(i)]).flat();
  return {
    indices: Tensor.of(indices, "int64", [count, 2]),
    values: Tensor.of(Array.from({ length: count }, (_, i) => `${i}`)),
    shape: Tensor.of([BigInt(rows), BigInt(count)], "int64"),
  };
}

/** Writes the indices of the features. */
function indicesWriter(): CrossWriter {
  const texts: string[] = [];
  return {
    begin: () => undefined,
    add: (indices) => texts.push(indices.join("-")),
    result: () => Tensor.of(texts),
  };
}

describe("crosses of features", () => {
  const limit = tensorBytesLimit();
  beforeAll(() => limitTensorBytes(2 ** 20));
  afterAll(() => limitTensorBytes(limit));

  test("go through the last column first", () => {
    const [indices, values, shape] = crossed(columnsOf([column(2, 1), column(2, 1)], []), indicesWriter());
    expect(values).toEqual(Tensor.of(["0-0", "0-1", "1-0", "1-1"]));
    expect(indices?.toArray()).toEqual([0n, 1n, 2n, 3n].map((cross) => [0n, cross]));
    expect(shape?.toArray()).toEqual([1n, 4n]);
  });

  test("of more rows than any memory has take no time where the rows are empty", () => {
    const rows = 2 ** 40;
    const [indices, , shape] = crossed(columnsOf([column(2, rows)], []), indicesWriter());
    expect(indices?.shape).toEqual([2, 2]);
    expect(shape?.toArray()).toEqual([BigInt(rows), 2n]);
    const dense = new Tensor("string", [rows, 0], []);
    expect(crossed(columnsOf([], [dense]), indicesWriter())[0]?.shape).toEqual([0, 2]);
  });

  test("that would fill the memory are refused", () => {
    const many = [column(1000, 1), column(1000, 1), column(1000, 1)];
    expect(() => crossed(columnsOf(many, []), indicesWriter())).toThrow(/OOM/);
  });

  test("need a number of rows that is not below 0", () => {
    expect(() => columnsOf([column(0, -1)], [])).toThrow("Expected batch size");
  });
});
