import { dtypeKind } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { imagePixel, type WindowGeometry, windowDimension } from "./windows.js";

interface DilationAttributes {
  readonly strides: readonly number[];
  readonly rates: readonly number[];
  readonly padding: string;
}

/** @throws TensorFlowError INVALID_ARGUMENT for strides or rates over batches or channels. */
function attributesOf(node: KernelNode): DilationAttributes {
  const [strides, rates] = [node.ints("strides"), node.ints("rates")];
  for (const [name, sizes] of Object.entries({ strides, rates })) {
    if (sizes.length !== 4) {
      throw invalidArgument(`Sliding window ${name} field must specify 4 dimensions`);
    }
    if (sizes[0] !== 1 || sizes[3] !== 1) {
      throw invalidArgument(`${name} in the batch and depth dimensions must be 1`);
    }
    if (sizes.some((size) => size < 1)) {
      throw invalidArgument(`${name} must be positive`);
    }
  }
  return { strides, rates, padding: node.string("padding") };
}

/** Images [batch, rows, columns, channels], a filter [rows, columns, channels], and how it moves over them. */
interface Dilation extends WindowGeometry {
  readonly input: Tensor;
  readonly filter: Tensor;
  readonly outputShape: readonly number[];
}

function dilationOf(
  input: Tensor,
  filter: Tensor,
  { strides, rates, padding }: DilationAttributes,
): Dilation {
  const [batch = 0, height = 0, width = 0, channels = 0] = input.shape;
  const [filterHeight = 0, filterWidth = 0, filterChannels] = filter.shape;
  if (input.shape.length !== 4) {
    throw invalidArgument(`input must be 4-dimensional${cppShapeText(input.shape)}`);
  }
  if (filter.shape.length !== 3) {
    throw invalidArgument(`filter must be 3-dimensional: ${cppShapeText(filter.shape)}`);
  }
  if (filterChannels !== channels) {
    throw invalidArgument(`input and filter must have the same depth: ${channels} vs ${filterChannels}`);
  }
  const dimension = (axis: 1 | 2, size: number, window: number) =>
    windowDimension({
      input: size,
      window,
      stride: strides[axis] ?? 1,
      dilation: rates[axis] ?? 1,
      scheme: padding,
    });
  const rows = dimension(1, height, filterHeight);
  const columns = dimension(2, width, filterWidth);
  return { input, filter, rows, columns, outputShape: [batch, rows.output, columns.output, channels] };
}

/**
 * Visits each element of the output with the largest sum of a pixel and the filter above it.
 * @param visit receives the index in the output, the sum, and the indices of its terms in the input and filter.
 */
function forEachMaximum(
  { input, filter, rows, columns, outputShape }: Dilation,
  visit: (out: number, value: number, pixel: number, weight: number) => void,
): void {
  const [batch = 0, , , channels = 0] = outputShape;
  const [pixels, weights] = [numbersOf(input), numbersOf(filter)];
  // If no sum exceeds this, the maximum is attributed to the window's first pixel, as in TensorFlow.
  const lowest = dtypeKind(input.dtype) === "uint" ? 0 : -Infinity;
  let out = 0;
  for (let image = 0; image < batch; image += 1) {
    for (let y = 0; y < rows.output; y += 1) {
      for (let x = 0; x < columns.output; x += 1) {
        for (let channel = 0; channel < channels; channel += 1) {
          const [top, left] = [Math.max(0, imagePixel(rows, y, 0)), Math.max(0, imagePixel(columns, x, 0))];
          const first = ((image * rows.input + top) * columns.input + left) * channels + channel;
          let [best, bestPixel, bestWeight] = [lowest, first, channel];
          for (let i = 0; i < rows.window; i += 1) {
            const row = imagePixel(rows, y, i);
            for (let j = 0; j < columns.window && row >= 0 && row < rows.input; j += 1) {
              const column = imagePixel(columns, x, j);
              if (column < 0 || column >= columns.input) {
                continue;
              }
              const pixel = ((image * rows.input + row) * columns.input + column) * channels + channel;
              const weight = (i * columns.window + j) * channels + channel;
              const sum = (pixels[pixel] as number) + (weights[weight] as number);
              if (sum > best) {
                [best, bestPixel, bestWeight] = [sum, pixel, weight];
              }
            }
          }
          visit(out, best, bestPixel, bestWeight);
          out += 1;
        }
      }
    }
  }
}

function dilate(dilation: Dilation): Tensor {
  const { dtype } = dilation.input;
  const out = newNumbers(dtype, dilation.outputShape);
  forEachMaximum(dilation, (index, value) => {
    out[index] = value;
  });
  return new Tensor(dtype, dilation.outputShape, out);
}

/** The gradient of the input or the filter: each value is added to the element that gave the maximum. */
function gradient(dilation: Dilation, incoming: Tensor, by: "input" | "filter"): Tensor {
  if (!sameShape(incoming.shape, dilation.outputShape)) {
    throw invalidArgument(
      `out_backprop has incompatible size: ${cppShapeText(incoming.shape)} vs. ${cppShapeText(dilation.outputShape)}`,
    );
  }
  const target = dilation[by];
  const out = newNumbers(target.dtype, target.shape);
  const changes = numbersOf(incoming);
  forEachMaximum(dilation, (index, _, pixel, weight) => {
    const to = by === "input" ? pixel : weight;
    out[to] = (out[to] as number) + (changes[index] as number);
  });
  return new Tensor(target.dtype, target.shape, out);
}

const options = {
  types: { T: [...allFloatTypes, ...shortIntTypes] },
  // As if no pixel were skipped.
  cost: (_: unknown, inputs: readonly Tensor[]) => {
    const [input, filter] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    return (input.size * filter.size * 5) / Math.max(1, input.shape.at(-1) ?? 1);
  },
};

function kernel(
  op: string,
  compute: (dilation: Dilation, inputs: readonly Tensor[]) => Tensor,
): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const attributes = attributesOf(node);
      return withSmallFloats((inputs) => [
        compute(dilationOf(inputAt(inputs, 0), inputAt(inputs, 1), attributes), inputs),
      ]);
    },
    options,
  );
}

/** Grayscale dilation: the largest sum of a pixel and a filter that moves over it. */
export const dilationKernels: readonly PureKernelDefinition[] = [
  kernel("Dilation2D", dilate),
  kernel("Dilation2DBackpropInput", (dilation, inputs) => gradient(dilation, inputAt(inputs, 2), "input")),
  kernel("Dilation2DBackpropFilter", (dilation, inputs) => gradient(dilation, inputAt(inputs, 2), "filter")),
];
