import { expect, test } from "vitest";
import { resultType } from "../../../../worker-runtime/import/keras/promotion.js";
import type { DType } from "../../../../worker-runtime/protocol/dtype.js";

const INTEGERS = ["bool", "uint8", "uint16", "uint32", "int8", "int16", "int32", "int64"] as const;

/** keras.backend.result_type of Keras 3.15: each dtype with each of INTEGERS, then with a whole number of Python. */
const RESULTS: readonly (readonly [DType, string])[] = [
  ["bool", "bool uint8 uint16 uint32 int8 int16 int32 int64 int32"],
  ["uint8", "uint8 uint8 uint16 uint32 int16 int16 int32 int64 uint8"],
  ["uint16", "uint16 uint16 uint16 uint32 int32 int32 int32 int64 uint16"],
  ["uint32", "uint32 uint32 uint32 uint32 int64 int64 int64 int64 uint32"],
  ["int8", "int8 int16 int32 int64 int8 int16 int32 int64 int8"],
  ["int16", "int16 int16 int32 int64 int16 int16 int32 int64 int16"],
  ["int32", "int32 int32 int32 int64 int32 int32 int32 int64 int32"],
  ["int64", "int64 int64 int64 int64 int64 int64 int64 int64 int64"],
  ["float32", "float32 float32 float32 float32 float32 float32 float32 float32 float32"],
];

test.each(RESULTS)("%s with others becomes what it does in Keras", (dtype, expected) => {
  const found = [...INTEGERS, "int" as const].map((other) => resultType([dtype, other]));
  expect(found).toEqual(expected.split(" "));
  expect(resultType([dtype, "float"])).toBe("float32");
});

test("floats keep their dtype with numbers, and meet in one that has the values of both", () => {
  expect(resultType(["float16", "float"])).toBe("float16");
  expect(resultType(["float16", "int64"])).toBe("float16");
  expect(resultType(["float16", "bfloat16"])).toBe("float32");
  expect(resultType(["float64", "float32"])).toBe("float64");
  expect(resultType(["uint64", "int8"])).toBe("float32");
});
