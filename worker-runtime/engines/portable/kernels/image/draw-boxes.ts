import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { inputAt, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { imageSizes } from "./pixels.js";

/** The default colors of successive boxes: red, green, blue and opacity. */
const defaultColors: readonly (readonly number[])[] = [
  [1, 1, 0, 1],
  [0, 0, 1, 1],
  [1, 0, 0, 1],
  [0, 1, 0, 1],
  [0.5, 0, 0.5, 1],
  [0.5, 0.5, 0, 1],
  [0.5, 0, 0, 1],
  [0, 0, 0.5, 1],
  [0, 1, 1, 1],
  [1, 0, 1, 1],
];

/** @throws TensorFlowError INVALID_ARGUMENT for colors of too few channels. */
function colorsOf(input: Tensor | undefined, channels: number): readonly ArrayLike<number>[] {
  if (input === undefined || input.size === 0) {
    // The first channel of a gray image is its brightness.
    return channels === 1 ? [[1]] : defaultColors;
  }
  const [count = 0, width = 0] = input.shape;
  if (input.shape.length !== 2) {
    throw invalidArgument(`colors must be a 2-D matrix${cppShapeText(input.shape)}`);
  }
  if (width < channels) {
    throw invalidArgument(
      `colors must have equal or more channels than the image provided: ${cppShapeText(input.shape)}`,
    );
  }
  const values = numbersOf(input);
  return Array.from({ length: count }, (_, i) => values.subarray(i * width, (i + 1) * width));
}

function draw(images: Tensor, boxes: Tensor, colorInput: Tensor | undefined): Tensor {
  const { batch, height, width, channels } = imageSizes(images, "images");
  const [, count = 0, four] = boxes.shape;
  if (boxes.shape.length !== 3 || boxes.shape[0] !== batch || four !== 4) {
    throw invalidArgument(`The size of the boxes must be [${batch}, n, 4]: ${cppShapeText(boxes.shape)}`);
  }
  if (channels !== 1 && channels !== 3 && channels !== 4) {
    throw invalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  const colors = colorsOf(colorInput, channels);
  const out = numbersOf(images).slice();
  const corners = numbersOf(boxes);
  for (let i = 0; i < batch * count; i += 1) {
    const edge = (at: number, size: number) => Math.trunc((corners[4 * i + at] as number) * (size - 1));
    const [top, left, bottom, right] = [edge(0, height), edge(1, width), edge(2, height), edge(3, width)];
    const visible =
      top <= bottom && left <= right && top < height && bottom >= 0 && left < width && right >= 0;
    if (!visible) {
      continue;
    }
    const color = colors[(i % count) % colors.length] ?? [];
    const image = Math.floor(i / count) * height;
    const paint = (y: number, x: number) => {
      for (let channel = 0; channel < channels; channel += 1) {
        out[((image + y) * width + x) * channels + channel] = color[channel] ?? 0;
      }
    };
    for (let x = Math.max(left, 0); x <= Math.min(right, width - 1); x += 1) {
      if (top >= 0) paint(top, x);
      if (bottom < height) paint(bottom, x);
    }
    for (let y = Math.max(top, 0); y <= Math.min(bottom, height - 1); y += 1) {
      if (left >= 0) paint(y, left);
      if (right < width) paint(y, right);
    }
  }
  return new Tensor(images.dtype, images.shape, out);
}

/** For copying the images, and for all channels of a pixel of an edge as wide as the image. */
const NANOS_PER_ELEMENT = 4;
const NANOS_PER_BOX = 400;
const NANOS_PER_EDGE_PIXEL = 30;

const options = {
  types: { T: ["float32", "float16"] as const },
  cost: (_: unknown, inputs: readonly Tensor[]): number => {
    const [images, boxes] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const [, height = 0, width = 0] = images.shape;
    const perBox = NANOS_PER_BOX + 2 * (height + width) * NANOS_PER_EDGE_PIXEL;
    return images.size * NANOS_PER_ELEMENT + (boxes.size / 4) * perBox;
  },
};

/** Images with the edges of boxes drawn into them. */
export const drawBoxKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "DrawBoundingBoxes",
    () => withSmallFloats((inputs) => [draw(inputAt(inputs, 0), inputAt(inputs, 1), undefined)]),
    options,
  ),
  pureKernel(
    "DrawBoundingBoxesV2",
    () => withSmallFloats((inputs) => [draw(inputAt(inputs, 0), inputAt(inputs, 1), inputs[2])]),
    options,
  ),
];
