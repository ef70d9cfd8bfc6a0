import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { inputAt, integersOf, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { imageSizes, newPixels, perResizedElement, pixelsOf, pixelTensor } from "./pixels.js";

const { fround } = Math;

/** Maps a coordinate into an image of `length` pixels. */
type Edge = (coordinate: number, length: number) => number;

const within = (coordinate: number, length: number) => Math.min(Math.max(coordinate, 0), length - 1);

/** The image repeatedly mirrored at its edges: dcba|abcd|dcba. */
const reflect: Edge = (coordinate, length) => {
  if (length <= 1) {
    return 0;
  }
  const period = 2 * length;
  if (coordinate < 0) {
    const moved =
      coordinate < period ? fround(period * Math.trunc(-coordinate / period) + coordinate) : coordinate;
    return within(moved < -length ? moved + period : -moved - 1, length);
  }
  const moved = fround(coordinate - period * Math.trunc(coordinate / period));
  return within(moved >= length ? period - moved - 1 : moved, length);
};

/** The image again and again: abcd|abcd|abcd. */
const wrap: Edge = (coordinate, length) => {
  if (length <= 1) {
    return 0;
  }
  if (coordinate < 0) {
    return within(fround(coordinate + length * (Math.trunc(-coordinate / (length - 1)) + 1)), length);
  }
  return within(
    coordinate > length - 1
      ? fround(coordinate - length * Math.trunc(coordinate / (length - 1)))
      : coordinate,
    length,
  );
};

const edges: Readonly<Record<string, Edge>> = {
  CONSTANT: (coordinate) => coordinate,
  NEAREST: within,
  REFLECT: reflect,
  WRAP: wrap,
};

/** Rounds to the nearest integer, ties away from zero. */
function rounded(coordinate: number): number {
  return Math.sign(coordinate) * Math.floor(Math.abs(coordinate) + 0.5);
}

interface Options {
  readonly bilinear: boolean;
  readonly edge: Edge;
}

function optionsOf(node: KernelNode): Options {
  const interpolation = node.string("interpolation");
  if (interpolation !== "NEAREST" && interpolation !== "BILINEAR") {
    throw invalidArgument(`Invalid interpolation ${interpolation}. Supported types: NEAREST, BILINEAR`);
  }
  const mode = node.string("fill_mode");
  const edge = edges[mode];
  if (edge === undefined) {
    throw invalidArgument(`Invalid mode ${mode}. Supported types: REFLECT, WRAP, CONSTANT, NEAREST`);
  }
  return { bilinear: interpolation === "BILINEAR", edge };
}

function project(
  images: Tensor,
  transforms: Tensor,
  outputShape: Tensor,
  fill: number,
  { bilinear, edge }: Options,
): Tensor {
  const { batch, height, width, channels } = imageSizes(images, "input images");
  const [count = 0, eight] = transforms.shape;
  if (transforms.shape.length !== 2 || eight !== 8 || (count !== 1 && count !== batch)) {
    throw invalidArgument("Input transform should be num_images x 8 or 1 x 8");
  }
  const [outHeight = 0, outWidth = 0] = integersOf(outputShape);
  if (outputShape.shape.length !== 1 || outputShape.size !== 2) {
    throw invalidArgument(
      `output shape must be 1-dimensional with 2 elements, got shape ${cppShapeText(outputShape.shape)}`,
    );
  }
  if (outHeight <= 0 || outWidth <= 0) {
    throw invalidArgument("output dimensions must be positive");
  }
  const pixels = pixelsOf(images);
  const shape = [batch, outHeight, outWidth, channels];
  const out = newPixels(shape, images.dtype);
  const matrices = numbersOf(transforms);
  let at = 0;
  for (let image = 0; image < batch; image += 1) {
    const first = count === 1 ? 0 : image * 8;
    const t = matrices.subarray(first, first + 8);
    const read = (y: number, x: number, channel: number): number =>
      y >= 0 && y < height && x >= 0 && x < width
        ? (pixels[((image * height + y) * width + x) * channels + channel] as number)
        : fill;
    for (let i = 0; i < outHeight; i += 1) {
      for (let j = 0; j < outWidth; j += 1) {
        const [y, x] = sourceOf(t, i, j);
        const row = edge(y, height);
        const column = edge(x, width);
        const known = Number.isFinite(row) && Number.isFinite(column);
        for (let channel = 0; channel < channels; channel += 1) {
          out[at] = !known
            ? fill
            : bilinear
              ? between(read, row, column, channel)
              : read(rounded(row), rounded(column), channel);
          at += 1;
        }
      }
    }
  }
  return pixelTensor(images.dtype, shape, out);
}

/** The source of a pixel: (ax + by + c) / k and (dx + ey + f) / k, k = gx + hy + 1; NaN where k is 0. */
function sourceOf(t: ArrayLike<number>, y: number, x: number): readonly [y: number, x: number] {
  const value = (index: number) => t[index] as number;
  const projection = fround(fround(value(6) * x + value(7) * y) + 1);
  if (projection === 0) {
    return [Number.NaN, Number.NaN];
  }
  return [
    fround(fround(value(3) * x + value(4) * y + value(5)) / projection),
    fround(fround(value(0) * x + value(1) * y + value(2)) / projection),
  ];
}

/** The weighted mean of two values, rounded at every step: truncation to integers would expose any difference. */
function mean(a: number, weightOfA: number, b: number, weightOfB: number): number {
  return fround(fround(fround(weightOfA) * fround(a)) + fround(fround(weightOfB) * fround(b)));
}

/** The weighted mean of the four nearest pixels. */
function between(
  read: (y: number, x: number, channel: number) => number,
  y: number,
  x: number,
  channel: number,
): number {
  const [top, left] = [Math.floor(y), Math.floor(x)];
  const line = (row: number) =>
    mean(read(row, left, channel), left + 1 - x, read(row, left + 1, channel), x - left);
  return mean(line(top), top + 1 - y, line(top + 1), y - top);
}

const types: readonly DType[] = ["uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"];

function kernel(op: string, fillOf: (inputs: readonly Tensor[]) => number): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const options = optionsOf(node);
      return (inputs) => [
        project(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), fillOf(inputs), options),
      ];
    },
    { types: { dtype: types }, cost: perResizedElement(60, 2) },
  );
}

/** Applies projective transforms, which map each output pixel to its source. */
export const projectiveTransformKernels: readonly PureKernelDefinition[] = [
  kernel("ImageProjectiveTransformV2", () => 0),
  kernel("ImageProjectiveTransformV3", (inputs) => numbersOf(inputAt(inputs, 3))[0] ?? 0),
];
