/** Convolutions, pools and normalizations: ops that slide a window over images, and those of their channels. */
import { mergeShapes, type Shape, shapeLabel } from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import {
  boolAttr,
  constantInts,
  forOps,
  intsAttr,
  misfit,
  nameOf,
  ofRank,
  type Rules,
  type ShapeRule,
  sameSize,
  shapeFromInput,
  sizeAt,
  textAttr,
  times,
  unknownSizes,
  what,
} from "./rule.js";

/** Where batch, channels and the other sizes are in a shape of images or volumes. */
interface Format {
  readonly channel: number;
  readonly spatial: readonly number[];
}

/** Undefined for the formats of packed channels. */
function formatOf(c: ShapeContext, rank: number): Format | undefined {
  const text = textAttr(c, "data_format") ?? "NHWC";
  if (text.includes("VECT")) return undefined;
  const isFirst = text.startsWith("NC");
  const spatial = Array.from({ length: rank - 2 }, (_, i) => i + (isFirst ? 2 : 1));
  return { channel: isFirst ? 1 : rank - 1, spatial };
}

interface Window {
  readonly size: number;
  readonly stride: number;
  readonly dilation: number;
  /** Explicit padding before and after. */
  readonly padding: readonly [number, number];
}

/** How often a window fits; see the padding in TensorFlow's `Conv2D`. */
function windowed(c: ShapeContext, input: number, { size, stride, dilation, padding }: Window): number {
  if (stride <= 0) throw misfit(c, "strides must be positive.");
  if (textAttr(c, "padding") === "SAME") return input < 0 ? -1 : Math.ceil(input / stride);
  if (input < 0 || size < 0) return -1;
  const padded = input + padding[0] + padding[1];
  const covered = (size - 1) * dilation + 1;
  if (covered > padded) {
    throw misfit(
      c,
      `a window of ${covered} is larger than the image, which has ${padded}${padding[0] + padding[1] > 0 ? " with its padding" : ""}.`,
    );
  }
  return Math.floor((padded - covered) / stride) + 1;
}

function explicitPadding(c: ShapeContext, axis: number): readonly [number, number] {
  if (textAttr(c, "padding") !== "EXPLICIT") return [0, 0];
  const all = intsAttr(c, "explicit_paddings");
  return [all[2 * axis] ?? 0, all[2 * axis + 1] ?? 0];
}

function replaced(shape: Shape, sizes: ReadonlyMap<number, number>): Shape {
  return shape.map((size, i) => sizes.get(i) ?? size);
}

function attrOfRank(c: ShapeContext, name: string, rank: number): readonly number[] {
  const list = intsAttr(c, name);
  if (list.length !== rank) throw misfit(c, `${name} must have ${rank} elements, but has ${list.length}.`);
  return list;
}

function dilationsOf(c: ShapeContext, rank: number): readonly number[] {
  const list = intsAttr(c, "dilations");
  return list.length === 0 ? new Array<number>(rank).fill(1) : attrOfRank(c, "dilations", rank);
}

/** @param channels sizes of the output's channels, from those of the input and the filter's last two */
function convolution(
  rank: number,
  channels: (c: ShapeContext, input: number, filter: readonly [number, number]) => number,
): ShapeRule {
  return (c) => {
    const input = ofRank(c, 0, rank);
    const filter = ofRank(c, 1, rank);
    const format = formatOf(c, rank);
    if (!format) return [undefined];
    const strides = attrOfRank(c, "strides", rank);
    const dilations = dilationsOf(c, rank);
    const sizes = new Map<number, number>();
    format.spatial.forEach((axis, i) => {
      const window: Window = {
        size: sizeAt(filter, i),
        stride: strides[axis] ?? 1,
        dilation: dilations[axis] ?? 1,
        padding: explicitPadding(c, axis),
      };
      sizes.set(axis, windowed(c, sizeAt(input, axis), window));
    });
    sizes.set(
      format.channel,
      channels(c, sizeAt(input, format.channel), [sizeAt(filter, rank - 2), sizeAt(filter, rank - 1)]),
    );
    return [replaced(input, sizes)];
  };
}

