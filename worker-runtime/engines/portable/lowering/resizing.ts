import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { nearestIndexes } from "../kernels/image/nearest-resize.js";
import { linearTaps } from "../kernels/image/resize-kernels.js";
import { samplingOf } from "../kernels/image/resize-scale.js";
import { float, int, ints } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { int64s } from "./constants.js";
import { accepts } from "./fits.js";
import { fromChannelsFirst, toChannelsFirst } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** Rows and columns of the images before and after; undefined if they are unknown or one of them is 0. */
function sizesOf(context: LoweringContext, images: OnnxValue, size: OnnxValue) {
  const newSize = numbersOf(context, size);
  const shape = context.shape(images);
  if (shape?.length !== 4 || newSize?.length !== 2 || context.rank(size) !== 1) {
    return undefined;
  }
  const before = shape.slice(1, 3);
  return [...shape, ...newSize].some((length) => length <= 0) ? undefined : { before, after: newSize };
}

/**
 * Gathers the rows and columns that the kernel selects: ONNX's Resize computes them from a rounded factor and can be
 * off by one pixel.
 */
const nearest: Lowering = {
  op: "ResizeNearestNeighbor",
  types: { T: ["float32", "float64", "int32", "int64", "uint8", "int8"] satisfies readonly DType[] },
  fits: accepts(samplingOf),
  shapeInputs: [1],
  lower: (node, inputs, context) => {
    const images = inputAt(inputs, 0);
    const sizes = sizesOf(context, images, inputAt(inputs, 1));
    if (sizes === undefined) {
      return undefined;
    }
    const { model } = context;
    const sampling = samplingOf(node);
    const pick = (value: OnnxValue, axis: 1 | 2) => {
      const indexes = nearestIndexes(sizes.before[axis - 1] ?? 0, sizes.after[axis - 1] ?? 0, sampling);
      const attributes = { axis: int(axis) };
      return model.node("Gather", [value, int64s(model, [...indexes])], value.dtype, { attributes });
    };
    return [pick(pick(images, 2), 1)];
  },
};

/** Interpolates between the two nearest pixels, along the columns and then along the rows, as in TensorFlow. */
const linear: Lowering = {
  op: "ResizeBilinear",
  types: { T: ["float32"] },
  fits: accepts(samplingOf),
  shapeInputs: [1],
  lower: (node, inputs, context) => {
    const images = inputAt(inputs, 0);
    const sizes = sizesOf(context, images, inputAt(inputs, 1));
    if (sizes === undefined) {
      return undefined;
    }
    const write = new Writer(context);
    const sampling = samplingOf(node);
    const between = (value: OnnxValue, axis: 1 | 2) => {
      const length = sizes.after[axis - 1] ?? 0;
      const { indexes, weights } = linearTaps(sizes.before[axis - 1] ?? 0, length, sampling);
      const pick = (tap: 0 | 1) => {
        const picked = Array.from({ length }, (_, i) => indexes[2 * i + tap] as number);
        return write.same("Gather", [value, write.longs(picked)], { axis: int(axis) });
      };
      const parts = Float32Array.from({ length }, (_, i) => weights[2 * i + 1] as number);
      const shape = axis === 1 ? [length, 1, 1] : [length, 1];
      const part = write.model.constant(new Tensor("float32", shape, parts));
      const first = pick(0);
      return write.add(first, write.mul(write.sub(pick(1), first), part));
    };
    return [between(between(images, 2), 1)];
  },
};

/** ONNX divides alpha by the number of channels in the window. */
const localResponse: Lowering = {
  op: "LRN",
  types: { T: ["float32"] },
  lower: (node, inputs, { model, rank }) => {
    const images = inputAt(inputs, 0);
    if (rank(images) !== 4) {
      return undefined;
    }
    const size = 2 * node.int("depth_radius") + 1;
    const attributes = {
      size: int(size),
      alpha: float(node.float("alpha") * size),
      beta: float(node.float("beta")),
      bias: float(node.float("bias")),
    };
    const first = toChannelsFirst(model, images, 4, false);
    return [
      fromChannelsFirst(model, model.node("LRN", [first], "float32", { attributes, rank: 4 }), 4, false),
    ];
  },
};

/**
 * The gradient of LRN: dx = dy norm^-beta - 2 alpha beta x (the sum of y dy / norm over the neighbouring channels), with norm =
 * bias + alpha (the sum of x² over the neighbours).
 */
const localResponseGradient: Lowering = {
  op: "LRNGrad",
  types: { T: ["float32"] },
  lower: (node, inputs, context) => {
    const [dy, x, y] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    if ([dy, x, y].some((input) => context.rank(input) !== 4)) {
      return undefined;
    }
    const write = new Writer(context);
    const number = (value: number) => write.scalar("float32", value);
    const [alpha, beta] = [node.float("alpha"), node.float("beta")];
    const shape = write.shape(x);
    const sums = (value: OnnxValue) => neighbourSums(write, value, shape, node.int("depth_radius"));
    const norm = write.add(write.mul(sums(write.mul(x, x)), number(alpha)), number(node.float("bias")));
    const shares = sums(write.div(write.mul(y, dy), norm));
    const own = write.mul(dy, write.same("Pow", [norm, number(-beta)]));
    const others = write.mul(write.mul(x, number(-2 * alpha * beta)), shares);
    return [write.ofOneShape(write.add(own, others), [dy, x, y])];
  },
};

/** The sum over each channel and those within the radius: a pool whose means count the padding. */
function neighbourSums(write: Writer, value: OnnxValue, shape: OnnxValue, radius: number): OnnxValue {
  const size = 2 * radius + 1;
  const channels = write.same("Gather", [shape, write.longs([3])]);
  const lines = write.reshape(value, write.join(write.longs([1, 1, -1]), channels));
  const means = write.same("AveragePool", [lines], {
    kernel_shape: ints([1, size]),
    pads: ints([0, radius, 0, radius]),
    count_include_pad: int(1),
  });
  return write.reshape(write.mul(means, write.scalar("float32", size)), shape);
}

/** Image resizing, and normalization over neighbouring channels. */
export const resizingLowerings: readonly Lowering[] = [nearest, linear, localResponse, localResponseGradient];
