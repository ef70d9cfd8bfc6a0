import { describe, expect, test } from "vitest";
import { matMul } from "../../../../../../worker-runtime/engines/portable/kernels/linalg/mat-mul.js";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";

/** A tensor of values that look random, the same in each run. */
function scattered(shape: readonly number[], dtype: DType = "float32", seed = 1): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  const isFloat = /float/.test(dtype);
  const values = Array.from({ length: size }, (_, i) => {
    const value = Math.sin((i + seed) * 12.9898) * 7;
    return isFloat ? value : Math.round(value);
  });
  if (dtype === "complex64" || dtype === "complex128") {
    return Tensor.of(
      values.map((re, i) => ({ re, im: i % 5 })),
      dtype,
      shape,
    );
  }
  if (dtype === "int64") {
    return Tensor.of(values.map(BigInt), dtype, shape);
  }
  return Tensor.of(/^u/.test(dtype) ? values.map(Math.abs) : values, dtype, shape);
}

const dtypes: DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int32",
  "int64",
  "complex64",
  "complex128",
];

/** The difference that sums in another order may have. */
const tolerance = { ulps: 16, atLargest: true };
const smallFloatTolerance = { ulps: 2, atLargest: true };

function toleranceOf(dtype: DType) {
  return dtype === "float16" || dtype === "bfloat16" ? smallFloatTolerance : tolerance;
}

