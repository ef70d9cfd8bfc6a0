/** Convolutions, pools and normalisation of pictures, batch by height by width by channel. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Sums of a few dozen products of numbers up to 1, in whatever order. */
const summed: Tolerance = { ulps: 16, scale: "largest" };

const window = fc
  .tuple(fc.constantFrom(1, 2), fc.constantFrom("SAME", "VALID"))
  .map(([stride, padding]): { attrs: Attrs; stride: number; padding: string } => ({
    attrs: { strides: attr.ints(1, stride, stride, 1), padding: attr.text(padding) },
    stride,
    padding,
  }));

/** Height or width of what a window of three makes of `size`. */
const outputSize = (size: number, stride: number, padding: string): number =>
  Math.ceil((padding === "SAME" ? size : size - 2) / stride);

const T = "float32";
const imageTypes = ["float32", "float16", "bfloat16"] as const satisfies readonly DType[];
const picture = [2, 5, 6, 3] as const;

/** The gradients take the size of what they make, one tensor of the forward op and the gradient of its output. */
function backprop(
  op: string,
  filter: readonly number[],
  outChannels: number,
  to: "input" | "filter",
): OpSpec {
  return {
    op,
    types: { T: [T] },
    draw: () =>
      window.chain(({ attrs, stride, padding }) =>
        fc
          .tuple(
            tensor(T, to === "input" ? filter : picture, "unit"),
            tensor(
              T,
              [2, outputSize(5, stride, padding), outputSize(6, stride, padding), outChannels],
              "unit",
            ),
          )
          .map(([other, gradient]) => ({
            inputs:
              to === "input"
                ? [integers("int32", picture), other, gradient]
                : [other, integers("int32", filter), gradient],
            attrs,
          })),
      ),
    tolerance: summed,
  };
}

/** Windows that are smaller than their strides, so that they leave out pixels, with and without padding. */
const stridesOverWindows = (lastOfFilter: number) =>
  [
    [2, 2],
    [1, 1],
    [3, 2],
  ].flatMap((size) =>
    ["SAME", "VALID"].map((padding) => ({
      inputs: [counted([2, 6, 7, 3]), counted([...size, 3, lastOfFilter])],
      attrs: { strides: attr.ints(1, 3, 3, 1), padding: attr.text(padding) },
    })),
  );

/** Small whole numbers, of which sums are exact. */
function counted(shape: readonly number[]): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => ((i * 7) % 11) - 5),
    T,
    shape,
  );
}

const pooling = fc.constantFrom("SAME", "VALID").map(
  (padding): Attrs => ({
    ksize: attr.ints(1, 2, 2, 1),
    strides: attr.ints(1, 2, 2, 1),
    padding: attr.text(padding),
  }),
);

const channels = (domain: "unit" | "positive") => tensor(T, [3], domain);

/** A picture and, for each channel, its scale, offset, mean and variance. */
const normalised = (images: DType = T) =>
  fc.tuple(
    tensor(images, picture, "unit"),
    channels("unit"),
    channels("unit"),
    channels("unit"),
    channels("positive"),
  );

