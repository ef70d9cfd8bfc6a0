/** Pools of volumes, normalisation over channels, counts, and gradients of sparse rows. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, indexTypes, indices, integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Sums of a few dozen numbers up to 1, in whatever order. */
const summed: Tolerance = { ulps: 16, scale: "largest" };

const T = "float32";
const volume = [2, 3, 4, 5, 2] as const;

const pooling = fc
  .tuple(
    fc.constantFrom(1, 2, 3),
    fc.constantFrom(2, 3),
    fc.constantFrom("SAME", "VALID"),
    fc.constantFrom(1, 2),
  )
  .map(([stride, window, padding, depthStride]) => ({
    attrs: {
      ksize: attr.ints(1, 2, window, 2, 1),
      strides: attr.ints(1, depthStride, stride, 2, 1),
      padding: attr.text(padding),
    } satisfies Attrs,
    output: [
      volume[0],
      ...(
        [
          [3, 2, depthStride],
          [4, window, stride],
          [5, 2, 2],
        ] as const
      ).map(([size, reach, step]) => Math.ceil((padding === "SAME" ? size : size - reach + 1) / step)),
      volume[4],
    ],
  }));

/** A volume, and what the pool makes of it where the gradient has to be told. */
function gradientInputs(second: boolean): OpSpec["draw"] {
  return () =>
    pooling.chain(({ attrs, output }) =>
      fc
        .tuple(
          tensor(T, volume, "unit"),
          tensor(T, output, "unit"),
          tensor(T, second ? volume : output, "unit"),
        )
        .map(([input, made, gradients]) => ({ inputs: [input, made, gradients], attrs })),
    );
}

const counting: fc.Arbitrary<{ readonly attrs: Attrs; readonly isBinary: boolean }> = fc
  .tuple(fc.constantFrom(-1, 3, 9), fc.constantFrom(-1, 4), fc.boolean())
  .map(([least, most, isBinary]) => ({
    attrs: {
      minlength: attr.int(least),
      maxlength: attr.int(most),
      binary_output: attr.bool(isBinary),
    },
    isBinary,
  }));

const outputTypes = ["int32", "int64", "float32", "float64"] as const;

