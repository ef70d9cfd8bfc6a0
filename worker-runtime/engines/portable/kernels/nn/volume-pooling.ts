import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { inputAt, integersOf, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { largest, pixelsUnder } from "./pooling.js";
import { type WindowDimension, windowDimension } from "./windows.js";

const NANOSECONDS_PER_PIXEL = 10;

/** How windows move over volumes [batch, planes, rows, columns, channels]. */
export interface VolumePooling {
  readonly channelsFirst: boolean;
  readonly window: readonly number[];
  readonly strides: readonly number[];
  readonly padding: string;
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes, UNIMPLEMENTED for pools over batches or channels. */
export function volumePoolingOf(node: KernelNode): VolumePooling {
  const channelsFirst = node.string("data_format") === "NCDHW";
  const [window, strides] = ["ksize", "strides"].map((attr) => {
    const sizes = node.ints(attr);
    if (sizes.length !== 5) {
      throw invalidArgument(`Sliding window ${attr} field must specify 5 dimensions`);
    }
    const [batch, a = 1, b = 1, c = 1, d = 1] = sizes;
    const [channel, ...inner] = channelsFirst ? [a, b, c, d] : [d, a, b, c];
    if (batch !== 1 || channel !== 1) {
      throw unimplemented("Pooling is not yet supported on the batch dimension, nor on the depth dimension.");
    }
    if (inner.some((size) => size <= 0)) {
      throw invalidArgument(`Sliding window ${attr} must be positive: [${sizes.join(", ")}]`);
    }
    return inner;
  });
  return { channelsFirst, window: window ?? [], strides: strides ?? [], padding: node.string("padding") };
}

function toChannelsLast(volumes: Tensor, { channelsFirst }: VolumePooling): Tensor {
  if (volumes.shape.length !== 5) {
    throw invalidArgument(`tensor_in must be 5-dimensional, not ${cppShapeText(volumes.shape)}`);
  }
  return channelsFirst ? transposed(volumes, [0, 2, 3, 4, 1]) : volumes;
}

function fromChannelsLast(volumes: Tensor, { channelsFirst }: VolumePooling): Tensor {
  return channelsFirst ? transposed(volumes, [0, 4, 1, 2, 3]) : volumes;
}

/** The positions of the window over volumes of a shape. */
export interface Positions {
  readonly shape: readonly number[];
  readonly outputShape: readonly number[];
  readonly dimensions: readonly WindowDimension[];
}

/** @param shape in NDHWC order. */
export function positionsOver(
  shape: readonly number[],
  { window, strides, padding }: VolumePooling,
): Positions {
  const dimensions = window.map((size, i) =>
    windowDimension({
      input: shape[i + 1] ?? 0,
      window: size,
      stride: strides[i] ?? 1,
      dilation: 1,
      scheme: padding,
    }),
  );
  const outputShape = [shape[0] ?? 0, ...dimensions.map(({ output }) => output), shape[4] ?? 0];
  return { shape, outputShape, dimensions };
}

/**
 * Calls `visit` for every position of the window in every volume.
 * @param visit receives the indices where the position's channels begin in the result and in the pixels under it.
 */
function forEachPosition(
  { shape, dimensions }: Positions,
  visit: (inResult: number, pixels: readonly number[]) => void,
): void {
  const [batch = 0, , rows = 0, columns = 0, channels = 0] = shape;
  const spans = dimensions.map((dimension) =>
    Array.from({ length: dimension.output }, (_, position) => pixelsUnder(dimension, position)),
  );
  const [planeSpans = [], rowSpans = [], columnSpans = []] = spans;
  let inResult = 0;
  for (let volume = 0; volume < batch; volume += 1) {
    for (const [front, back] of planeSpans) {
      for (const [top, bottom] of rowSpans) {
        for (const [left, right] of columnSpans) {
          const pixels: number[] = [];
          for (let plane = front; plane < back; plane += 1) {
            for (let row = top; row < bottom; row += 1) {
              const start = ((volume * (shape[1] ?? 0) + plane) * rows + row) * columns;
              for (let column = left; column < right; column += 1) {
                pixels.push((start + column) * channels);
              }
            }
          }
          visit(inResult, pixels);
          inResult += channels;
        }
      }
    }
  }
}

/** Computes a channel of the result from the pixels under it, or distributes its gradient to them. */
type AtPosition = (at: number, pixels: readonly number[], channel: number) => void;

function forEachElement(positions: Positions, act: AtPosition): void {
  const channels = positions.shape[4] ?? 0;
  forEachPosition(positions, (inResult, pixels) => {
    for (let channel = 0; channel < channels; channel += 1) {
      act(inResult + channel, pixels, channel);
    }
  });
}

function pool(volumes: Tensor, pooling: VolumePooling, average: boolean): Tensor {
  const positions = positionsOver(volumes.shape, pooling);
  const values = numbersOf(volumes);
  const out = newNumbers(volumes.dtype, positions.outputShape);
  forEachElement(positions, (at, pixels, channel) => {
    out[at] = average ? meanOf(values, pixels, channel) : (values[largest(values, pixels, channel)] ?? 0);
  });
  return new Tensor(volumes.dtype, positions.outputShape, out);
}

function meanOf(values: NumberArray, pixels: readonly number[], channel: number): number {
  let sum = 0;
  for (const pixel of pixels) {
    sum += values[pixel + channel] ?? 0;
  }
  return sum / pixels.length;
}

function add(out: NumberArray, at: number, value: number): void {
  out[at] = (out[at] ?? 0) + value;
}

function checkShape(tensor: Tensor, expected: readonly number[], what: string): void {
  if (!sameShape(tensor.shape, expected)) {
    throw invalidArgument(
      `Expected ${what} shape to be ${cppShapeText(expected)}, but got ${cppShapeText(tensor.shape)}`,
    );
  }
}

/** TensorFlow regards a pixel as the maximum if it differs from the output by less (pooling_ops_3d.cc). */
export const SAME_PIXEL = Math.fround(1e-5);

/**
 * Adds each window's gradient to all its pixels that are the maximum. The second gradient instead reads it from the
 * first pixel that equals the output, or gives 0 if none does. TensorFlow has the same difference.
 */
function maxGradient(pooling: VolumePooling, isSecond: boolean): Compute {
  return (inputs) => {
    const [volumes, output, gradients] = [0, 1, 2].map((i) =>
      toChannelsLast(inputAt(inputs, i), pooling),
    ) as [Tensor, Tensor, Tensor];
    const positions = positionsOver(volumes.shape, pooling);
    checkShape(output, positions.outputShape, "orig_output");
    checkShape(gradients, isSecond ? volumes.shape : positions.outputShape, "grad");
    const [values, largest, given] = [numbersOf(volumes), numbersOf(output), numbersOf(gradients)];
    const shape = isSecond ? positions.outputShape : volumes.shape;
    const out = newNumbers(gradients.dtype, shape);
    forEachElement(positions, (at, pixels, channel) => {
      const top = largest[at] ?? 0;
      if (isSecond) {
        const pixel = pixels.find((one) => values[one + channel] === top);
        out[at] = pixel === undefined ? 0 : (given[pixel + channel] ?? 0);
        return;
      }
      for (const pixel of pixels) {
        if (Math.abs((values[pixel + channel] ?? 0) - top) < SAME_PIXEL) {
          add(out, pixel + channel, given[at] ?? 0);
        }
      }
    });
    return [fromChannelsLast(new Tensor(gradients.dtype, shape, out), pooling)];
  };
}

/** Divides each window's gradient equally among its pixels. */
function averageGradient(pooling: VolumePooling): Compute {
  return (inputs) => {
    const sizes = inputAt(inputs, 0);
    if (sizes.shape.length !== 1 || sizes.size !== 5) {
      throw invalidArgument(
        `orig_input_shape must be 1-dimensional and 5 elements, not ${cppShapeText(sizes.shape)}`,
      );
    }
    const [batch = 0, ...rest] = integersOf(sizes);
    const shape = pooling.channelsFirst ? [batch, ...rest.slice(1), rest[0] ?? 0] : [batch, ...rest];
    const gradients = toChannelsLast(inputAt(inputs, 1), pooling);
    const positions = positionsOver(shape, pooling);
    checkShape(gradients, positions.outputShape, "grad");
    const given = numbersOf(gradients);
    const out = newNumbers(gradients.dtype, shape);
    forEachElement(positions, (at, pixels, channel) => {
      const part = (given[at] ?? 0) / pixels.length;
      for (const pixel of pixels) {
        add(out, pixel + channel, part);
      }
    });
    return [fromChannelsLast(new Tensor(gradients.dtype, shape, out), pooling)];
  };
}

function poolWith(pooling: VolumePooling, average: boolean): Compute {
  return (inputs) => {
    const volumes = toChannelsLast(inputAt(inputs, 0), pooling);
    return [fromChannelsLast(pool(volumes, pooling, average), pooling)];
  };
}

function kernel(
  op: string,
  compute: (pooling: VolumePooling) => Compute,
  priority = 0,
): PureKernelDefinition {
  return pureKernel(op, (node) => withSmallFloats(compute(volumePoolingOf(node))), {
    types: { T: allFloatTypes, ...(op === "MaxPool3DGrad" ? { TInput: allFloatTypes } : {}) },
    priority,
    // Every pixel is read once for each window that covers it.
    cost: (node, inputs) =>
      Math.max(...inputs.map(({ size }) => size)) *
      node
        .ints("ksize")
        .reduce((product, size, i) => product * Math.max(1, size / (node.ints("strides")[i] ?? 1)), 1) *
      NANOSECONDS_PER_PIXEL,
  });
}

/** Pooling of volumes, and its gradients. */
export const volumePoolingKernels: readonly PureKernelDefinition[] = [
  kernel("MaxPool3D", (pooling) => poolWith(pooling, false)),
  kernel("AvgPool3D", (pooling) => poolWith(pooling, true)),
  kernel("MaxPool3DGrad", (pooling) => maxGradient(pooling, false)),
  kernel("MaxPool3DGradGrad", (pooling) => maxGradient(pooling, true)),
  kernel("AvgPool3DGrad", averageGradient),
];