export const convolutionSpecs: readonly OpSpec[] = [
  {
    op: "Conv2D",
    types: { T: [T] },
    draw: () =>
      fc
        .tuple(tensor(T, picture, "unit"), tensor(T, [3, 3, 3, 4], "unit"), window)
        .map(([input, filter, { attrs }]) => ({ inputs: [input, filter], attrs })),
    edges: () => [
      {
        inputs: [Tensor.of(1, T, picture), Tensor.of(1, T, [3, 3, 2, 4])],
        attrs: { strides: attr.ints(1, 1, 1, 1), padding: attr.text("SAME") },
      },
      ...stridesOverWindows(4),
    ],
    tolerance: summed,
  },
  backprop("Conv2DBackpropInput", [3, 3, 3, 4], 4, "input"),
  backprop("Conv2DBackpropFilter", [3, 3, 3, 4], 4, "filter"),
  {
    op: "DepthwiseConv2dNative",
    types: { T: [T] },
    draw: () =>
      fc
        .tuple(tensor(T, picture, "unit"), tensor(T, [3, 3, 3, 2], "unit"), window)
        .map(([input, filter, { attrs }]) => ({ inputs: [input, filter], attrs })),
    edges: () => stridesOverWindows(2),
    tolerance: summed,
  },
  backprop("DepthwiseConv2dNativeBackpropInput", [3, 3, 3, 2], 6, "input"),
  backprop("DepthwiseConv2dNativeBackpropFilter", [3, 3, 3, 2], 6, "filter"),
  {
    op: "_FusedConv2D",
    types: { T: [T] },
    draw: () =>
      fc
        .tuple(tensor(T, picture, "unit"), tensor(T, [3, 3, 3, 4], "unit"), tensor(T, [4], "unit"), window)
        .map(([input, filter, bias, { attrs }]) => ({
          inputs: [input, filter, bias],
          attrs: {
            ...attrs,
            num_args: attr.int(1),
            num_host_args: attr.int(0),
            TArgs: attr.types(T),
            fused_ops: attr.texts("BiasAdd", "Relu"),
          },
        })),
    tolerance: summed,
  },
  ...specsOf(["MaxPool", "AvgPool"], {
    types: { T: [T] },
    draw: () =>
      fc.tuple(tensor(T, picture, "unit"), pooling).map(([input, attrs]) => ({ inputs: [input], attrs })),
    // Windows that are larger than the images: no pixel is left, or fewer than none.
    edges: () =>
      [
        [2, 1],
        [3, 1],
        [2, 2],
        [2, 3],
      ].map(([size = 1, stride = 1]) => ({
        inputs: [Tensor.of(1, T, [1, 1, 4, 2])],
        attrs: {
          ksize: attr.ints(1, size, 2, 1),
          strides: attr.ints(1, stride, 1, 1),
          padding: attr.text("VALID"),
        },
      })),
    tolerance: { ulps: 4, scale: "largest" },
  }),
  {
    op: "MaxPoolGrad",
    types: { T: [T] },
    // All numbers are different: it is unspecified which of two equal ones gets the gradient.
    draw: () =>
      fc
        .shuffledSubarray(
          Array.from({ length: 32 }, (_, i) => i),
          { minLength: 32, maxLength: 32 },
        )
        .map((values) => {
          const input = Tensor.of(values, T, [1, 4, 4, 2]);
          const most = (row: number, column: number, channel: number): number =>
            Math.max(...[0, 1, 4, 5].map((step) => values[(row * 8 + column * 2 + step) * 2 + channel] ?? 0));
          const output = [0, 1].flatMap((r) => [0, 1].flatMap((c) => [0, 1].map((k) => most(r, c, k))));
          return {
            inputs: [
              input,
              Tensor.of(output, T, [1, 2, 2, 2]),
              Tensor.of([1, 2, 3, 4, 5, 6, 7, 8], T, [1, 2, 2, 2]),
            ],
            attrs: {
              ksize: attr.ints(1, 2, 2, 1),
              strides: attr.ints(1, 2, 2, 1),
              padding: attr.text("VALID"),
            },
          };
        }),
  },
  {
    op: "AvgPoolGrad",
    types: { T: [T] },
    draw: () =>
      tensor(T, [2, 2, 3, 3], "unit").map((gradient) => ({
        inputs: [integers("int32", [2, 4, 6, 3]), gradient],
        attrs: { ksize: attr.ints(1, 2, 2, 1), strides: attr.ints(1, 2, 2, 1), padding: attr.text("VALID") },
      })),
    tolerance: { ulps: 4, scale: "largest" },
  },
  {
    op: "AvgPool3D",
    types: { T: [T] },
    draw: () =>
      tensor(T, [1, 4, 4, 4, 2], "unit").map((input) => ({
        inputs: [input],
        attrs: {
          ksize: attr.ints(1, 2, 2, 2, 1),
          strides: attr.ints(1, 2, 2, 2, 1),
          padding: attr.text("SAME"),
        },
      })),
    tolerance: { ulps: 8, scale: "largest" },
  },
  ...(["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"] as const).map(
    (op): OpSpec => ({
      op,
      types: op === "FusedBatchNorm" ? { T: [T] } : { T: imageTypes, U: [T] },
      draw: ({ T: images }) =>
        normalised(images).map((inputs) => ({ inputs, attrs: { is_training: attr.bool(false) } })),
      // The others hold what they were given, or nothing that is said; a master's rewriting may leave them out.
      outputs: [0],
      tolerance: { ulps: 16, scale: "largest" },
    }),
  ),
  // For an empty batch the mean and the variance are NaN, in training or not.
  ...(["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"] as const).map(
    (op): OpSpec => ({
      op,
      types: op === "FusedBatchNorm" ? { T: [T] } : { T: [T], U: [T] },
      draw: () =>
        fc.boolean().map((isTraining) => ({
          inputs: [Tensor.of([], T, [0, 2, 3, 2]), ...[1, 2, 3, 4].map((value) => Tensor.of(value, T, [2]))],
          attrs: { is_training: attr.bool(isTraining), exponential_avg_factor: attr.float(0.5) },
        })),
      outputs: [0, 1, 2],
      onlyFed: [T],
    }),
  ),
  ...(["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"] as const).map(
    (op): OpSpec => ({
      op,
      types: op === "FusedBatchNormGrad" ? { T: [T] } : { T: imageTypes, U: [T] },
      draw: ({ T: images = T }) =>
        fc
          .tuple(tensor(images, picture, "unit"), normalised(images))
          .map(([gradient, [input, scale, , mean, variance]]) => ({
            inputs: [
              gradient,
              input,
              scale,
              mean,
              variance,
              ...(op.endsWith("V3") ? [Tensor.of([], T, [0])] : []),
            ],
            attrs: { is_training: attr.bool(false) },
          })),
      tolerance: { ulps: 4, scale: "largest" },
      outputs: [0, 1, 2],
    }),
  ),
  {
    op: "LRN",
    types: { T: [T] },
    draw: () =>
      tensor(T, picture, "unit").map((input) => ({ inputs: [input], attrs: { depth_radius: attr.int(1) } })),
    tolerance: { ulps: 16, scale: "largest" },
  },
  ...specsOf(["ResizeBilinear", "ResizeNearestNeighbor"], {
    types: { T: [T] },
    draw: () =>
      fc
        .tuple(tensor(T, picture, "unit"), fc.constantFrom([3, 4], [10, 9]), fc.boolean())
        .map(([input, size, half]) => ({
          inputs: [input, integers("int32", size)],
          attrs: { half_pixel_centers: attr.bool(half) },
        })),
    tolerance: { ulps: 16, scale: "largest" },
  }),
  {
    op: "CropAndResize",
    types: { T: [T] },
    draw: () =>
      tensor(T, picture, "unit").map((input) => ({
        inputs: [
          input,
          Tensor.of([0, 0, 1, 1, 0.1, 0.2, 0.8, 0.7], "float32", [2, 4]),
          integers("int32", [0, 1]),
          integers("int32", [3, 3]),
        ],
      })),
    tolerance: { ulps: 16, scale: "largest" },
  },
];
