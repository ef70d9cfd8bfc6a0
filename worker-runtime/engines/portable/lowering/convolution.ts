import type { KernelNode } from "../kernels/kernel-node.js";
import { fusedStepsOf } from "../kernels/nn/fused-steps.js";
import {
  channelsLastOrder,
  type WindowAttributes,
  type WindowGeometry,
  windowAttributes,
  windowGeometry,
} from "../kernels/nn/windows.js";
import { integersOf } from "../kernels/support/elements.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { int, ints, string } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import {
  type BlockedConvolution,
  blockedImageGradient,
  convolveBlocks,
  fitsBlocks,
} from "./blocked-convolution.js";
import {
  depthwiseFilterGradient,
  filterGradient,
  fixedWindow,
  imageGradient,
} from "./convolution-gradients.js";
import { accepts } from "./fits.js";
import { lowerFusedSteps } from "./fused-steps.js";
import { fromChannelsFirst, reshape, toChannelsFirst, toChannelsLast, transpose } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { convolved } from "./origins.js";
import { dimensionsOf, imageSizes } from "./windows.js";

/** On the CPU, ONNX Runtime has convolutions for float32 only. */
const T = "float32";
const types = { T: [T] } as const;

/** From TensorFlow's filters [rows, columns, in, out] to ONNX's, and back for their gradients. */
const FILTER_ORDER = [3, 2, 0, 1];

/** The sizes that are known if a model is made for fixed shapes, in NHWC order. */
interface Sizes {
  readonly image: readonly number[];
  /** [rows, columns, in, out] */
  readonly filter: readonly number[];
  readonly geometry: WindowGeometry;
}

/** Returns undefined for empty tensors and for sizes that the kernel rejects. */
function sizesOf(
  attributes: WindowAttributes,
  image: readonly number[] | undefined,
  filter: readonly number[] | undefined,
): Sizes | undefined {
  if (image?.length !== 4 || filter?.length !== 4 || image.includes(0) || filter.includes(0)) {
    return undefined;
  }
  const [rows = 0, columns = 0] = filter;
  const geometry = windowGeometry(attributes, image, [rows, columns]);
  return geometry.rows.output > 0 && geometry.columns.output > 0 ? { image, filter, geometry } : undefined;
}

/** The attributes of a Conv derived from the node's attributes; undefined if they also depend on sizes. */
function windowOf({
  strides,
  dilations,
  padding,
  explicitPaddings,
}: WindowAttributes): OnnxAttributes | undefined {
  const [, ...rest] = dilations;
  const window = { strides: ints(strides.slice(1, 3)), dilations: ints(dilations.slice(1, 3)) };
  switch (padding) {
    case "VALID":
      return { ...window, auto_pad: string("VALID") };
    case "EXPLICIT": {
      const [top = 0, bottom = 0, left = 0, right = 0] = explicitPaddings;
      return { ...window, pads: ints([top, left, bottom, right]) };
    }
    default:
      // ONNX Runtime does not compute the paddings of dilated windows.
      return rest.every((size) => size === 1) ? { ...window, auto_pad: string("SAME_UPPER") } : undefined;
  }
}

/** A Conv that is yet to be added to a model, maybe with a bias. */
interface Convolution {
  /** The images in ONNX's order and the filter. */
  readonly inputs: readonly OnnxValue[];
  readonly attributes: OnnxAttributes;
  /** Whether the result is wanted with its channels first. */
  readonly channelsFirst: boolean;
}

/** The result stays in ONNX's order. */
function convolve(
  model: ModelBuilder,
  { inputs, attributes }: Convolution,
  ...bias: readonly OnnxValue[]
): OnnxValue {
  return model.node("Conv", [...inputs, ...bias], T, { attributes, rank: 4 });
}

/**
 * The output of a node that convolves. A BiasAdd of it has its bias added by a Conv of its own; this one is then dropped,
 * unless something else uses its output, too.
 */
function outputOf(model: ModelBuilder, convolution: Convolution): OnnxValue {
  const { channelsFirst } = convolution;
  const withBias = (...bias: readonly OnnxValue[]) =>
    fromChannelsFirst(model, convolve(model, convolution, ...bias), 4, channelsFirst);
  const output = withBias();
  convolved.set(output, { channelsFirst, withBias });
  return output;
}

function convolutionOf(
  node: KernelNode,
  [x, filter]: readonly OnnxValue[],
  context: LoweringContext,
): Convolution | undefined {
  const { model, rank } = context;
  if (x === undefined || filter === undefined || rank(x) !== 4 || rank(filter) !== 4) {
    return undefined;
  }
  const attributes = windowAttributes(node);
  const { channelsFirst } = attributes;
  let window = windowOf(attributes);
  let group = 1;
  if (window === undefined || hasGroups(context, x, filter, channelsFirst)) {
    const sizes = sizesOf(attributes, imageSizes(context, x, channelsFirst), context.shape(filter));
    if (sizes === undefined) {
      return undefined;
    }
    window = fixedWindow(dimensionsOf(sizes.geometry));
    group = crossChannel.groups(sizes) ?? 1;
  }
  return {
    inputs: [toChannelsFirst(model, x, 4, channelsFirst), transpose(model, filter, FILTER_ORDER)],
    attributes: { ...window, group: int(group) },
    channelsFirst,
  };
}

