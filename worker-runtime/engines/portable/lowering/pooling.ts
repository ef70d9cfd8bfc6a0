import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { type Pooling, pixelsUnder, poolingOf, poolsImages } from "../kernels/nn/pooling.js";
import {
  channelsLastOrder,
  type WindowAttributes,
  type WindowDimension,
  type WindowGeometry,
  windowGeometry,
} from "../kernels/nn/windows.js";
import { integersOf } from "../kernels/support/elements.js";
import { sameShape } from "../kernels/support/shapes.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { int, ints, string, tensor } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { blockedImages, blockedNode } from "./blocked-images.js";
import { int64s, scalar } from "./constants.js";
import { accepts } from "./fits.js";
import { fromChannelsFirst, fromChannelsLast, reshape, toChannelsFirst, toChannelsLast } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { placeGradient } from "./origins.js";
import { dimensionsOf, imageSizes, paddingsOf, pixelsLeft } from "./windows.js";
import { Writer } from "./writer.js";

/**
 * The attributes of an ONNX pool.
 * @param image the images' sizes in NHWC order, if known.
 * @returns undefined if they depend on sizes that are not known.
 */
function attributesOf(
  { attributes, window }: Pooling,
  image: () => readonly number[] | undefined,
): OnnxAttributes | undefined {
  const { strides, padding, explicitPaddings } = attributes;
  const steps = strides.slice(1, 3);
  const moves = { kernel_shape: ints(window), strides: ints(steps) };
  if (padding === "EXPLICIT") {
    const [top = 0, bottom = 0, left = 0, right = 0] = explicitPaddings;
    return { ...moves, pads: ints([top, left, bottom, right]) };
  }
  if (padding !== "SAME" || window.every((size) => size === 1)) {
    return { ...moves, auto_pad: string("VALID") };
  }
  if (window.every((size, i) => size >= (steps[i] ?? 1))) {
    return { ...moves, auto_pad: string("SAME_UPPER") };
  }
  // ONNX Runtime would compute negative paddings if windows are smaller than the strides.
  const sizes = image();
  return (
    sizes && { ...moves, pads: ints(paddingsOf(dimensionsOf(windowGeometry(attributes, sizes, window)))) }
  );
}

function fits(node: KernelNode): boolean {
  return accepts(poolingOf)(node) && poolsImages(node);
}

/**
 * Whether windows are larger than the images with their padding. ONNX Runtime would make a pixel of nothing where they are so
 * by less than their stride.
 */
function exceedImages({ attributes, window }: Pooling, sizes: readonly number[] | undefined): boolean {
  const { channelsFirst, padding, explicitPaddings } = attributes;
  if (sizes === undefined || padding === "SAME") {
    return false;
  }
  const [, ...image] = channelsLastOrder(sizes, channelsFirst, "input");
  return window.some((size, i) => {
    const [before = 0, after = 0] = explicitPaddings.slice(2 * i, 2 * i + 2);
    return size > (image[i] ?? 0) + before + after;
  });
}

/** By default ONNX's AveragePool does not count the padding, like TensorFlow's. */
function pool(op: string, onnx: string, dtypes: readonly DType[]): Lowering {
  return {
    op,
    types: { T: dtypes },
    fits,
    lower: (node, [x], context) => {
      const { model, rank } = context;
      if (x === undefined || rank(x) !== 4) {
        return undefined;
      }
      const pooling = poolingOf(node);
      const { channelsFirst } = pooling.attributes;
      const attributes = attributesOf(pooling, () => {
        return imageSizes(context, x, channelsFirst);
      });
      if (attributes === undefined || exceedImages(pooling, context.likelyShape(x))) {
        return undefined;
      }
      const inBlocks = blockedImages(x);
      if (inBlocks !== undefined && op === "MaxPool") {
        const { value, channels } = inBlocks;
        return [blockedNode(model, onnx, [value], attributes, { channels, channelsFirst })];
      }
      const images = toChannelsFirst(model, x, 4, channelsFirst);
      const result = model.node(onnx, [images], x.dtype, { attributes, rank: 4 });
      return [fromChannelsFirst(model, result, 4, channelsFirst)];
    },
  };
}

/** Returns the parts of a gradient where a condition holds and where it does not, each with 0 elsewhere. */
type Divide = (
  model: ModelBuilder,
  condition: OnnxValue,
  gradient: OnnxValue,
) => readonly [OnnxValue, OnnxValue];

const divideAny: Divide = (model, condition, gradient) => {
  const { dtype } = gradient;
  const nothing = scalar(model, dtype, 0);
  return [
    model.node("Where", [condition, gradient, nothing], dtype),
    model.node("Where", [condition, nothing, gradient], dtype),
  ];
};

/** For finite gradients: on a CPU, a Where takes five times as long as a product. */
const divideFinite: Divide = (model, condition, gradient) => {
  const write = new Writer({ model });
  const first = write.mul(gradient, write.cast(condition, gradient.dtype));
  return [first, write.sub(gradient, first)];
};

