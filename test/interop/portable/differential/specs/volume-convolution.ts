/** Convolutions of volumes, batch by planes by height by width by channel, and their gradients. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, indexTypes, integers, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import type { OpSpec, Types } from "../op-spec.js";

/** Sums of a hundred products of numbers up to 1, in whatever order. */
const summed: Tolerance = { ulps: 16, scale: "largest" };

const volume = [2, 4, 5, 3, 2] as const;
const filter = [2, 3, 2, 2, 3] as const;

const windows = fc
  .tuple(
    fc.constantFrom(1, 2),
    fc.constantFrom(1, 3),
    fc.constantFrom(1, 2),
    fc.constantFrom("SAME", "VALID"),
  )
  .map(([a, b, c, padding]) => {
    const strides = [a, b, c];
    const inner = strides.map((stride, i) => {
      const [size = 0, reach = 0] = [volume[i + 1], filter[i]];
      return Math.ceil((padding === "SAME" ? size : size - reach + 1) / stride);
    });
    return {
      attrs: { strides: attr.ints(1, ...strides, 1), padding: attr.text(padding) } satisfies Attrs,
      output: [volume[0], ...inner, filter[4]],
    };
  });

const plain = { strides: attr.ints(1, 1, 1, 1, 1), padding: attr.text("SAME") };

const ones = (dtype: DType, ...shape: number[]) =>
  Tensor.of(Array<number>(shape.reduce((a, b) => a * b, 1)).fill(1), dtype, shape);

/** The gradients take the shape of what they make, one operand, and the result's gradients. */
function gradientSpec(op: string, to: "input" | "filter"): OpSpec {
  const made = to === "input" ? volume : filter;
  const inputsOf = ({ Tshape = "int32" }: Types, other: Tensor, gradients: Tensor) => {
    const shape = integers(to === "input" ? Tshape : "int32", made);
    return to === "input" ? [shape, other, gradients] : [other, shape, gradients];
  };
  return {
    op,
    types: { T: floats, ...(to === "input" ? { Tshape: indexTypes } : {}) },
    draw: (types) =>
      windows.chain(({ attrs, output }) =>
        fc
          .tuple(
            tensor(types.T ?? "float32", to === "input" ? filter : volume, "unit"),
            tensor(types.T ?? "float32", output, "unit"),
          )
          .map(([other, gradients]) => ({ inputs: inputsOf(types, other, gradients), attrs })),
      ),
    edges: (types) => [
      {
        inputs: inputsOf(
          types,
          ones(types.T ?? "float32", ...(to === "input" ? filter : volume)),
          ones(types.T ?? "float32", 2, 4, 5, 2, 3),
        ),
        attrs: plain,
      },
    ],
    tolerance: summed,
  };
}

export const volumeConvolutionSpecs: readonly OpSpec[] = [
  {
    op: "Conv3D",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      windows.chain(({ attrs }) =>
        fc.tuple(tensor(T, volume, "unit"), tensor(T, filter, "unit")).map((inputs) => ({ inputs, attrs })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [ones(T, 0, 4, 5, 3, 2), ones(T, ...filter)], attrs: plain },
      { inputs: [ones(T, ...volume), ones(T, 2, 2, 2, 3, 1)], attrs: plain },
      {
        inputs: [ones(T, ...volume), ones(T, 2, 2, 2, 2, 1)],
        attrs: { ...plain, strides: attr.ints(1, 1, 1, 1) },
      },
      {
        inputs: [ones(T, ...volume), ones(T, 9, 2, 2, 2, 1)],
        attrs: { ...plain, padding: attr.text("VALID") },
      },
    ],
    tolerance: summed,
  },
  gradientSpec("Conv3DBackpropInputV2", "input"),
  gradientSpec("Conv3DBackpropFilterV2", "filter"),
];