/** Whether the filter takes only some of the channels. The attribute `group` then depends on sizes. */
function hasGroups(
  context: LoweringContext,
  images: OnnxValue,
  filter: OnnxValue,
  channelsFirst: boolean,
): boolean {
  const channels = context.likelyShape(images)?.[channelsFirst ? 1 : 3];
  return channels !== undefined && channels !== context.likelyShape(filter)?.[2];
}

/** @returns undefined for filters that ONNX Runtime brings into blocks by itself, and for those that do not fit. */
function blockedConvolutionOf(
  node: KernelNode,
  [images, filter]: readonly OnnxValue[],
  context: LoweringContext,
): BlockedConvolution | undefined {
  const { rank, blockedChannels: block } = context;
  if (block === undefined || images === undefined || filter === undefined) {
    return undefined;
  }
  const attributes = windowAttributes(node);
  const { channelsFirst } = attributes;
  const window = windowOf(attributes);
  const sizes = context.likelyShape(filter);
  return rank(images) === 4 &&
    window !== undefined &&
    sizes?.length === 4 &&
    fitsBlocks(sizes, block) &&
    !hasGroups(context, images, filter, channelsFirst) &&
    context.value(filter) === undefined
    ? { images, filter, sizes, attributes: window, channelsFirst, block }
    : undefined;
}

const conv2D: Lowering = {
  op: "Conv2D",
  types,
  fits: accepts(windowAttributes),
  lower: (node, inputs, context) => {
    const inBlocks = blockedConvolutionOf(node, inputs, context);
    if (inBlocks !== undefined) {
      return [convolveBlocks(context.model, inBlocks)];
    }
    const convolution = convolutionOf(node, inputs, context);
    return convolution && [outputOf(context.model, convolution)];
  },
};

const fusedConv2D: Lowering = {
  op: "_FusedConv2D",
  types: { ...types, TArgs: [T] },
  fits: (node) =>
    node.string("filter_format") === "HWIO" && accepts(windowAttributes)(node) && accepts(fusedStepsOf)(node),
  lower: (node, inputs, context) => {
    const { model, rank } = context;
    const { channelsFirst } = windowAttributes(node);
    const args = inputs
      .slice(2, 2 + node.int("num_args"))
      .map((arg) => (rank(arg) === 4 ? toChannelsFirst(model, arg, 4, channelsFirst) : arg));
    const convolution = convolutionOf(node, inputs, context);
    if (convolution === undefined) {
      return undefined;
    }
    const product = convolve(model, convolution);
    const result = lowerFusedSteps(node, product, args, { model, rank: 4, axis: 1 });
    return [fromChannelsFirst(model, result, 4, channelsFirst)];
  },
};

/** The image sizes given by an input; undefined unless its value follows from constants and shapes. */
function givenSizes({ value }: LoweringContext, sizes: OnnxValue): readonly number[] | undefined {
  const tensor = value(sizes);
  return tensor?.shape.length === 1 && tensor.size === 4 ? integersOf(tensor) : undefined;
}

/** Whether a gradient has the shape of the forward op's result. */
function fitsResult(
  context: LoweringContext,
  gradient: OnnxValue,
  attributes: WindowAttributes,
  { image, geometry }: Sizes,
  channels: number,
): boolean {
  const expected = [image[0], geometry.rows.output, geometry.columns.output, channels];
  return (
    imageSizes(context, gradient, attributes.channelsFirst)?.every((size, i) => size === expected[i]) ?? false
  );
}

/** A kind of convolution: how its filters, [rows, columns, in, …], are expressed in ONNX. */
interface Kind {
  /** The number of channel groups that are convolved separately; undefined if the sizes do not match. */
  groups(sizes: Sizes): number | undefined;
  channelsOut(filter: readonly number[]): number;
  filter(model: ModelBuilder, filter: OnnxValue, sizes: Sizes): OnnxValue;
  readonly filterGradient: typeof filterGradient;
}

const crossChannel: Kind = {
  groups: ({ image: [, , , channels = 0], filter: [, , taken = 1, out = 0] }) => {
    const groups = channels / taken;
    return Number.isInteger(groups) && Number.isInteger(out / groups) ? groups : undefined;
  },
  channelsOut: ([, , , out = 0]) => out,
  filter: (model, filter) => transpose(model, filter, FILTER_ORDER),
  filterGradient,
};

