/** Sparse sums, counts, blocks of space, and numbers with an imaginary part. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { axisOf, floats, indexTypes, indices, integers, scalar, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const summed = { ulps: 8, scale: 16 } as const;
const sparseSegments = ["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"];

export const countingSpecs: readonly OpSpec[] = [
  ...specsOf(sparseSegments, {
    types: { T: floats, Tidx: indexTypes, Tsegmentids: indexTypes },
    draw: ({ T = "float32", Tidx = "int32", Tsegmentids = "int32" }) =>
      fc.tuple(tensor(T, [5, 2], "unit"), indices(Tidx, [4], 5, "never")).map(([data, rows]) => ({
        inputs: [data, rows, integers(Tsegmentids, [0, 0, 1, 3])],
      })),
    tolerance: summed,
  }),
  ...specsOf(
    sparseSegments.map((op) => `${op}WithNumSegments`),
    {
      types: { T: floats, Tidx: indexTypes },
      draw: ({ T = "float32", Tidx = "int32" }) =>
        fc.tuple(tensor(T, [5, 2], "unit"), indices(Tidx, [4], 5, "never")).map(([data, rows]) => ({
          inputs: [data, rows, integers("int32", [0, 0, 1, 3]), scalar("int32", 6)],
        })),
      tolerance: summed,
    },
  ),
  {
    op: "SparseToDense",
    types: { T: ["float32", "int32"], Tindices: indexTypes },
    draw: ({ T = "float32", Tindices = "int32" }) =>
      tensor(T, [2]).map((values) => ({
        inputs: [integers(Tindices, [0, 1, 2, 0], [2, 2]), integers(Tindices, [3, 2]), values, scalar(T, 7)],
      })),
  },
  {
    op: "Bucketize",
    types: { T: ["float32", "float64", "int32", "int64"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [3, 4]).map((input) => ({ inputs: [input], attrs: { boundaries: attr.floats(-2, 0, 5.5) } })),
    edges: ({ T = "float32" }) => [
      { inputs: [integers(T, [-3, -2, 0, 7])], attrs: { boundaries: attr.floats(-2, -2, 0) } },
      { inputs: [integers(T, [1])], attrs: { boundaries: attr.floats(1, 0) } },
      { inputs: [integers(T, [1])], attrs: { boundaries: attr.floats() } },
    ],
  },
  {
    op: "DenseBincount",
    types: { Tidx: indexTypes, T: ["float32", "int32"] },
    draw: ({ Tidx = "int32", T = "float32" }) =>
      fc
        .tuple(
          indices(Tidx, [6], 5, "never"),
          fc.boolean(),
          fc.constantFrom([6], [2, 3], [6, 1]),
          fc.constantFrom([0], [1, 2, 3, 4, 5, 6]),
        )
        .map(([input, binary, shape, weights]) => ({
          inputs: [
            input.reshape(shape),
            scalar(Tidx, 4),
            integers(T, weights.length === 1 ? [] : weights, weights.length === 1 ? [0] : shape),
          ],
          attrs: { binary_output: attr.bool(binary) },
        })),
    edges: ({ Tidx = "int32", T = "float32" }) => [
      { inputs: [integers(Tidx, [1, -1, 2]), scalar(Tidx, 4), integers(T, [], [0])] },
      { inputs: [integers(Tidx, [1, 1, 2]), scalar(Tidx, 0), integers(T, [], [0])] },
      { inputs: [integers(Tidx, [], [0, 2]), scalar(Tidx, 3), integers(T, [], [0])] },
      { inputs: [integers(Tidx, [1, 2]), scalar(Tidx, 3), integers(T, [1, 2, 3])] },
    ],
  },
  {
    op: "HistogramFixedWidth",
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [9]).map((values) => ({ inputs: [values, Tensor.of([-4, 4], T), scalar("int32", 5)] })),
  },
  {
    op: "CumulativeLogsumexp",
    types: { T: floats, Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      fc
        .tuple(tensor(T, [3, 4], "unit"), axisOf(2), fc.boolean(), fc.boolean())
        .map(([input, axis, exclusive, reverse]) => ({
          inputs: [input, scalar(Tidx, axis)],
          attrs: { exclusive: attr.bool(exclusive), reverse: attr.bool(reverse) },
        })),
    edges: ({ T = "float32", Tidx = "int32" }) =>
      [
        [Number.NaN, 1, 2],
        [1, Number.NaN, 2],
        [Infinity, 1, Infinity],
        [-Infinity, -Infinity, 1],
        [Infinity, -Infinity, Number.NaN],
      ].map((values) => ({ inputs: [Tensor.of(values, T), scalar(Tidx, 0)] })),
    // Up to four sums of a logarithm, each rounded a few times, of a size up to 1 + log(4).
    tolerance: { ulps: 4, scale: 2 },
  },
  {
    op: "SpaceToBatchND",
    types: { T: ["float32", "int32"], Tblock_shape: indexTypes, Tpaddings: ["int32"] },
    draw: ({ T = "float32", Tblock_shape = "int32" }) =>
      tensor(T, [1, 4, 2, 1]).map((input) => ({
        inputs: [input, integers(Tblock_shape, [2, 2]), integers("int32", [0, 0, 0, 2], [2, 2])],
      })),
  },
  {
    op: "BatchToSpaceND",
    types: { T: ["float32", "int32"], Tblock_shape: indexTypes, Tcrops: ["int32"] },
    draw: ({ T = "float32", Tblock_shape = "int32" }) =>
      tensor(T, [4, 2, 2, 1]).map((input) => ({
        inputs: [input, integers(Tblock_shape, [2, 2]), integers("int32", [0, 0, 0, 1], [2, 2])],
      })),
  },
  {
    op: "SpaceToBatch",
    types: { T: ["float32"], Tpaddings: indexTypes },
    draw: ({ T = "float32", Tpaddings = "int32" }) =>
      tensor(T, [1, 4, 2, 1]).map((input) => ({
        inputs: [input, integers(Tpaddings, [0, 0, 0, 0], [2, 2])],
        attrs: { block_size: attr.int(2) },
      })),
  },
  {
    op: "BatchToSpace",
    types: { T: ["float32"], Tidx: indexTypes },
    draw: ({ T = "float32", Tidx = "int32" }) =>
      tensor(T, [4, 2, 2, 1]).map((input) => ({
        inputs: [input, integers(Tidx, [0, 0, 0, 0], [2, 2])],
        attrs: { block_size: attr.int(2) },
      })),
  },
  {
    op: "Complex",
    types: { T: ["float32"], Tout: ["complex64"] },
    draw: ({ T = "float32" }) => fc.tuple(tensor(T, [3]), tensor(T, [3])).map((inputs) => ({ inputs })),
  },
  ...specsOf(["Real", "Imag", "ComplexAbs", "Angle"], {
    types: { T: ["complex64"], Tout: ["float32"] },
    draw: () =>
      fc.constant({
        inputs: [
          Tensor.of(
            [
              { re: 3, im: 4 },
              { re: -1, im: 0.5 },
            ],
            "complex64",
          ),
        ],
      }),
    tolerance: { ulps: 4 },
  }),
  {
    op: "Conj",
    types: { T: ["complex64"] },
    draw: () => fc.constant({ inputs: [Tensor.of([{ re: 3, im: 4 }], "complex64")] }),
  },
  {
    op: "AccumulateNV2",
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [2, 3]), tensor(T, [2, 3])).map((inputs) => ({
        inputs,
        attrs: { N: attr.int(2), shape: attr.shape(2, 3) },
      })),
  },
  {
    op: "Reverse",
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3]).map((input) => ({ inputs: [input, Tensor.of([true, false], "bool")] })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of([], T, [0]), Tensor.of([true, false], "bool")] }],
  },
  {
    op: "MirrorPadGrad",
    types: { T: ["float32"], Tpaddings: indexTypes },
    draw: ({ T = "float32", Tpaddings = "int32" }) =>
      fc.tuple(tensor(T, [5, 6], "unit"), fc.constantFrom("REFLECT", "SYMMETRIC")).map(([input, mode]) => ({
        inputs: [input, integers(Tpaddings, [1, 1, 2, 1], [2, 2])],
        attrs: { mode: attr.text(mode) },
      })),
    edges: ({ T = "float32", Tpaddings = "int32" }) => {
      const input = integers(T, [1, 2, 3, 4, 5, 6], [6]);
      return [
        [0, 0],
        [2, 0],
        [0, 2],
        [3, 2],
        [2, 2],
        [4, 1],
        [3, 3],
      ]
        .flatMap((amounts) =>
          ["REFLECT", "SYMMETRIC"].map((mode) => ({
            inputs: [input, integers(Tpaddings, amounts, [1, 2])],
            attrs: { mode: attr.text(mode) },
          })),
        )
        .concat(
          ["REFLECT", "SYMMETRIC"].map((mode) => ({
            inputs: [Tensor.of([], T, [0, 3]), integers(Tpaddings, [0, 0, 0, 0], [2, 2])],
            attrs: { mode: attr.text(mode) },
          })),
        );
    },
    tolerance: summed,
  },
  {
    op: "UniqueWithCountsV2",
    types: { T: ["float32", "int64"], Taxis: indexTypes, out_idx: indexTypes },
    draw: ({ T = "float32", Taxis = "int32" }) =>
      tensor(T, [4, 2], "unit").map((input) => ({ inputs: [input, integers(Taxis, [0])] })),
  },
  {
    op: "GuaranteeConst",
    types: { T: ["float32", "string"] },
    draw: ({ T = "float32" }) => tensor(T, [2]).map((input) => ({ inputs: [input] })),
  },
  {
    op: "DeepCopy",
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) => tensor(T, [2]).map((input) => ({ inputs: [input] })),
  },
  {
    op: "CheckNumericsV2",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      tensor(T, [4], "any").map((input) => ({ inputs: [input], attrs: { message: attr.text("checked") } })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of([1], T)], attrs: { message: attr.text("checked") } }],
  },
  {
    op: "Empty",
    types: { dtype: ["float32", "string"] },
    // The content of memory that nobody has written is unspecified.
    draw: () => fc.constant({ inputs: [integers("int32", [2, 3])], attrs: { init: attr.bool(true) } }),
  },
];
