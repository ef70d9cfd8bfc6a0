import { argmaxPoolingOf, poolShape } from "../kernels/nn/argmax-pooling.js";
import { sameShape } from "../kernels/support/shapes.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { ints, string } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices } from "./dtypes.js";
import { accepts } from "./fits.js";
import { fromChannelsFirst, toChannelsFirst } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { scatterRows } from "./row-scatter.js";
import { paddingsOf } from "./windows.js";
import { inputAt, scalarTensor, Writer } from "./writer.js";

const types = { T: ["float32", "float64"], Targmax: indices } as const;

/** Sizes of images; undefined if they are unknown or one of them is 0. */
function sizesOf(context: LoweringContext, images: OnnxValue): readonly number[] | undefined {
  const sizes = context.shape(images);
  return sizes?.length === 4 && !sizes.includes(0) ? sizes : undefined;
}

/**
 * ONNX counts the elements of the whole tensor, with its channels first; TensorFlow those of an image or of the batch,
 * with its channels last.
 */
const forward: Lowering = {
  op: "MaxPoolWithArgmax",
  types,
  fits: accepts(argmaxPoolingOf),
  lower: (node, inputs, context) => {
    const write = new Writer(context);
    const { model } = context;
    const images = inputAt(inputs, 0);
    const pooling = argmaxPoolingOf(node);
    const sizes = sizesOf(context, images);
    // WebGPU's MaxPool has no second output.
    if (sizes === undefined || context.isOnGpu) {
      return undefined;
    }
    const [, height = 1, width = 1, channels = 1] = sizes;
    const { dimensions, shape } = poolShape(sizes, pooling);
    if (shape.includes(0)) {
      return undefined;
    }
    const attributes: OnnxAttributes = {
      kernel_shape: ints(pooling.windows),
      strides: ints(pooling.strides),
      auto_pad: string("NOTSET"),
      pads: ints(paddingsOf(dimensions)),
    };
    const first = toChannelsFirst(model, images, 4, false);
    const [values, places] = model.nodes("MaxPool", [first], [images.dtype, "int64"], { attributes });
    if (values === undefined || places === undefined) {
      return undefined;
    }
    const size = (count: number) => write.scalar("int64", count);
    const plane = write.div(places, size(height * width));
    const remainder = (value: OnnxValue, divisor: number) => write.same("Mod", [value, size(divisor)]);
    const pixel = write.mul(remainder(places, height * width), size(channels));
    const inImage = write.add(pixel, remainder(plane, channels));
    const image = write.mul(write.div(plane, size(channels)), size(height * width * channels));
    const index = pooling.countsBatch ? write.add(inImage, image) : inImage;
    const last = (value: OnnxValue) => fromChannelsFirst(model, value, 4, false);
    return [last(values), write.cast(last(index), node.type("Targmax"))];
  },
};

/** Adds each gradient to the element that was the maximum. */
const gradient: Lowering = {
  op: "MaxPoolGradWithArgmax",
  types,
  fits: accepts(argmaxPoolingOf),
  lower: (node, inputs, context) => {
    const write = new Writer(context);
    const [images, incoming, argmax] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    const pooling = argmaxPoolingOf(node);
    const [sizes, ...others] = [images, incoming, argmax].map((value) => sizesOf(context, value));
    const shape = sizes && poolShape(sizes, pooling).shape;
    if (
      sizes === undefined ||
      others.some((own) => own === undefined || shape === undefined || !sameShape(own, shape))
    ) {
      return undefined;
    }
    const [batch = 0, height = 0, width = 0, channels = 0] = sizes;
    const perImage = height * width * channels;
    const long = write.cast(argmax, "int64");
    const starts = Array.from({ length: batch }, (_, image) => (pooling.countsBatch ? 0 : image * perImage));
    const index = write.add(long, write.unsqueeze(write.longs(starts), 1, 2, 3));
    const isOutside = write.test(
      "Or",
      write.test("Less", index, write.scalar("int64", 0)),
      write.test("GreaterOrEqual", index, write.scalar("int64", batch * perImage)),
    );
    const offsets = write.unless(write.any(isOutside), index);
    const zeros = write.filled(write.shape(images), scalarTensor(images.dtype, 0));
    return [scatterRows(write, zeros, { offsets, width: write.longs([1]) }, incoming, "add")];
  },
};

/** Max pooling that also returns the indices of the maxima. */
export const argmaxPoolingLowerings: readonly Lowering[] = [forward, gradient];