describe.skipIf(peerMissing("tensorflow"))("products against TensorFlow", () => {
  test("MatMul: dtypes, transposes, sizes around wasm's threshold, nothing at all", async () => {
    const cases: OpCase[] = [];
    for (const dtype of dtypes) {
      for (const [rows, inner, columns] of [
        [2, 3, 4],
        [1, 1, 1],
        [20, 30, 40],
        [2, 0, 3],
        [0, 2, 3],
        [2, 3, 0],
      ] as const) {
        for (const transpose of [0, 1, 2, 3]) {
          const [a, b] = [(transpose & 1) !== 0, (transpose & 2) !== 0];
          cases.push({
            op: "MatMul",
            inputs: [
              scattered(a ? [inner, rows] : [rows, inner], dtype),
              scattered(b ? [columns, inner] : [inner, columns], dtype, 7),
            ],
            attrs: { transpose_a: a, transpose_b: b },
            ...toleranceOf(dtype),
          });
        }
      }
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("MatMul: NaN, infinity, integers that wrap around, operands that do not fit", async () => {
    const big = Tensor.of([[2 ** 31 - 1, 2 ** 31 - 1]], "int32");
    const long = Tensor.of([[2n ** 63n - 1n, 5n]], "int64");
    const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0, 1];
    const floats = Tensor.of(
      Array.from({ length: 900 }, (_, i) => (i % 90 === 0 ? (special[(i / 90) % 6] ?? 0) : 1)),
      "float32",
      [30, 30],
    );
    expect(
      await compareWithTensorflow([
        { op: "MatMul", inputs: [big, big], attrs: { transpose_b: true } },
        { op: "MatMul", inputs: [long, long], attrs: { transpose_b: true } },
        { op: "MatMul", inputs: [floats, floats] },
        { op: "MatMul", inputs: [floats.reshape([1, 900]), floats.reshape([900, 1])] },
        { op: "MatMul", inputs: [scattered([2, 3]), scattered([2, 3])] },
        { op: "MatMul", inputs: [scattered([2, 3]), scattered([4, 3])], attrs: { transpose_a: true } },
        { op: "MatMul", inputs: [scattered([3]), scattered([3, 2])] },
        { op: "MatMul", inputs: [scattered([1, 2, 3]), scattered([3, 2])] },
      ]),
    ).toEqual([]);
  });

  test("BatchMatMul, V2 and V3: dtypes, adjoints, broadcasting, errors", async () => {
    const cases: OpCase[] = [];
    for (const op of ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"]) {
      for (const dtype of [...dtypes, "int16"] as DType[]) {
        for (const adjoint of [0, 1, 2, 3]) {
          const [adj_x, adj_y] = [(adjoint & 1) !== 0, (adjoint & 2) !== 0];
          cases.push({
            op,
            inputs: [
              scattered(adj_x ? [2, 5, 3, 4] : [2, 5, 4, 3], dtype),
              scattered(adj_y ? [2, 5, 6, 3] : [2, 5, 3, 6], dtype, 9),
            ],
            attrs: { adj_x, adj_y, ...(op === "BatchMatMulV3" ? { Tout: dtype } : {}) },
            ...toleranceOf(dtype),
          });
        }
      }
    }
    for (const [x, y] of [
      [
        [2, 1, 2, 3],
        [5, 3, 4],
      ],
      [
        [2, 3],
        [3, 4, 3, 2],
      ],
      [
        [2, 0, 2, 3],
        [1, 3, 4],
      ],
      [
        [3, 20, 30],
        [30, 10],
      ],
      [
        [2, 2, 0],
        [2, 0, 3],
      ],
      [[3], [3, 2]],
      [
        [2, 2, 3],
        [3, 3, 2],
      ],
      [
        [2, 2, 3],
        [2, 2, 3],
      ],
    ]) {
      for (const op of ["BatchMatMul", "BatchMatMulV2"]) {
        cases.push({ op, inputs: [scattered(x ?? []), scattered(y ?? [], "float32", 3)], ...tolerance });
      }
    }
    for (const [x, y] of [
      ["int8", "uint8"],
      ["uint8", "int8"],
      ["int8", "int8"],
    ] as const) {
      cases.push({
        op: "BatchMatMulV3",
        inputs: [scattered([2, 3, 2], x), scattered([2, 2, 4], y)],
        attrs: { Tout: "int32" },
      });
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("_FusedMatMul: every activation, an added tensor, small floats", async () => {
    const [a, b, bias] = [
      scattered([6, 30]),
      scattered([30, 40], "float32", 4),
      scattered([40], "float32", 8),
    ];
    const activations = "Relu Relu6 Elu LeakyRelu Tanh Sigmoid GeluApproximate GeluExact".split(" ");
    const cases: OpCase[] = [[], ...activations.map((name) => [name])].map((more) => ({
      op: "_FusedMatMul",
      inputs: [a, b, bias],
      attrs: { fused_ops: ["BiasAdd", ...more], leakyrelu_alpha: 0.3 },
      ulps: 64,
      absolute: 1e-4,
    }));
    cases.push({
      op: "_FusedMatMul",
      inputs: [a, b, bias, scattered([6, 40])],
      attrs: { fused_ops: ["BiasAdd", "Add"] },
      ...tolerance,
    });
    cases.push({
      op: "_FusedMatMul",
      inputs: [scattered([2, 3]), scattered([3, 2]), scattered([3])],
      attrs: { fused_ops: ["BiasAdd"] },
    });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});

test.each([
  // Longer inside than one piece, so that partial products are added up.
  [5, 20_000, 3],
  // More columns than one piece has.
  [4, 9_000, 1_100],
])("wasm's product in pieces equals the one by plain loops: %i × %i × %i", (rows, inner, columns) => {
  const filled = (size: number) =>
    Float32Array.from({ length: size }, (_, i) => ((i * 7919) % 1009) / 500 - 1);
  const a = new Tensor("float32", [rows, inner], filled(rows * inner));
  const b = new Tensor("float32", [inner, columns], filled(inner * columns));
  const doubles = ({ shape, data }: Tensor) =>
    new Tensor("float64", shape, Float64Array.from(data as Float32Array));
  const transpose = { a: false, b: false };
  const wasm = matMul(a, b, transpose).data as Float32Array;
  const exact = matMul(doubles(a), doubles(b), transpose).data as Float64Array;
  const worst = wasm.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (exact[i] ?? Number.NaN))),
    0,
  );
  expect(worst).toBeLessThan(0.5);
});