export const volumeSpecs: readonly OpSpec[] = [
  ...specsOf(["MaxPool3D", "AvgPool3D"], {
    types: { T: [T] },
    draw: () =>
      pooling.chain(({ attrs }) => tensor(T, volume, "unit").map((input) => ({ inputs: [input], attrs }))),
    tolerance: summed,
  }),
  {
    op: "AvgPool3DGrad",
    types: { T: [T] },
    draw: () =>
      pooling.chain(({ attrs, output }) =>
        tensor(T, output, "unit").map((gradients) => ({
          inputs: [integers("int32", volume), gradients],
          attrs,
        })),
      ),
    tolerance: summed,
  },
  {
    op: "MaxPool3DGrad",
    types: { T: [T], TInput: [T] },
    draw: gradientInputs(false),
    // Windows that do not overlap, with two voxels that are the largest.
    edges: () =>
      ["SAME", "VALID"].map((padding) => ({
        inputs: [
          Tensor.of([1, 3, 3, 2, 9, 5], T, [1, 1, 2, 3, 1]),
          Tensor.of(padding === "SAME" ? [9, 5] : [9], T, [1, 1, 1, padding === "SAME" ? 2 : 1, 1]),
          Tensor.of(padding === "SAME" ? [0.5, 2] : [0.5], T, [1, 1, 1, padding === "SAME" ? 2 : 1, 1]),
        ],
        attrs: {
          ksize: attr.ints(1, 1, 2, 2, 1),
          strides: attr.ints(1, 1, 2, 2, 1),
          padding: attr.text(padding),
        },
      })),
    tolerance: summed,
  },
  { op: "MaxPool3DGradGrad", types: { T: [T] }, draw: gradientInputs(true), tolerance: summed },
  {
    op: "LRNGrad",
    types: { T: [T] },
    draw: () =>
      fc
        .tuple(
          tensor(T, [2, 2, 3, 5], "unit"),
          tensor(T, [2, 2, 3, 5], "unit"),
          tensor(T, [2, 2, 3, 5], "unit"),
          fc.constantFrom(1, 2, 7),
        )
        .map(([gradients, input, output, radius]) => ({
          inputs: [gradients, input, output],
          attrs: { depth_radius: attr.int(radius), alpha: attr.float(0.5), beta: attr.float(0.75) },
        })),
    tolerance: { ulps: 16, scale: "largest" },
  },
  {
    op: "DenseCountSparseOutput",
    types: { T: indexTypes, output_type: outputTypes },
    draw: ({ T: dtype = "int32", output_type = "int32" }) =>
      fc
        .tuple(fc.constantFrom([6], [2, 3], [0], [3, 0]), fc.boolean(), counting)
        .chain(([shape, isWeighted, { attrs, isBinary }]) =>
          fc
            .tuple(
              indices(dtype, shape, 6, "never"),
              tensor(output_type, isWeighted && !isBinary ? shape : [0], "unit"),
            )
            .map((inputs) => ({ inputs, attrs })),
        ),
    edges: ({ T: dtype = "int32", output_type = "int32" }) => [
      {
        inputs: [integers(dtype, [1, -1]), Tensor.of([], output_type, [0])],
        attrs: { binary_output: attr.bool(false) },
      },
    ],
  },
  {
    op: "SparseCountSparseOutput",
    types: { T: indexTypes, output_type: outputTypes },
    draw: ({ T: dtype = "int32", output_type = "int32" }) =>
      fc
        .tuple(indices(dtype, [4], 6, "never"), fc.boolean(), counting)
        .chain(([values, isWeighted, { attrs, isBinary }]) =>
          tensor(output_type, isWeighted && !isBinary ? [4] : [0], "unit").map((weights) => ({
            inputs: [
              integers("int64", [0, 1, 0, 2, 2, 0, 2, 3], [4, 2]),
              values,
              integers("int64", [4, 5]),
              weights,
            ],
            attrs,
          })),
        ),
    edges: ({ T: dtype = "int32", output_type = "int32" }) =>
      [
        { indices: [[0, 5]], shape: [4, 5] },
        {
          indices: [
            [2, 1],
            [0, 1],
          ],
          shape: [4, 5],
        },
        {
          indices: [
            [0, 1, 1],
            [2, 0, 1],
          ],
          shape: [4, 5, 2],
        },
        { indices: [[3], [0]], shape: [5] },
        { indices: [[7, 1]], shape: [2 ** 20, 5] },
        { indices: [], shape: [0, 5] },
      ].map(({ indices, shape }) => ({
        inputs: [
          integers("int64", indices.flat(), [indices.length, shape.length]),
          integers(dtype, Array<number>(indices.length).fill(1)),
          integers("int64", shape),
          Tensor.of([], output_type, [0]),
        ],
        attrs: { binary_output: attr.bool(false) },
      })),
  },
  {
    op: "SparseFillEmptyRowsGrad",
    types: { T: ["float32", "float64", "int32", "int64"] },
    draw: ({ T: dtype = T }) =>
      fc.tuple(indices("int64", [3], 5, "rarely"), tensor(dtype, [5], "unit")).map((inputs) => ({ inputs })),
    tolerance: summed,
  },
  ...specsOf(["SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad"], {
    types: { T: floats, Tidx: indexTypes, Tsegmentids: indexTypes },
    draw: ({ T: dtype = T, Tidx = "int32", Tsegmentids = "int32" }) =>
      fc.tuple(tensor(dtype, [3, 2], "unit"), indices(Tidx, [4], 5, "never")).map(([gradients, rows]) => ({
        inputs: [gradients, rows, integers(Tsegmentids, [0, 0, 1, 2]), scalar("int32", 5)],
      })),
    edges: ({ T: dtype = T, Tidx = "int32", Tsegmentids = "int32" }) => [
      {
        inputs: [
          Tensor.of([[1], [2]], dtype),
          integers(Tidx, [5]),
          integers(Tsegmentids, [0]),
          scalar("int32", 5),
        ],
      },
      {
        inputs: [
          Tensor.of([[1], [2]], dtype),
          integers(Tidx, [0]),
          integers(Tsegmentids, [2]),
          scalar("int32", 5),
        ],
      },
      {
        inputs: [
          Tensor.of([[1], [2]], dtype),
          integers(Tidx, [5]),
          integers(Tsegmentids, [0]),
          scalar("int32", 0),
        ],
      },
    ],
    tolerance: summed,
  }),
];
