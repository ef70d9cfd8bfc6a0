import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement, zeros } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { accumulator } from "../support/accumulate.js";
import { allocate } from "../support/allocation.js";
import { perElement, perResult, pureKernel, withSmallFloats } from "../support/define.js";
import { indexTypes, numberTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { copyStrided, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";
import { takeAlong } from "./gather.js";

/** The number of elements added before and after those of an axis. */
export type Padding = readonly [before: number, after: number];

/**
 * @throws TensorFlowError INVALID_ARGUMENT unless it is a matrix with two non-negative numbers for each dimension.
 */
function paddingsOf(paddings: Tensor, shape: readonly number[]): Padding[] {
  const rank = shape.length;
  if (paddings.shape.length !== 2 || paddings.shape[1] !== 2) {
    throw invalidArgument(`paddings must be a matrix with 2 columns: ${cppShapeText(paddings.shape)}`);
  }
  if (paddings.shape[0] !== rank) {
    throw invalidArgument(
      `The first dimension of paddings must be the rank of inputs${cppShapeText(paddings.shape)} ${cppShapeText(shape)}`,
    );
  }
  const list = integersOf(paddings);
  return Array.from({ length: rank }, (_, axis): Padding => {
    const [before, after] = [list[2 * axis] ?? 0, list[2 * axis + 1] ?? 0];
    if (before < 0 || after < 0) {
      throw invalidArgument(`Paddings must be non-negative: ${before} ${after}`);
    }
    return [before, after];
  });
}

/** A tensor with copies of `value`, a scalar, around it. */
export function padded(input: Tensor, paddings: readonly Padding[], value: Tensor): Tensor {
  if (paddings.every(([before, after]) => before === 0 && after === 0)) {
    return input;
  }
  const shape = input.shape.map(
    (size, axis) => size + (paddings[axis]?.[0] ?? 0) + (paddings[axis]?.[1] ?? 0),
  );
  const out = gatherStrided(value, shape, { offset: 0, strides: shape.map(() => 0) });
  const strides = stridesOf(shape);
  copyStrided(
    input.shape,
    wordsOf(out.dtype, out.data),
    { offset: strides.reduce((sum, stride, axis) => sum + stride * (paddings[axis]?.[0] ?? 0), 0), strides },
    wordsOf(input.dtype, input.data),
    { offset: 0, strides: stridesOf(input.shape) },
  );
  return out;
}

/** For each index of the padded axis, the index of the element in the input: mirrored at the borders. */
function mirroredIndices(size: number, [before, after]: Padding, skip: number): number[] {
  const limit = size - skip;
  if (before > limit || after > limit) {
    throw invalidArgument(
      skip === 0
        ? `paddings must be no greater than the dimension size: ${before}, ${after} greater than ${size}`
        : `paddings must be less than the dimension size: ${before}, ${after} not less than ${size}`,
    );
  }
  return Array.from({ length: before + size + after }, (_, i) => {
    const at = i - before;
    if (at < 0) {
      return -at - 1 + skip;
    }
    return at < size ? at : 2 * size - 1 - skip - at;
  });
}

/** "REFLECT" excludes the border itself from the mirror image, "SYMMETRIC" includes it. */
function skipOf(mode: string): number {
  return mode === "REFLECT" ? 1 : 0;
}

/** Sums elements that a mirrored axis repeated: the gradient of `takeAlong` with these indices. */
function foldAlong(input: Tensor, axis: number, size: number, indices: readonly number[]): Tensor {
  const shape = input.shape.map((length, d) => (d === axis ? size : length));
  const data = allocate(input.dtype, shape);
  const apply = accumulator("add", input.dtype, data, input.data);
  const outer = productOf(shape, 0, axis);
  const inner = productOf(shape, axis + 1) * entriesPerElement(input.dtype);
  for (let o = 0; o < outer; o += 1) {
    for (const [i, target] of indices.entries()) {
      apply((o * size + target) * inner, (o * indices.length + i) * inner, inner);
    }
  }
  return new Tensor(input.dtype, shape, data);
}

/** The number of elements after padding (if the paddings fit; the cost of an error matters little). */
function paddedSize(inputs: readonly Tensor[]): number {
  const paddings = integersOf(inputAt(inputs, 1));
  return inputAt(inputs, 0).shape.reduce(
    (size, length, i) => size * (length + (paddings[2 * i] ?? 0) + (paddings[2 * i + 1] ?? 0)),
    1,
  );
}

/** Ops that pad tensors. */
export const padKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Pad",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      const zero = new Tensor(input.dtype, [], zeros(input.dtype, 1));
      return [padded(input, paddingsOf(inputAt(inputs, 1), input.shape), zero)];
    },
    { types: { T: tensorTypes, Tpaddings: indexTypes }, cost: perResult(20, paddedSize) },
  ),
  pureKernel(
    "PadV2",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      const value = inputAt(inputs, 2);
      if (value.shape.length !== 0) {
        throw invalidArgument(`constant_values must be a scalar. Found: ${cppShapeText(value.shape)}`);
      }
      return [padded(input, paddingsOf(inputAt(inputs, 1), input.shape), value)];
    },
    { types: { T: tensorTypes, Tpaddings: indexTypes }, cost: perResult(20, paddedSize) },
  ),
  pureKernel(
    "MirrorPad",
    (node) => {
      const skip = skipOf(node.string("mode"));
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const paddings = paddingsOf(inputAt(inputs, 1), input.shape);
        return [
          paddings.reduce((part, padding, axis) => {
            const indices = mirroredIndices(part.shape[axis] ?? 0, padding, skip);
            return indices.length === part.shape[axis] ? part : takeAlong(part, axis, indices);
          }, input),
        ];
      };
    },
    { types: { T: tensorTypes, Tpaddings: indexTypes }, cost: perResult(60, paddedSize) },
  ),
  pureKernel(
    "MirrorPadGrad",
    (node) => {
      const skip = skipOf(node.string("mode"));
      return withSmallFloats((inputs) => {
        const input = inputAt(inputs, 0);
        const paddings = paddingsOf(inputAt(inputs, 1), input.shape);
        return [
          paddings.reduce((part, padding, axis) => {
            const [length, total] = [part.shape[axis] ?? 0, padding[0] + padding[1]];
            if (total >= length) {
              throw invalidArgument(
                `Total paddings must be less than the input dimension size: ${total} was not less than ${length}`,
              );
            }
            const size = length - total;
            return foldAlong(part, axis, size, mirroredIndices(size, padding, skip));
          }, input),
        ];
      });
    },
    { types: { T: numberTypes, Tpaddings: indexTypes }, cost: perElement(100) },
  ),
];
