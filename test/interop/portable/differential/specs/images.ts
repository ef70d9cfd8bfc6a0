/** Images: colors, sizes, crops and transforms. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import { type Drawn, type OpSpec, specsOf } from "../op-spec.js";
import { boxes, shades } from "./boxes.js";

/** Colors that were computed in single precision. */
const colored: Tolerance = { ulps: 16, scale: "largest" };
const weighted: Tolerance = { ulps: 16, scale: "largest" };
/** For double precision where the weights do not have it. */
const singlePrecision: Tolerance = { ulps: 4 * 2 ** 29, scale: "largest" };

const sides = fc.integer({ min: 1, max: 6 });

interface Resizing {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly attrs: Attrs;
}

/** Two sizes, and how the pixels of one lie in the other. */
const resizings: fc.Arbitrary<Resizing> = fc
  .tuple(fc.tuple(sides, sides), fc.tuple(sides, sides), fc.constantFrom(0, 1, 2))
  .map(([from, to, sampling]) => ({
    from,
    to,
    attrs: { align_corners: attr.bool(sampling === 1), half_pixel_centers: attr.bool(sampling === 2) },
  }));

const withoutHalfPixels = ({ align_corners = attr.bool(false) }: Attrs): Attrs => ({ align_corners });

const imageTypes = ["float32", "float64", "uint8", "int32", "int64"] as const;

/** @param types of the images. */
export function resizeSpec(
  op: string,
  attrsOf: (attrs: Attrs) => Attrs = (attrs) => attrs,
  types: readonly DType[] = imageTypes,
): OpSpec {
  return {
    op,
    types: { T: types },
    draw: ({ T = "float32" }) =>
      resizings.chain(({ from, to, attrs }) =>
        tensor(T, [2, ...from, 2]).map((images) => ({
          inputs: [images, integers("int32", to)],
          attrs: attrsOf(attrs),
        })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, [2, 2, 1]), integers("int32", [2, 2])] },
      { inputs: [Tensor.of(1, T, [1, 2, 2, 1]), integers("int32", [0, 2])] },
      { inputs: [Tensor.of(1, T, [1, 2, 2, 1]), integers("int32", [2])] },
      { inputs: [Tensor.of([], T, [1, 0, 2, 1]), integers("int32", [2, 2])] },
      { inputs: [Tensor.of([], T, [0, 2, 2, 1]), integers("int32", [3, 3])] },
    ],
    tolerance: weighted,
  };
}

function resizeGradient(op: string, dtype: "float32" | "float64"): OpSpec {
  return {
    op,
    types: { T: [dtype] },
    draw: ({ T = "float32" }) =>
      resizings.chain(({ from, to, attrs }) =>
        tensor("float32", [2, ...to, 2]).map((gradients) => ({
          inputs: [gradients, Tensor.of(0, T, [2, ...from, 2])],
          attrs,
        })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, "float32", [2, 2, 1]), Tensor.of(0, T, [1, 2, 2, 1])] },
    ],
    // The weights have single precision even where the gradient has more.
    tolerance: dtype === "float32" ? weighted : singlePrecision,
  };
}

/** Scale and translation as tf.image.resize has them, and others. */
const moves = ({ from, to }: Resizing): fc.Arbitrary<readonly Tensor[]> =>
  fc.oneof<fc.Arbitrary<readonly Tensor[]>[]>(
    fc.constant([Tensor.of([to[0] / from[0], to[1] / from[1]], "float32"), Tensor.of([0, 0], "float32")]),
    fc.constant([Tensor.of([0.625, 1.75], "float32"), Tensor.of([0.375, -0.5], "float32")]),
  );

const filters: fc.Arbitrary<Attrs> = fc
  .tuple(
    fc.constantFrom(
      "lanczos1",
      "lanczos3",
      "lanczos5",
      "gaussian",
      "box",
      "triangle",
      "keyscubic",
      "mitchellcubic",
    ),
    fc.boolean(),
  )
  .map(([kernel, antialias]) => ({ kernel_type: attr.text(kernel), antialias: attr.bool(antialias) }));