/** Whether no element is NaN or infinite: 0 times any of these is NaN. */
function allFinite(model: ModelBuilder, values: OnnxValue): OnnxValue {
  const write = new Writer({ model });
  const nothing = write.scalar(values.dtype, 0);
  const sum = write.same("ReduceSum", [write.mul(values, nothing)], { keepdims: int(0) });
  return write.test("Equal", sum, nothing);
}

/** Both halves of a dimension. */
function halves(
  model: ModelBuilder,
  value: OnnxValue,
  axis: number,
  half: number,
): readonly [OnnxValue, OnnxValue] {
  const [first, second] = [0, half].map((start) =>
    model.node(
      "Slice",
      [value, int64s(model, [start]), int64s(model, [start + half]), int64s(model, [axis])],
      value.dtype,
    ),
  );
  return [first as OnnxValue, second as OnnxValue];
}

function join(model: ModelBuilder, halves: readonly [OnnxValue, OnnxValue], axis: number): OnnxValue {
  return model.node("Concat", halves, halves[0].dtype, { attributes: { axis: int(axis) } });
}

/**
 * The gradient of non-overlapping windows of 2 by 2 pixels, three times as fast as by positions: of two neighbours the
 * first wins unless the second is larger; then the winners of two rows are compared in the same way.
 * @param images and gradient have their channels last.
 */
function maxPoolGradOfQuarters(
  { model, isOnGpu }: LoweringContext,
  [images, gradient]: readonly [OnnxValue, OnnxValue],
  { rows, columns }: WindowGeometry,
  channels: number,
): OnnxValue {
  const { dtype } = images;
  const [height, width] = [2 * rows.output, 2 * columns.output];
  const pairs = reshape(
    model,
    fitted(model, images, [height, width], [rows.input, columns.input], Number.NEGATIVE_INFINITY),
    [-1, height, columns.output, 2 * channels],
  );
  const [left, right] = halves(model, pairs, 3, channels);
  const isLeft = model.node("GreaterOrEqual", [left, right], "bool");
  const larger = reshape(model, model.node("Max", [left, right], dtype), [-1, rows.output, width, channels]);
  const [top, bottom] = halves(model, larger, 2, columns.output);
  const isTop = model.node("GreaterOrEqual", [top, bottom], "bool");
  return placeGradient({
    values: gradient,
    images,
    pixels: model.node("Max", [top, bottom], dtype),
    place: (values) => {
      const placeBy = (divide: Divide) => () => {
        const ofRows = join(model, divide(model, isTop, values), 2);
        const rowsApart = reshape(model, ofRows, [-1, height, columns.output, channels]);
        return join(model, divide(model, isLeft, rowsApart), 3);
      };
      const joined = isOnGpu
        ? placeBy(divideAny)()
        : model.branch(allFinite(model, values), placeBy(divideFinite), placeBy(divideAny), { rank: 4 });
      const whole = reshape(model, joined, [-1, height, width, channels]);
      return fitted(model, whole, [rows.input, columns.input], [height, width], 0);
    },
  });
}

/** Images resized by removing or adding a last row or column. */
function fitted(
  model: ModelBuilder,
  images: OnnxValue,
  [height, width]: readonly [number, number],
  [ownHeight, ownWidth]: readonly [number, number],
  filling: number,
): OnnxValue {
  if (height === ownHeight && width === ownWidth) {
    return images;
  }
  // Negative paddings remove pixels.
  const ends = int64s(model, [0, 0, 0, 0, 0, height - ownHeight, width - ownWidth, 0]);
  return model.node("Pad", [images, ends, scalar(model, images.dtype, filling)], images.dtype);
}

/** The gradient of windows that may overlap: MaxPool returns the positions of the first largest pixels. */
function maxPoolGradByPositions(
  model: ModelBuilder,
  [x, dy]: readonly [OnnxValue, OnnxValue],
  { channelsFirst }: WindowAttributes,
  attributes: OnnxAttributes,
): OnnxValue {
  const images = toChannelsFirst(model, x, 4, channelsFirst);
  const gradient = toChannelsFirst(model, dy, 4, channelsFirst);
  const [, indices] = model.nodes("MaxPool", [images], [x.dtype, "int64"], {
    attributes,
  });
  const flat = (value: OnnxValue) => reshape(model, value, [-1]);
  const size = flat(model.node("Size", [images], "int64"));
  const spread = model.node(
    "ScatterElements",
    [
      model.node("ConstantOfShape", [size], x.dtype, zero(x.dtype)),
      flat(indices as OnnxValue),
      flat(gradient),
    ],
    x.dtype,
    { attributes: { axis: int(0), reduction: string("add") } },
  );
  const result = model.node("Reshape", [spread, model.node("Shape", [images], "int64")], x.dtype);
  return fromChannelsFirst(model, result, 4, channelsFirst);
}