const depthwise: Kind = {
  groups: ({ image: [, , , channels = 0], filter: [, , taken] }) =>
    channels === taken ? channels : undefined,
  channelsOut: ([, , channels = 0, multiplier = 0]) => channels * multiplier,
  filter: (model, filter, { filter: [rows = 0, columns = 0, channels = 0, multiplier = 0] }) =>
    transpose(model, reshape(model, filter, [rows, columns, 1, channels * multiplier]), FILTER_ORDER),
  filterGradient: depthwiseFilterGradient,
};

/** A …BackpropInput op: inputs the images' sizes, the filter, and the gradient of the result. */
function inputGradientOp(op: string, kind: Kind): Lowering {
  return {
    op,
    types,
    fits: accepts(windowAttributes),
    shapeInputs: [0],
    isFasterOnOneThread: true,
    lower: (node, [sizes, filter, gradient], context) => {
      if (sizes === undefined || filter === undefined || gradient === undefined) {
        return undefined;
      }
      const { model } = context;
      const attributes = windowAttributes(node);
      const { channelsFirst } = attributes;
      const given = givenSizes(context, sizes);
      const image = given && channelsLastOrder(given, channelsFirst, "input_sizes");
      const known = sizesOf(attributes, image, context.shape(filter));
      const groups = known && kind.groups(known);
      if (
        known === undefined ||
        groups === undefined ||
        !fitsResult(context, gradient, attributes, known, kind.channelsOut(known.filter))
      ) {
        return undefined;
      }
      const dimensions = dimensionsOf(known.geometry);
      const inBlocks =
        context.blockedChannels !== undefined && kind === crossChannel && groups === 1
          ? blockedImageGradient(
              model,
              {
                images: gradient,
                filter,
                sizes: known.filter,
                channelsFirst,
                block: context.blockedChannels,
              },
              dimensions,
            )
          : undefined;
      if (inBlocks !== undefined) {
        return [inBlocks];
      }
      const dy = toChannelsFirst(model, gradient, 4, channelsFirst);
      const weights = kind.filter(model, filter, known);
      const [, , , channels = 0] = known.image;
      const result = imageGradient(model, [weights, dy], { dimensions, channels, groups });
      return [fromChannelsFirst(model, result, 4, channelsFirst)];
    },
  };
}

/** A …BackpropFilter op: inputs the images, the filter's sizes, and the gradient of the result. */
function filterGradientOp(op: string, kind: Kind): Lowering {
  return {
    op,
    types,
    fits: accepts(windowAttributes),
    shapeInputs: [1],
    isFasterOnOneThread: true,
    lower: (node, [images, sizes, gradient], context) => {
      if (images === undefined || sizes === undefined || gradient === undefined) {
        return undefined;
      }
      const { model } = context;
      const attributes = windowAttributes(node);
      const known = sizesOf(
        attributes,
        imageSizes(context, images, attributes.channelsFirst),
        givenSizes(context, sizes),
      );
      const groups = known && kind.groups(known);
      if (
        known === undefined ||
        groups === undefined ||
        !fitsResult(context, gradient, attributes, known, kind.channelsOut(known.filter))
      ) {
        return undefined;
      }
      const { channelsFirst } = attributes;
      const x = toChannelsLast(model, images, channelsFirst);
      const dy = toChannelsLast(model, gradient, channelsFirst);
      const [batch = 0] = known.image;
      const dimensions = dimensionsOf(known.geometry);
      return [kind.filterGradient(model, x, dy, { shape: known.filter, dimensions, batch, groups })];
    },
  };
}

const depthwiseConv2D: Lowering = {
  op: "DepthwiseConv2dNative",
  types,
  fits: accepts(windowAttributes),
  lower: (node, [x, filter], context) => {
    if (x === undefined || filter === undefined) {
      return undefined;
    }
    const { model } = context;
    const attributes = windowAttributes(node);
    const { channelsFirst } = attributes;
    const sizes = sizesOf(
      attributes,
      imageSizes(context, x, attributes.channelsFirst),
      context.shape(filter),
    );
    const group = sizes && depthwise.groups(sizes);
    if (sizes === undefined || group === undefined) {
      return undefined;
    }
    const images = toChannelsFirst(model, x, 4, channelsFirst);
    return [
      outputOf(model, {
        inputs: [images, depthwise.filter(model, filter, sizes)],
        attributes: { ...fixedWindow(dimensionsOf(sizes.geometry)), group: int(group) },
        channelsFirst,
      }),
    ];
  },
};

export const convolutionLowerings: readonly Lowering[] = [
  conv2D,
  fusedConv2D,
  depthwiseConv2D,
  inputGradientOp("Conv2DBackpropInput", crossChannel),
  filterGradientOp("Conv2DBackpropFilter", crossChannel),
  inputGradientOp("DepthwiseConv2dNativeBackpropInput", depthwise),
  filterGradientOp("DepthwiseConv2dNativeBackpropFilter", depthwise),
];