/** The filter's depth divides the input's: each group of channels has filters of its own. */
function grouped(c: ShapeContext, input: number, [depth, output]: readonly [number, number]): number {
  if (input >= 0 && depth > 0 && input % depth !== 0) {
    throw misfit(
      c,
      `${nameOf(c, 0)} has ${input} channels, but the filter takes ${depth}: its shape is ${shapeLabel(c.inputShapes[1])}.`,
    );
  }
  return output;
}

function wholeDepth(c: ShapeContext, input: number, [depth, output]: readonly [number, number]): number {
  sameSize(
    c,
    input,
    depth,
    () =>
      `${nameOf(c, 0)} has ${input} channels, but the filter takes ${depth}: its shape is ${shapeLabel(c.inputShapes[1])}.`,
  );
  return output;
}

function multiplied(c: ShapeContext, input: number, [depth, factor]: readonly [number, number]): number {
  const channels = sameSize(
    c,
    input,
    depth,
    () =>
      `${nameOf(c, 0)} has ${input} channels, but the filter takes ${depth}: its shape is ${shapeLabel(c.inputShapes[1])}.`,
  );
  return times(channels, factor);
}

function pool(rank: number, outputs = 1): ShapeRule {
  return (c) => {
    const input = ofRank(c, 0, rank);
    const format = formatOf(c, rank);
    if (!format) return [undefined];
    const [windows, strides] = [attrOfRank(c, "ksize", rank), attrOfRank(c, "strides", rank)];
    const sizes = new Map(
      [...format.spatial, format.channel].map((axis) => [
        axis,
        axis === format.channel && windows[axis] === 1
          ? sizeAt(input, axis)
          : windowed(c, sizeAt(input, axis), {
              size: windows[axis] ?? 1,
              stride: strides[axis] ?? 1,
              dilation: 1,
              padding: explicitPadding(c, axis),
            }),
      ]),
    );
    return new Array(outputs).fill(replaced(input, sizes));
  };
}

/** MaxPoolV2 takes window and strides as inputs. */
const poolOfInputs: ShapeRule = (c) => {
  const input = ofRank(c, 0, 4);
  const [windows, strides] = [constantInts(c, 1), constantInts(c, 2)];
  const format = formatOf(c, 4);
  if (!windows || !strides || !format) return [unknownSizes(4)];
  const sizes = new Map(
    format.spatial.map((axis) => [
      axis,
      windowed(c, sizeAt(input, axis), {
        size: windows[axis] ?? 1,
        stride: strides[axis] ?? 1,
        dilation: 1,
        padding: [0, 0],
      }),
    ]),
  );
  return [replaced(input, sizes)];
};

/** The gradient of what has the shape of input `index`. */
const shapeOf =
  (index: number, rank: number): ShapeRule =>
  (c) => [ofRank(c, index, rank)];

/** A shape that is itself an input, of images of this rank. */
function givenShape(index: number, rank: number): ShapeRule {
  return (c) => {
    const shape = shapeFromInput(c, index) ?? unknownSizes(rank);
    if (shape.length !== rank) throw misfit(c, `${nameOf(c, index)} must have ${rank} elements.`);
    return [shape];
  };
}

/** The sizes of the input; where only its rows and columns are given, batch and channels follow from the others. */
const convolutionOfGradient: ShapeRule = (c) => {
  const given = shapeFromInput(c, 0) ?? unknownSizes(4);
  if (given.length === 4) return [given];
  const [gradient, filter, format] = [ofRank(c, 2, 4), ofRank(c, 1, 4), formatOf(c, 4)];
  if (given.length !== 2 || !format) throw misfit(c, `${nameOf(c, 0)} must have 2 or 4 elements.`);
  const [rows, columns] = format.spatial;
  return [
    replaced(
      gradient,
      new Map([
        [rows ?? 1, sizeAt(given, 0)],
        [columns ?? 2, sizeAt(given, 1)],
        [format.channel, sizeAt(filter, 2)],
      ]),
    ),
  ];
};

/** Scale, offset and the statistics are vectors, one element for each channel. */
function batchNorm(outputs: number): ShapeRule {
  return (c) => {
    const isVolume = textAttr(c, "data_format")?.length === 5;
    const rank = isVolume ? 5 : 4;
    const input = ofRank(c, 0, rank);
    const channel = formatOf(c, rank)?.channel;
    if (channel === undefined) return [];
    let channels = sizeAt(input, channel);
    const counted = boolAttr(c, "is_training") && isExact(c) ? 3 : 5;
    for (let index = 1; index < counted; index++) {
      const size = sizeAt(ofRank(c, index, 1), 0);
      const known = channels;
      channels = sameSize(
        c,
        known,
        size,
        () => `${nameOf(c, index)} has ${size} elements, but ${nameOf(c, 0)} has ${known} channels.`,
      );
    }
    return [input.with(channel, channels), ...new Array<Shape>(outputs).fill([channels])];
  };
}

