/** Sums, products and biases of complex numbers. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { axisOf, complexTensor, indexTypes, integers, scalar, shapes, someAxes } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const complex = ["complex64", "complex128"] as const satisfies readonly DType[];

/** Products of up to some forty numbers, each of them rounded; sums of these numbers are exact. */
const folded: Tolerance = { ulps: 64, scale: "element" };

/** Numbers of a size up to two. */
function unitTensor(dtype: DType, shape: readonly number[]): fc.Arbitrary<Tensor> {
  const size = shape.reduce((product, one) => product * one, 1);
  const part = fc.integer({ min: -64, max: 64 }).map((n) => n / 64);
  return fc
    .array(fc.record({ re: part, im: part }), { minLength: size, maxLength: size })
    .map((elements) => Tensor.of(elements, dtype, shape));
}

const dataFormat = fc.constantFrom("NHWC", "NCHW");

/** A tensor, its data format, and how many channels it then has. */
const channeled = (T: DType) =>
  fc.tuple(shapes({ minRank: 2, minSize: 1 }), dataFormat).chain(([shape, format]) =>
    complexTensor(T, shape).map((value) => ({
      value,
      attrs: { data_format: attr.text(format) },
      channels: (format === "NCHW" ? shape[1] : shape.at(-1)) ?? 1,
    })),
  );

export const complexFoldSpecs: readonly OpSpec[] = [
  ...specsOf(["Cumsum", "Cumprod"], {
    types: { T: complex, Tidx: indexTypes },
    draw: ({ T = "complex64", Tidx = "int32" }) =>
      shapes({ minRank: 1, maxRank: 3 }).chain((shape) =>
        fc
          .tuple(unitTensor(T, shape), axisOf(shape.length), fc.boolean(), fc.boolean())
          .map(([input, axis, exclusive, reverse]) => ({
            inputs: [input, scalar(Tidx, axis)],
            attrs: { exclusive: attr.bool(exclusive), reverse: attr.bool(reverse) },
          })),
      ),
    tolerance: folded,
  }),
  {
    op: "Prod",
    types: { T: complex, Tidx: indexTypes },
    draw: ({ T = "complex64", Tidx = "int32" }) =>
      shapes({ maxRank: 3 }).chain((shape) =>
        fc
          .tuple(unitTensor(T, shape), someAxes(shape.length), fc.boolean())
          .map(([input, axes, keepDims]) => ({
            inputs: [input, integers(Tidx, axes)],
            attrs: { keep_dims: attr.bool(keepDims) },
          })),
      ),
    edges: ({ T = "complex64", Tidx = "int32" }) => [
      { inputs: [Tensor.of([], T, [0, 2]), integers(Tidx, [0])] },
      { inputs: [Tensor.of([], T, [0, 2]), integers(Tidx, [2])] },
      { inputs: [Tensor.of([], T, [0, 2]), integers(Tidx, [0, 0])] },
    ],
    tolerance: folded,
  },
  {
    op: "BiasAdd",
    types: { T: complex },
    draw: ({ T = "complex64" }) =>
      channeled(T).chain(({ value, attrs, channels }) =>
        complexTensor(T, [channels]).map((bias) => ({ inputs: [value, bias], attrs })),
      ),
    edges: ({ T = "complex64" }) => [
      { inputs: [Tensor.of([], T, [0, 2]), Tensor.of([], T, [0])] },
      { inputs: [Tensor.of([], T, [0]), Tensor.of([], T, [0])] },
    ],
  },
  {
    op: "BiasAddV1",
    types: { T: complex },
    draw: ({ T = "complex64" }) =>
      shapes({ minRank: 2, minSize: 1 }).chain((shape) =>
        fc.tuple(complexTensor(T, shape), complexTensor(T, shape.slice(-1))).map((inputs) => ({ inputs })),
      ),
  },
  {
    op: "BiasAddGrad",
    types: { T: complex },
    draw: ({ T = "complex64" }) => channeled(T).map(({ value, attrs }) => ({ inputs: [value], attrs })),
    tolerance: { ulps: 4, scale: 64 },
  },
];
