import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { accumulator } from "../support/accumulate.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { floatTypes, indexTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { castTo } from "./cast.js";

function binCount(sizeInput: Tensor): number {
  if (sizeInput.size !== 1) {
    throw invalidArgument(`Shape must be rank 0 but is rank ${sizeInput.shape.length}`);
  }
  const size = integersOf(sizeInput)[0] ?? 0;
  if (size < 0) {
    throw invalidArgument(`size (${size}) must be non-negative`);
  }
  return size;
}

/**
 * Adds weights (1 each if there are none) by value; values beyond the bins are ignored.
 * @param rows each row is counted separately.
 */
function countValues(
  values: Tensor,
  size: number,
  weights: Tensor,
  rows: number,
  binary: boolean,
  shape: readonly number[],
): Tensor {
  const data = allocate(weights.dtype, shape);
  const list = indicesOf(values);
  const one = castTo(Tensor.of(1, "int32"), weights.dtype);
  const weighted = weights.size > 0 && !binary;
  const apply = accumulator(binary ? "set" : "add", weights.dtype, data, weighted ? weights.data : one.data);
  const perRow = rows === 0 ? 0 : list.length / rows;
  for (let i = 0; i < list.length; i += 1) {
    const value = list[i] as number;
    if (value < 0) {
      throw invalidArgument("Input arr must be non-negative!");
    }
    if (value < size) {
      apply(Math.floor(i / perRow) * size + value, weighted ? i : 0, 1);
    }
  }
  return new Tensor(weights.dtype, shape, data);
}

function checkWeights(values: Tensor, weights: Tensor): void {
  if (weights.size > 0 && !sameShape(values.shape, weights.shape)) {
    throw invalidArgument(
      `Input indices and weights must have the same size. Received ${cppShapeText(values.shape)} and ${cppShapeText(weights.shape)}`,
    );
  }
}

function denseBincount(inputs: readonly Tensor[], binary: boolean): Tensor {
  const [values, weights] = [inputAt(inputs, 0), inputAt(inputs, 2)];
  const size = binCount(inputAt(inputs, 1));
  if (values.shape.length > 2) {
    throw invalidArgument(`Shape must be at most rank 2 but is rank ${values.shape.length}`);
  }
  checkWeights(values, weights);
  const [rows, shape] =
    values.shape.length === 2 ? [values.shape[0] ?? 0, [values.shape[0] ?? 0, size]] : [1, [size]];
  return countValues(values, size, weights, rows, binary, shape);
}

function histogram(values: Tensor, rangeInput: Tensor, binsInput: Tensor, dtype: DType): Tensor {
  if (rangeInput.shape.length !== 1 || rangeInput.size !== 2) {
    throw invalidArgument(
      `value_range should be a vector of 2 elements, got shape ${cppShapeText(rangeInput.shape)}`,
    );
  }
  if (binsInput.shape.length !== 0) {
    throw invalidArgument(`nbins should be a scalar, got shape ${cppShapeText(binsInput.shape)}`);
  }
  const [low = 0, high = 0] = numbersOf(castTo(rangeInput, "float64"));
  const bins = integersOf(binsInput)[0] ?? 0;
  if (!(low < high)) {
    throw invalidArgument(
      `value_range should satisfy value_range[0] < value_range[1], but got '[${low}, ${high}]'`,
    );
  }
  if (bins <= 0) {
    throw invalidArgument(`nbins should be a positive number, but got '${bins}'`);
  }
  const step = (high - low) / bins;
  const counts = newNumbers("int32", [bins]);
  for (const value of numbersOf(castTo(values, "float64"))) {
    const bin = Math.min(Math.max(Math.trunc((value - low) / step), 0), bins - 1);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return castTo(new Tensor("int32", [bins], counts), dtype);
}

/** For each value, the number of boundaries that are not above it. */
function bucketize(input: Tensor, boundaries: readonly number[]): Tensor {
  const values = numbersOf(castTo(input, "float64"));
  const out = newNumbers("int32", input.shape);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number;
    let [low, high] = [0, boundaries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value < (boundaries[middle] as number)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    out[i] = low;
  }
  return new Tensor("int32", input.shape, out);
}

/** Ops that count values. */
export const countingKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Bincount",
    () => (inputs) => {
      const [values, weights] = [inputAt(inputs, 0), inputAt(inputs, 2)];
      const size = binCount(inputAt(inputs, 1));
      checkWeights(values, weights);
      return [countValues(values, size, weights, 1, false, [size])];
    },
    { types: { T: [...floatTypes, ...indexTypes] } },
  ),
  pureKernel(
    "DenseBincount",
    (node) => {
      const binary = node.bool("binary_output");
      return (inputs) => [denseBincount(inputs, binary)];
    },
    { types: { Tidx: indexTypes, T: [...floatTypes, ...indexTypes] } },
  ),
  pureKernel(
    "HistogramFixedWidth",
    (node) => {
      const dtype = node.type("dtype");
      return (inputs) => [histogram(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), dtype)];
    },
    { types: { T: [...floatTypes, ...indexTypes], dtype: indexTypes } },
  ),
  pureKernel(
    "Bucketize",
    (node) => {
      const boundaries = node.floats("boundaries");
      if (boundaries.some((value, i) => i > 0 && value < (boundaries[i - 1] ?? value))) {
        throw invalidArgument("Expected sorted boundaries");
      }
      return (inputs) => [bucketize(inputAt(inputs, 0), boundaries)];
    },
    { types: { T: [...floatTypes, ...indexTypes] } },
  ),
];
