/** Products of matrices and the ops of neural networks. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, indexTypes, indices, shapes, tensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Sums of products of numbers up to 16, in whatever order. */
const product: Tolerance = { ulps: 4, scale: 256 };
const rounded: Tolerance = { ulps: 16, scale: 2 };

/** Two matrices that can be multiplied, as they are stored where one or both are transposed. */
function matrices(T: DType, batchA: readonly number[], batchB: readonly number[]) {
  return fc
    .tuple(fc.nat(4), fc.nat(4), fc.nat(4), fc.boolean(), fc.boolean())
    .chain(([m, k, n, a, b]) =>
      fc
        .tuple(
          tensor(T, [...batchA, ...(a ? [k, m] : [m, k])]),
          tensor(T, [...batchB, ...(b ? [n, k] : [k, n])]),
        )
        .map((inputs) => ({ inputs, a, b })),
    );
}

function batched(op: string, broadcasts: boolean): OpSpec {
  return {
    op,
    types: { T: ["float32", "float64", "int32", "int64"] },
    draw: ({ T = "float32" }) =>
      fc
        .constantFrom<[number[], number[]]>(
          [[2], [2]],
          [[], []],
          broadcasts
            ? [[2, 1], [3]]
            : [
                [3, 2],
                [3, 2],
              ],
        )
        .chain(([left, right]) =>
          matrices(T, left, right).map(({ inputs, a, b }) => ({
            inputs,
            attrs: { adj_x: attr.bool(a), adj_y: attr.bool(b) },
          })),
        ),
    tolerance: product,
  };
}

const biased = (T: DType) =>
  shapes({ minRank: 2, maxRank: 3, minSize: 1 }).chain((shape) =>
    fc.tuple(tensor(T, shape), tensor(T, shape.slice(-1))).map((inputs) => ({ inputs })),
  );

export const neuralSpecs: readonly OpSpec[] = [
  {
    op: "MatMul",
    types: { T: ["float32", "float64", "int32", "int64"] },
    draw: ({ T = "float32" }) =>
      matrices(T, [], []).map(({ inputs, a, b }) => ({
        inputs,
        attrs: { transpose_a: attr.bool(a), transpose_b: attr.bool(b) },
      })),
    edges: ({ T = "float32" }) =>
      T === "float32"
        ? [
            { inputs: [Tensor.of(1, T, [2, 3]), Tensor.of(1, T, [2, 3])] },
            { inputs: [Tensor.of(1, T, [2]), Tensor.of(1, T, [2])] },
            { inputs: [Tensor.of(0.5, T, [70, 300]), Tensor.of(0.25, T, [300, 90])] },
          ]
        : [],
    tolerance: product,
  },
  batched("BatchMatMul", false),
  batched("BatchMatMulV2", true),
  {
    op: "BatchMatMulV3",
    types: { Ta: ["float32", "float64"] },
    draw: ({ Ta = "float32" }) =>
      matrices(Ta, [2], [2]).map(({ inputs, a, b }) => ({
        inputs,
        attrs: { adj_x: attr.bool(a), adj_y: attr.bool(b), Tb: attr.type(Ta), Tout: attr.type(Ta) },
      })),
    tolerance: product,
  },
  {
    op: "_FusedMatMul",
    types: { T: ["float32"] },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          tensor(T, [3, 4]),
          tensor(T, [4, 2]),
          tensor(T, [2]),
          fc.constantFrom(
            ["BiasAdd"],
            ["BiasAdd", "Relu"],
            ["BiasAdd", "Relu6"],
            ["BiasAdd", "Elu"],
            ["BiasAdd", "Tanh"],
            ["BiasAdd", "Sigmoid"],
          ),
        )
        .map(([a, b, bias, ops]) => ({
          inputs: [a, b, bias],
          attrs: { num_args: attr.int(1), fused_ops: attr.texts(...ops), epsilon: attr.float(1e-4) },
        })),
    tolerance: product,
  },
  {
    op: "BiasAdd",
    types: { T: ["float32", "float64", "int32"] },
    draw: ({ T = "float32" }) => biased(T),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, [2, 3]), Tensor.of(1, T, [2])] },
      {
        inputs: [Tensor.of(1, T, [1, 2, 3, 4]), Tensor.of(1, T, [2])],
        attrs: { data_format: attr.text("NCHW") },
      },
    ],
  },
  { op: "BiasAddV1", types: { T: floats }, draw: ({ T = "float32" }) => biased(T) },
  {
    op: "BiasAddGrad",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      shapes({ minRank: 2, minSize: 1 }).chain((shape) =>
        tensor(T, shape, "unit").map((input) => ({ inputs: [input] })),
      ),
    tolerance: { ulps: 4, scale: 64 },
  },
  ...specsOf(["Softmax", "LogSoftmax"], {
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      shapes({ minRank: 1, maxRank: 3, minSize: 1 }).chain((shape) =>
        tensor(T, shape).map((input) => ({ inputs: [input] })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of([1000, 1000, -1000], T)] },
      { inputs: [Tensor.of([], T, [0, 3])] },
    ],
    tolerance: rounded,
  }),
  {
    op: "SoftmaxCrossEntropyWithLogits",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [3, 4]), tensor(T, [3, 4], "unit")).map((inputs) => ({ inputs })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of(1, T, [2, 3]), Tensor.of(1, T, [3, 2])] }],
    tolerance: { ulps: 4, scale: 64 },
  },
  {
    op: "SparseSoftmaxCrossEntropyWithLogits",
    types: { T: floats, Tlabels: indexTypes },
    draw: ({ T = "float32", Tlabels = "int32" }) =>
      fc.tuple(tensor(T, [3, 4]), indices(Tlabels, [3], 4, "never")).map((inputs) => ({ inputs })),
    tolerance: { ulps: 4, scale: 64 },
  },
];
