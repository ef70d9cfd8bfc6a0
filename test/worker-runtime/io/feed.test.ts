import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convertTensor } from "../../../worker-runtime/io/convert.js";
import { feedFromBytes, feedFromFile, feedFromText } from "../../../worker-runtime/io/feed.js";
import { writeNpy } from "../../../worker-runtime/io/npy.js";
import type { DType } from "../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

describe("feedFromText", () => {
  test.each<[string, DType | undefined, DType, unknown]>([
    ["3", undefined, "int32", 3],
    ["3.0", undefined, "float32", 3],
    ["[1, 2, 3]", "int64", "int64", [1n, 2n, 3n]],
    [
      "[[1,2],[3,4]]",
      "float32",
      "float32",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [" [ true , False ] ", undefined, "bool", [true, false]],
    ["[nan, inf, -Infinity]", "float64", "float64", [Number.NaN, Infinity, -Infinity]],
    ["9007199254740993", "int64", "int64", 9007199254740993n],
    ["3000000000", undefined, "int64", 3000000000n],
    ["18446744073709551615", "uint64", "uint64", 18446744073709551615n],
    ["[]", "float32", "float32", []],
    ["[\"a\", 'b']", undefined, "string", ["a", "b"]],
    ["[a, b c]", "string", "string", ["a", "b c"]],
    ["plain, text", "string", "string", "plain, text"],
    ['"tab\\t\\u00e4 \\"q\\""', undefined, "string", 'tab\tä "q"'],
    ["1e3", "int32", "int32", 1000],
    ["1+2j", undefined, "complex128", { re: 1, im: 2 }],
    ["-2.5e-1j", "complex64", "complex64", { re: 0, im: -0.25 }],
    ["1", "bool", "bool", true],
    ["1.5", "float16", "float16", 1.5],
  ])("%s as %s", (text, dtype, chosen, value) => {
    const tensor = feedFromText(text, { dtype });
    expect(tensor.dtype).toBe(chosen);
    expect(tensor.toArray()).toEqual(value);
  });

  test("bytes by \\x", () => {
    expect(feedFromText('"a\\xff\\x00"').data[0]).toEqual(new Uint8Array([97, 255, 0]));
  });

  test.each<[string, DType | undefined, string]>([
    ["", "float32", "No value is given"],
    ["[1, 2", "float32", 'at character 6 "," or "]" was expected, found the end'],
    ["[1,,2]", "float32", "a value was expected"],
    ["1 2", "float32", "not a number"],
    ["[1] x", "float32", "the end was expected"],
    ["[[1,2],[3]]", "float32", "not all of one length"],
    ["256", "uint8", "goes from 0 to 255"],
    ["-1", "uint64", "goes from 0 to 18446744073709551615"],
    ["1.5", "int32", "not a whole number"],
    ["70000", "float16", "too large for float16"],
    ["1e400", "float64", "too large for float64"],
    ['"3"', "int32", "is text, but int32 is wanted"],
    ["maybe", "bool", "neither true nor false"],
    ["x", "float32", '"x" is not a number'],
    ["1", "resource", "cannot be written as text"],
    ['"abc', "string", 'a closing " was expected'],
  ])("refuses %s as %s", (text, dtype, message) => {
    expect(() => feedFromText(text, { dtype })).toThrow(message);
  });

  test("nesting without end is refused, not followed", () => {
    expect(() => feedFromText("[".repeat(100_000), { dtype: "float32" })).toThrow("less nesting");
  });

  test("shapes: unknown dimensions are accepted, a mismatch names both", () => {
    expect(feedFromText("[1,2]", { dtype: "int32", shape: [-1] }).shape).toEqual([2]);
    expect(feedFromText("[1,2]", { dtype: "int32", shape: undefined }).shape).toEqual([2]);
    expect(() => feedFromText("3", { tensor: "a:0", dtype: "int32", shape: [-1, 2] })).toThrow(
      "Feed of a:0: The value has shape [] (1 element), but shape [?, 2] is wanted.",
    );
    expect(() => feedFromText("x", { tensor: "a:0", dtype: "int32" })).toThrow(
      'Feed of a:0: "x" is not a number',
    );
  });
});

describe("convertTensor", () => {
  test.each<[DType, DType, unknown, unknown]>([
    ["float64", "float32", [1.5, Number.NaN, Infinity], [1.5, Number.NaN, Infinity]],
    ["int64", "int32", [7n], [7]],
    ["int32", "int64", [-7], [-7n]],
    ["float32", "int32", [3], [3]],
    ["bool", "float32", [true, false], [1, 0]],
    ["uint8", "bool", [1, 0], [true, false]],
    ["float32", "complex64", [2], [{ re: 2, im: 0 }]],
    ["float32", "bfloat16", [1.5], [1.5]],
  ])("%s to %s", (from, to, value, expected) => {
    const tensor = Tensor.of(value as number[], from);
    expect(convertTensor(tensor, to).toArray()).toEqual(expected);
  });

  test.each<[DType, DType, unknown, string]>([
    ["float64", "float32", [[1, 1e39]], "Element [0, 1]"],
    ["int64", "int32", [3000000000n], "int32"],
    ["float32", "int32", [1.5], "whole numbers"],
    ["int32", "bool", [2], "0 and 1"],
    ["string", "float32", ["1"], "string cannot become float32"],
    ["float32", "string", [1], "float32 cannot become string"],
    ["complex64", "float32", [{ re: 1, im: 1 }], "cannot become"],
  ])("%s to %s refuses what does not fit", (from, to, value, message) => {
    const tensor = Tensor.of(value as number[], from);
    expect(() => convertTensor(tensor, to)).toThrow(message);
  });
});

test("a column is a vector or a matrix of one column, whichever is declared", () => {
  const csv = new TextEncoder().encode("1\n2\n3\n");
  expect(feedFromBytes(csv, "d.csv", { dtype: "int32", shape: [-1, 1] }).shape).toEqual([3, 1]);
  expect(feedFromBytes(writeNpy(Tensor.of([[1], [2]])), "a.npy", { shape: [-1] }).shape).toEqual([2]);
  expect(() => feedFromBytes(csv, "d.csv", { dtype: "int32", shape: [-1, 2] })).toThrow(
    "shape [?, 2] is wanted",
  );
  expect(() => feedFromText("[[1]]", { dtype: "int32", shape: [-1] })).toThrow("shape [1, 1]");
});

describe("files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-feed-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("by content and by ending", async () => {
    const npy = join(folder, "a.npy");
    await writeFile(npy, writeNpy(Tensor.of([1, 2], "float64")));
    expect((await feedFromFile(npy, { dtype: "float32" })).dtype).toBe("float32");
    const csv = join(folder, "d.csv");
    await writeFile(csv, "x,y\n1,2\n3,4\n");
    expect((await feedFromFile(csv, { column: "y", dtype: "int32", shape: [-1] })).toArray()).toEqual([2, 4]);
    expect(feedFromBytes(writeNpy(Tensor.of([1])), "upload.bin").toArray()).toEqual([1]);
  });

  test("errors name the feed, the file and what is wrong with it", async () => {
    const missing = join(folder, "no.npy");
    await expect(feedFromFile(missing, { tensor: "a:0" })).rejects.toMatchObject({
      codeName: "NOT_FOUND",
      message: `Feed of a:0: There is no file "${missing}".`,
    });
    await expect(feedFromFile(folder)).rejects.toThrow("has no images");
    const text = join(folder, "d2.csv");
    await writeFile(text, "x\n1\n\nz\n");
    await expect(feedFromFile(text, { tensor: "a:0", dtype: "int32" })).rejects.toThrow(
      'Feed of a:0: "d2.csv", line 4, column "x": "z" is not a number.',
    );
    const other = join(folder, "image.webp");
    await writeFile(other, "not an image");
    await expect(feedFromFile(other)).rejects.toThrow(
      ".npy, .npz, .csv, .tsv, .txt, .tfrecord and images can",
    );
    expect(() => feedFromBytes(writeNpy(Tensor.of([1])), "a.npy", { column: "x" })).toThrow("single array");
  });

  test("reading stops when it is cancelled", async () => {
    const csv = join(folder, "big.csv");
    await writeFile(csv, "1\n".repeat(1_000_000));
    await expect(feedFromFile(csv, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
  });
});
