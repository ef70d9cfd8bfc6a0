import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { type Cost, pureKernel } from "../support/define.js";
import { indexTypes, isLong } from "../support/dtypes.js";
import { indicesOf, inputAt, integerTensor, newNumbers, numbersOf } from "../support/elements.js";

/** The numbers of a scalar or vector of any dtype. @throws TensorFlowError INVALID_ARGUMENT */
function vectorOf(input: Tensor, what: string): ArrayLike<number> {
  if (input.shape.length > 1) {
    throw invalidArgument(`${what} must be a scalar or vector`);
  }
  return isLong(input.dtype) ? indicesOf(input) : numbersOf(input);
}

/** How many numbers, starting at `start`, lie before `limit`. @throws TensorFlowError INVALID_ARGUMENT */
function lengthOf(start: number, limit: number, delta: number): number {
  if (delta === 0) {
    throw invalidArgument("Requires delta != 0");
  }
  if (delta > 0 ? limit < start : limit > start) {
    return 0;
  }
  const length = Math.ceil(Math.abs((limit - start) / delta));
  if (!(length <= Number.MAX_SAFE_INTEGER)) {
    throw invalidArgument("Requires ((limit - start) / delta) <= 9223372036854775807");
  }
  return length;
}

/** Overhead per row, and cost per number, which may have to be converted to a bigint. */
const NANOS_PER_ROW = 300;
const NANOS_PER_NUMBER = 20;
const NANOS_PER_LONG = 80;
/** This many rows take long whatever they hold, so their numbers are not counted. */
const MANY_ROWS = 50_000;

const cost: Cost = (_, inputs) => {
  const [starts, limits, deltas] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const rows = Math.max(starts.size, limits.size, deltas.size);
  let count = 0;
  for (let row = 0; row < rows && rows <= MANY_ROWS; row += 1) {
    const [start, limit, delta] = [starts, limits, deltas].map(({ data, shape }) =>
      Number(data[shape.length === 1 ? row : 0] ?? 0),
    );
    count += Math.max(0, ((limit ?? 0) - (start ?? 0)) / (delta || 1));
  }
  return rows * NANOS_PER_ROW + count * (isLong(starts.dtype) ? NANOS_PER_LONG : NANOS_PER_NUMBER);
};

/** A row of evenly spaced numbers for each start. */
export const raggedRangeKernel: PureKernelDefinition = pureKernel(
  "RaggedRange",
  (node) => {
    const splitType = node.type("Tsplits");
    return (inputs) => {
      const names = ["starts", "limits", "deltas"];
      const tensors = names.map((_, i) => inputAt(inputs, i));
      const lists = tensors.map((input, i) => vectorOf(input, names[i] ?? ""));
      const sizes = tensors.filter(({ shape }) => shape.length === 1).map(({ size }) => size);
      const count = sizes[0] ?? 1;
      if (sizes.some((size) => size !== count)) {
        throw invalidArgument("starts, limits, and deltas must have the same shape");
      }
      const [starts, limits, deltas] = tensors.map((input, i) => (row: number) => {
        const list = lists[i] ?? [];
        return list[input.shape.length === 1 ? row : 0] ?? 0;
      });
      const splits = [0];
      for (let row = 0; row < count; row += 1) {
        const length = lengthOf(starts?.(row) ?? 0, limits?.(row) ?? 0, deltas?.(row) ?? 0);
        splits.push((splits.at(-1) ?? 0) + length);
      }
      const { dtype } = inputAt(inputs, 0);
      const total = splits.at(-1) ?? 0;
      const values = newNumbers(isLong(dtype) ? "float64" : dtype, [total]);
      for (let row = 0; row < count; row += 1) {
        const [first, end] = [splits[row] ?? 0, splits[row + 1] ?? 0];
        // Each is computed from the one before, so that floats round as in TensorFlow.
        for (let i = first; i < end; i += 1) {
          values[i] = i === first ? (starts?.(row) ?? 0) : (values[i - 1] as number) + (deltas?.(row) ?? 0);
        }
      }
      return [
        integerTensor(splitType, [splits.length], splits),
        isLong(dtype) ? integerTensor(dtype, [total], values) : new Tensor(dtype, [total], values),
      ];
    };
  },
  { types: { T: ["float32", "float64", "int32", "int64"], Tsplits: indexTypes }, cost },
);
