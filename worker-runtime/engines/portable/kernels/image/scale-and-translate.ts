import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { realTypes } from "../support/dtypes.js";
import { inputAt, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { imageSizes, newSize, pixelsOf } from "./pixels.js";
import {
  newTaps,
  resizeWeighted,
  spreadWeighted,
  type Taps,
  weightedCost,
  weightedGradientCost,
} from "./weighted-resize.js";

const { fround } = Math;

/** The weight of a pixel by its distance; 0 beyond the radius. */
interface Filter {
  readonly radius: number;
  weight(distance: number): number;
}

function lanczos(radius: number): Filter {
  return {
    radius,
    weight: (x) =>
      x > radius
        ? 0
        : x <= 1e-3
          ? 1
          : (radius * Math.sin(Math.PI * x) * Math.sin((Math.PI * x) / radius)) / (Math.PI * x) ** 2,
  };
}

const GAUSSIAN_RADIUS = 1.5;

const filters: Readonly<Record<string, Filter>> = {
  lanczos1: lanczos(1),
  lanczos3: lanczos(3),
  lanczos5: lanczos(5),
  gaussian: {
    radius: GAUSSIAN_RADIUS,
    // The standard deviation is a third of the radius.
    weight: (x) => (x >= GAUSSIAN_RADIUS ? 0 : Math.exp(-((x / (GAUSSIAN_RADIUS / 3)) ** 2) / 2)),
  },
  box: { radius: 0.5, weight: (x) => (x < 0.5 ? 1 : x === 0.5 ? 0.5 : 0) },
  triangle: { radius: 1, weight: (x) => (x < 1 ? 1 - x : 0) },
  keyscubic: {
    radius: 2,
    weight: (x) => (x >= 2 ? 0 : x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1),
  },
  mitchellcubic: {
    radius: 2,
    weight: (x) =>
      x >= 2
        ? 0
        : x >= 1
          ? (((-7 / 18) * x + 2) * x - 10 / 3) * x + 16 / 9
          : ((7 / 6) * x - 2) * x * x + 8 / 9,
  },
};

interface Side {
  readonly original: number;
  readonly resized: number;
  readonly scale: number;
  readonly translation: number;
}

/** @param antialias whether, when downscaling, each pixel averages all the pixels that it covers. */
function tapsOf({ original, resized, scale, translation }: Side, filter: Filter, antialias: boolean): Taps {
  const inverse = fround(1 / scale);
  const shift = fround(-inverse * translation);
  const stretch = antialias ? Math.max(inverse, 1) : 1;
  const reach = fround(filter.radius * stretch);
  const taps = newTaps(resized, Math.min(2 * Math.ceil(reach) + 1, original));
  const within = (index: number) => Math.min(Math.max(index, 0), original - 1);
  for (let i = 0; i < resized; i += 1) {
    const sample = fround(fround((i + 0.5) * inverse) + shift);
    if (!(sample >= 0 && sample <= original)) {
      continue;
    }
    const first = within(Math.ceil(fround(sample - reach - 0.5)));
    const last = within(Math.floor(fround(sample + reach - 0.5)));
    const start = i * taps.taps;
    let sum = 0;
    for (let index = first; index <= last; index += 1) {
      const weight = filter.weight(Math.abs(fround(index + 0.5 - sample) / stretch));
      taps.indexes[start + index - first] = index;
      taps.weights[start + index - first] = weight;
      sum += weight;
    }
    if (Math.abs(sum) >= 1e-35) {
      for (let tap = start; tap < start + taps.taps; tap += 1) {
        taps.weights[tap] = (taps.weights[tap] as number) / sum;
      }
    }
  }
  return taps;
}

/** For rows and columns. @throws TensorFlowError INVALID_ARGUMENT */
function twoNumbers(input: Tensor, what: string): readonly [number, number] {
  const [rows = 0, columns = 0] = numbersOf(input);
  if (input.shape.length !== 1 || input.size !== 2) {
    throw invalidArgument(`${what} must have two elements${cppShapeText(input.shape)}`);
  }
  return [rows, columns];
}

function scaleOf(input: Tensor): readonly [number, number] {
  const scale = twoNumbers(input, "scale");
  if (!(scale[0] > 0 && scale[1] > 0)) {
    throw invalidArgument("Scale must be greater than zero.");
  }
  return scale;
}

interface Options {
  readonly filter: Filter;
  readonly antialias: boolean;
}

function optionsOf(node: KernelNode): Options {
  const kernel = node.string("kernel_type").toLowerCase();
  const filter = filters[kernel];
  if (filter === undefined) {
    throw invalidArgument(`Unrecognized kernel type: ${kernel}`);
  }
  return { filter, antialias: node.bool("antialias") };
}

type Lengths = readonly [height: number, width: number];

/** The taps of rows and of columns. */
function bothTaps(
  original: Lengths,
  resized: Lengths,
  scale: Lengths,
  translation: Lengths,
  { filter, antialias }: Options,
): readonly [Taps, Taps] {
  const side = (axis: 0 | 1) =>
    tapsOf(
      {
        original: original[axis],
        resized: resized[axis],
        scale: scale[axis],
        translation: translation[axis],
      },
      filter,
      antialias,
    );
  return [side(0), side(1)];
}

const NANOS_PER_ELEMENT = 25;

/** Scales and translates images: pixel (y, x) of the original becomes (y · scale + translation, …). */
export const scaleAndTranslateKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "ScaleAndTranslate",
    (node) => {
      const options = optionsOf(node);
      return (inputs) => {
        const images = inputAt(inputs, 0);
        const sizes = imageSizes(images, "input");
        const size = newSize(inputAt(inputs, 1));
        if (sizes.height === 0 || sizes.width === 0) {
          throw invalidArgument("input image must be of non-zero size");
        }
        const scale = scaleOf(inputAt(inputs, 2));
        const translation = twoNumbers(inputAt(inputs, 3), "translation");
        const [rows, columns] = bothTaps([sizes.height, sizes.width], size, scale, translation, options);
        const pixels = resizeWeighted(pixelsOf(images), sizes, rows, columns);
        return [new Tensor("float32", [sizes.batch, ...size, sizes.channels], pixels)];
      };
    },
    {
      types: { T: realTypes },
      cost: weightedCost(NANOS_PER_ELEMENT),
    },
  ),
  pureKernel(
    "ScaleAndTranslateGrad",
    (node) => {
      const options = optionsOf(node);
      return (inputs) => {
        const gradients = inputAt(inputs, 0);
        const resized = imageSizes(gradients, "input_grad");
        const { height, width } = imageSizes(inputAt(inputs, 1), "original_image");
        const scale = scaleOf(inputAt(inputs, 2));
        const translation = twoNumbers(inputAt(inputs, 3), "translation");
        const size = [resized.height, resized.width] as const;
        const [rows, columns] = bothTaps([height, width], size, scale, translation, options);
        const spread = spreadWeighted(
          numbersOf(gradients),
          { ...resized, height, width },
          rows,
          columns,
          "float32",
        );
        return [new Tensor("float32", [resized.batch, height, width, resized.channels], spread)];
      };
    },
    { types: { T: ["float32"] }, cost: weightedGradientCost(NANOS_PER_ELEMENT) },
  ),
];