/** Without a moving average, the statistics of training are not read. */
function isExact(c: ShapeContext): boolean {
  const factor = c.attr("exponential_avg_factor")?.value;
  return factor?.$case !== "f" || factor.value === 1;
}

const batchNormGrad: ShapeRule = (c) => {
  const rank = textAttr(c, "data_format")?.length === 5 ? 5 : 4;
  const [gradient, input] = [ofRank(c, 0, rank), ofRank(c, 1, rank)];
  const channel = formatOf(c, rank)?.channel;
  if (channel === undefined) return [];
  let channels = sizeAt(mergeShapes([sizeAt(gradient, channel)], [sizeAt(input, channel)], what(c)), 0);
  for (const index of [2, 3, 4]) {
    const size = sizeAt(ofRank(c, index, 1), 0);
    const known = channels;
    channels = sameSize(c, known, size, () => `${nameOf(c, index)} has ${size} elements, not ${known}.`);
  }
  return [gradient.with(channel, channels), [channels], [channels], [0], [0]];
};

const dilation2D: ShapeRule = (c) => {
  const [input, filter] = [ofRank(c, 0, 4), ofRank(c, 1, 3)];
  const [strides, rates] = [attrOfRank(c, "strides", 4), attrOfRank(c, "rates", 4)];
  const channels = sameSize(
    c,
    sizeAt(input, 3),
    sizeAt(filter, 2),
    () => `${nameOf(c, 0)} has ${sizeAt(input, 3)} channels, but the filter has ${sizeAt(filter, 2)}.`,
  );
  const sizes = [1, 2].map((axis) =>
    windowed(c, sizeAt(input, axis), {
      size: sizeAt(filter, axis - 1),
      stride: strides[axis] ?? 1,
      dilation: rates[axis] ?? 1,
      padding: [0, 0],
    }),
  );
  return [[sizeAt(input, 0), ...sizes, channels]];
};

export const windowRules: Rules = [
  ["Conv2D", convolution(4, grouped)],
  ["Conv3D", convolution(5, wholeDepth)],
  ["DepthwiseConv2dNative", convolution(4, multiplied)],
  ["Conv2DBackpropInput", convolutionOfGradient],
  ["Conv2DBackpropFilter", givenShape(1, 4)],
  ["DepthwiseConv2dNativeBackpropInput", givenShape(0, 4)],
  ["DepthwiseConv2dNativeBackpropFilter", givenShape(1, 4)],
  ["Conv3DBackpropInputV2", givenShape(0, 5)],
  ["Conv3DBackpropFilterV2", givenShape(1, 5)],
  ...forOps("MaxPool AvgPool", pool(4)),
  ...forOps("MaxPool3D AvgPool3D", pool(5)),
  ["MaxPoolWithArgmax", pool(4, 2)],
  ["MaxPoolV2", poolOfInputs],
  ...forOps("MaxPoolGrad MaxPoolGradV2", shapeOf(0, 4)),
  ["MaxPoolGradWithArgmax", shapeOf(0, 4)],
  ...forOps("MaxPoolGradGrad MaxPoolGradGradV2", shapeOf(1, 4)),
  ["MaxPool3DGrad", shapeOf(0, 5)],
  ["MaxPool3DGradGrad", shapeOf(1, 5)],
  ["AvgPoolGrad", givenShape(0, 4)],
  ["AvgPool3DGrad", givenShape(0, 5)],
  ["FusedBatchNorm", batchNorm(4)],
  ["FusedBatchNormV2", batchNorm(4)],
  ["FusedBatchNormV3", batchNorm(4)],
  ...forOps("FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3", batchNormGrad),
  ["Dilation2D", dilation2D],
  ["Dilation2DBackpropInput", (c) => [c.inputShapes[0]]],
  ["Dilation2DBackpropFilter", (c) => [c.inputShapes[1]]],
];