/** Each window's gradient goes to its first largest pixel. */
const maxPoolGrad: Lowering = {
  op: "MaxPoolGrad",
  types: { T: ["float32", "float64"] },
  fits,
  lower: (node, [x, y, dy], context) => {
    const { model, rank } = context;
    if (
      x === undefined ||
      y === undefined ||
      dy === undefined ||
      [x, y, dy].some((value) => rank(value) !== 4)
    ) {
      return undefined;
    }
    const pooling = poolingOf(node);
    const { attributes, window } = pooling;
    const { channelsFirst, strides, padding } = attributes;
    const isQuarters =
      [...window, ...strides.slice(1, 3)].every((size) => size === 2) && padding !== "EXPLICIT";
    const image = isQuarters ? imageSizes(context, x, channelsFirst) : undefined;
    const given = image && imageSizes(context, dy, channelsFirst);
    if (image === undefined || given === undefined || image.includes(0)) {
      if (context.isOnGpu) {
        // WebGPU's MaxPool does not return positions.
        return undefined;
      }
      const pool = attributesOf(pooling, () => imageSizes(context, x, channelsFirst));
      return pool && [maxPoolGradByPositions(model, [x, dy], attributes, pool)];
    }
    const geometry = windowGeometry(attributes, image, window);
    const [batch = 0, , , channels = 0] = image;
    const expected = [batch, geometry.rows.output, geometry.columns.output, channels];
    if (!sameShape(given, expected) || expected.includes(0)) {
      return undefined;
    }
    const lasts = [
      toChannelsLast(model, x, channelsFirst),
      toChannelsLast(model, dy, channelsFirst),
    ] as const;
    const result = maxPoolGradOfQuarters(context, lasts, geometry, channels);
    return [fromChannelsLast(model, result, channelsFirst)];
  },
};

function zero(dtype: DType): { readonly attributes: OnnxAttributes } {
  return { attributes: { value: tensor(Tensor.of([0], dtype)) } };
}

/** The number of image pixels under the window at each of its positions, along one dimension. */
function pixelCounts(dimension: WindowDimension): number[] {
  return Array.from({ length: dimension.output }, (_, index) => {
    const [first, end] = pixelsUnder(dimension, index);
    return end - first;
  });
}

/**
 * Each window's gradient is divided equally among its pixels; the sum over the windows is a ConvTranspose with ones.
 */
const averagePoolGrad: Lowering = {
  op: "AvgPoolGrad",
  types: { T: ["float32"] },
  fits,
  shapeInputs: [0],
  lower: (node, [sizes, gradient], { model, value, shape }) => {
    const given = sizes && value(sizes);
    if (given?.shape.length !== 1 || given.size !== 4 || gradient === undefined) {
      return undefined;
    }
    const { attributes, window } = poolingOf(node);
    const { channelsFirst } = attributes;
    const image = channelsLastOrder(integersOf(given), channelsFirst, "orig_input_shape");
    const own = shape(gradient);
    if (image.some((size) => size <= 0) || own?.length !== 4) {
      return undefined;
    }
    const [batch = 0, height = 0, width = 0, channels = 0] = image;
    const geometry = windowGeometry(attributes, image, window);
    const { rows, columns } = geometry;
    const expected = [batch, rows.output, columns.output, channels];
    if (!sameShape(expected, channelsLastOrder(own, channelsFirst, "grad")) || expected.includes(0)) {
      return undefined;
    }
    const dy = toChannelsFirst(model, gradient, 4, channelsFirst);
    const planes = reshape(model, dy, [-1, 1, rows.output, columns.output]);
    const columnCounts = pixelCounts(columns);
    const counts = pixelCounts(rows).flatMap((inRow) => columnCounts.map((inColumn) => inRow * inColumn));
    const count = Tensor.of(Float32Array.from(counts), "float32", [rows.output, columns.output]);
    const parts = model.node("Div", [planes, model.constant(count)], gradient.dtype);
    const ones = model.constant(Tensor.of(1, "float32", [1, 1, ...window]));
    const sums = model.node("ConvTranspose", [parts, ones], gradient.dtype, {
      attributes: {
        strides: ints(attributes.strides.slice(1, 3)),
        pads: ints(paddingsOf([rows, columns])),
        output_padding: ints([rows, columns].map((dimension) => Math.max(0, pixelsLeft(dimension)))),
      },
    });
    const result = reshape(model, sums, [batch, channels, height, width]);
    return [fromChannelsFirst(model, result, 4, channelsFirst)];
  },
};

export const poolingLowerings: readonly Lowering[] = [
  pool("MaxPool", "MaxPool", ["float32", "float64"]),
  pool("AvgPool", "AveragePool", ["float32"]),
  maxPoolGrad,
  averagePoolGrad,
];