export const boxIndices = fc
  .array(fc.integer({ min: 0, max: 1 }), { minLength: 3, maxLength: 3 })
  .map((values) => integers("int32", values));

const float = (value: number) => scalar("float32", value);

const float32 = { T: ["float32"] } as const;

export const imageSpecs: readonly OpSpec[] = [
  ...specsOf(["RGBToHSV", "HSVToRGB"], {
    types: { T: floats },
    draw: ({ T = "float32" }) => shades(T, [2, 3, 3]).map((images) => ({ inputs: [images] })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of([0.5, 0.5, 0.5, 0, 0, 0, 1, 0, 1], T, [3, 3])] },
      { inputs: [Tensor.of(1, T, [])] },
      { inputs: [Tensor.of(1, T, [2, 4])] },
    ],
    tolerance: colored,
  }),
  {
    op: "AdjustContrastv2",
    types: float32,
    draw: () =>
      fc
        .tuple(shades("float32", [2, 3, 4, 2]), fc.constantFrom(0, 0.5, 2, -1))
        .map(([images, factor]) => ({ inputs: [images, float(factor)] })),
    edges: () => [
      { inputs: [Tensor.of(1, "float32", [3, 3]), float(1)] },
      { inputs: [Tensor.of(1, "float32", [1, 3, 3]), Tensor.of([1], "float32")] },
    ],
    tolerance: colored,
  },
  ...specsOf(["AdjustHue", "AdjustSaturation"], {
    types: float32,
    draw: () =>
      fc
        .tuple(shades("float32", [2, 3, 4, 3]), fc.constantFrom(0, 0.1, 0.5, -0.3, 1.5))
        .map(([images, by]) => ({ inputs: [images, float(by)] })),
    edges: () => [
      { inputs: [Tensor.of(1, "float32", [3, 3]), float(1)] },
      { inputs: [Tensor.of(1, "float32", [1, 3, 4]), float(1)] },
      { inputs: [Tensor.of(1, "float32", [1, 3, 3]), Tensor.of([1], "float32")] },
    ],
    tolerance: colored,
  }),
  resizeSpec("ResizeBicubic"),
  resizeSpec("ResizeArea", withoutHalfPixels),
  ...floats.flatMap((dtype) => [
    resizeGradient("ResizeBilinearGrad", dtype),
    resizeGradient("ResizeBicubicGrad", dtype),
  ]),
  {
    op: "ResizeNearestNeighborGrad",
    types: { T: ["float32", "float64", "uint8", "int8", "int32"] },
    draw: ({ T = "float32" }) =>
      resizings.chain(({ from, to, attrs }) =>
        tensor(T, [2, ...to, 2]).map((gradients) => ({
          inputs: [gradients, integers("int32", from)],
          attrs,
        })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, [1, 2, 2, 1]), integers("int32", [0, 2])] },
      { inputs: [Tensor.of(1, T, [2, 2, 1]), integers("int32", [2, 2])] },
    ],
    tolerance: weighted,
  },
  {
    op: "ScaleAndTranslate",
    types: { T: imageTypes },
    draw: ({ T = "float32" }) =>
      fc.tuple(resizings, filters).chain(([resizing, attrs]) =>
        fc.tuple(tensor(T, [2, ...resizing.from, 2]), moves(resizing)).map(([images, move]) => ({
          inputs: [images, integers("int32", resizing.to), ...move],
          attrs,
        })),
      ),
    edges: ({ T = "float32" }) => [
      {
        inputs: [
          Tensor.of(1, T, [1, 2, 2, 1]),
          integers("int32", [2, 2]),
          Tensor.of([0, 1], "float32"),
          Tensor.of([0, 1], "float32"),
        ],
      },
      {
        inputs: [
          Tensor.of(1, T, [1, 2, 2, 1]),
          integers("int32", [2, 2]),
          Tensor.of([1, 1], "float32"),
          Tensor.of([0], "float32"),
        ],
      },
    ],
    tolerance: { ulps: 16, scale: "largest" },
  },
  {
    op: "ScaleAndTranslateGrad",
    types: float32,
    draw: () =>
      fc.tuple(resizings, filters).chain(([resizing, attrs]) =>
        fc.tuple(tensor("float32", [2, ...resizing.to, 2]), moves(resizing)).map(([gradients, move]) => ({
          inputs: [gradients, Tensor.of(0, "float32", [2, ...resizing.from, 2]), ...move],
          attrs,
        })),
      ),
    tolerance: { ulps: 16, scale: "largest" },
  },
  ...floats.map((dtype) => ({
    op: "CropAndResizeGradImage",
    types: { T: [dtype] },
    draw: () =>
      fc
        .tuple(tensor("float32", [3, 2, 4, 2]), boxes(3), boxIndices, fc.constantFrom("bilinear", "nearest"))
        .map(([gradients, corners, index, method]) => ({
          inputs: [gradients, corners, index, integers("int32", [2, 4, 3, 2])],
          attrs: { method: attr.text(method) },
        })),
    edges: () =>
      [
        [2, 4, 3, 1],
        [2, 0, 3, 2],
        [0, 4, 3, 2],
      ].map((sizes) => ({
        inputs: [
          Tensor.of(1, "float32", [1, 2, 4, 2]),
          Tensor.of([0, 0, 1, 1], "float32", [1, 4]),
          integers("int32", [0]),
          integers("int32", sizes),
        ],
      })),
    tolerance: dtype === "float32" ? weighted : singlePrecision,
  })),
  {
    op: "CropAndResizeGradBoxes",
    types: { T: ["float32", "uint8", "int64"] },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          fc.constantFrom([2, 4], [1, 3]).chain((size) => tensor("float32", [3, ...size, 2])),
          tensor(T, [2, 4, 3, 2]),
          boxes(3),
          boxIndices,
        )
        .map((inputs) => ({ inputs })),
    tolerance: { ulps: 16, scale: "largest" },
  },
  ...(["float32", "float64", "uint8", "int32", "int64"] as const).map((one) => ({
    op: "ImageProjectiveTransformV3",
    types: { dtype: [one] },
    draw: () => projections(one),
    edges: () =>
      [
        { transform: [2, 8], size: [2, 2] },
        { transform: [1, 7], size: [2, 2] },
        { transform: [1, 8], size: [0, 2] },
      ].map(({ transform, size }) => ({
        inputs: [
          Tensor.of(1, one, [1, 2, 2, 1]),
          Tensor.of(1, "float32", transform),
          integers("int32", size),
          float(0),
        ],
        attrs: { interpolation: attr.text("NEAREST") },
      })),
    tolerance: one === "float64" ? singlePrecision : weighted,
  })),
  {
    op: "ImageProjectiveTransformV2",
    types: { dtype: ["float32", "uint8"] },
    draw: ({ dtype = "float32" }) =>
      projections(dtype).map(({ inputs, attrs = {} }) => ({ inputs: inputs.slice(0, 3), attrs })),
    tolerance: weighted,
  },
];

function projections(dtype: DType): fc.Arbitrary<Drawn> {
  const transforms = fc.constantFrom(
    [1, 0, 0, 0, 1, 0, 0, 0],
    [1, 0, 1.5, 0, 1, -0.75, 0, 0],
    [0.5, 0.25, -1, 0.125, 2, 3, 0, 0],
    [-1, 0, 20, 0, -1, -9, 0, 0],
    [1, 0, 0, 0, 1, 0, 0.125, -0.25],
  );
  return fc
    .tuple(
      tensor(dtype, [2, 4, 5, 2]),
      fc.oneof(
        transforms.map((values) => Tensor.of(values, "float32", [1, 8])),
        fc.tuple(transforms, transforms).map((both) => Tensor.of(both.flat(), "float32", [2, 8])),
      ),
      fc.constantFrom("NEAREST", "BILINEAR"),
      fc.constantFrom("REFLECT", "WRAP", "CONSTANT", "NEAREST"),
      fc.constantFrom(0, 3),
    )
    .map(([images, transform, interpolation, mode, fill]) => ({
      inputs: [images, transform, integers("int32", [3, 6]), float(fill)],
      attrs: { interpolation: attr.text(interpolation), fill_mode: attr.text(mode) },
    }));
}
