import { expect, test } from "vitest";
import { jsonValues, tensorText, valuesText } from "../../../worker-runtime/cli/tensor-text.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

test("scalars with name, dtype and shape", () => {
  expect(tensorText("z:0", Tensor.of(11))).toBe("z:0  float32 []\n11.0\n");
  expect(valuesText(Tensor.of("Hello, distributed TensorFlow!"))).toBe('"Hello, distributed TensorFlow!"');
});

test("columns are aligned, blocks of higher rank set apart", () => {
  expect(
    valuesText(
      Tensor.of(
        [
          [1, -20],
          [300, 4],
        ],
        "int32",
      ),
    ),
  ).toBe("[[  1 -20]\n [300   4]]");
  expect(
    valuesText(
      Tensor.of(
        [
          [[1], [2]],
          [[3], [4]],
        ],
        "int32",
      ),
    ),
  ).toBe("[[[1]\n  [2]]\n\n [[3]\n  [4]]]");
  expect(valuesText(Tensor.of(["a", "bc"]))).toBe('["a"  "bc"]');
});

test("empty tensors", () => {
  expect(valuesText(Tensor.of([], "float32"))).toBe("[]");
  expect(valuesText(Tensor.of([[], []], "float32"))).toBe("[[]\n []]");
});

test("long rows are wrapped, large tensors shortened", () => {
  const row = valuesText(Tensor.of(new Int32Array(100).fill(7)));
  expect(row.split("\n").length).toBeGreaterThan(1);
  for (const line of row.split("\n")) expect(line.length).toBeLessThanOrEqual(77);
  expect(valuesText(Tensor.of(Int32Array.from({ length: 1001 }, (_, i) => i)))).toBe(
    "[   0    1    2 ...  998  999 1000]",
  );
  const matrix = valuesText(new Tensor("int32", [100, 100], new Int32Array(10_000)));
  expect(matrix.split("\n").length).toBe(7);
  expect(matrix.split("\n")[3]).toBe(" ...");
});

test("JSON has numbers where they are exact and text where they are not", () => {
  expect(jsonValues(Tensor.of([0.1, Number.NaN, -Infinity]))).toEqual([0.1, "nan", "-inf"]);
  expect(jsonValues(Tensor.of([1n, 9007199254740993n]))).toEqual([1, "9007199254740993"]);
  expect(jsonValues(Tensor.of([[true], [false]]))).toEqual([[true], [false]]);
  expect(jsonValues(Tensor.of({ re: 1, im: -2 }))).toBe("1.0-2.0j");
});
