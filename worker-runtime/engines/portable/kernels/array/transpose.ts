import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { transposed } from "../support/view.js";

/** The permutation of dimensions in an input. @throws TensorFlowError INVALID_ARGUMENT */
function permutationOf(perm: Tensor, rank: number): number[] {
  if (perm.shape.length !== 1) {
    throw invalidArgument(`perm must be rank 1 vector, got perm of shape ${cppShapeText(perm.shape)}`);
  }
  if (perm.size !== rank) {
    throw invalidArgument(
      `transpose expects a vector of size ${rank}. But input(1) is a vector of size ${perm.size}`,
    );
  }
  const order = integersOf(perm).map((axis) => (axis < 0 ? axis + rank : axis));
  for (const [i, axis] of order.entries()) {
    if (axis < 0 || axis >= rank) {
      throw invalidArgument(`${integersOf(perm)[i]} is out of range [0 .. ${rank})`);
    }
  }
  const missing = order.map((_, axis) => axis).find((axis) => !order.includes(axis));
  if (missing !== undefined) {
    throw invalidArgument(`${missing} is missing from {${order.join(",")}}.`);
  }
  return order;
}

/** The complex conjugate; other dtypes are unchanged. */
export function conjugated(input: Tensor): Tensor {
  if (!input.dtype.startsWith("complex")) {
    return input;
  }
  const parts = numbersOf(input);
  const out = newNumbers(input.dtype, input.shape);
  for (let i = 0; i < parts.length; i += 2) {
    out[i] = parts[i] as number;
    out[i + 1] = -(parts[i + 1] as number);
  }
  return new Tensor(input.dtype, input.shape, out);
}

function invertPermutation(input: Tensor): Tensor {
  if (input.shape.length !== 1) {
    throw invalidArgument(`invert_permutation expects a 1D vector.`);
  }
  const order = integersOf(input);
  const inverse = new Array<number>(order.length).fill(-1);
  for (const [i, target] of order.entries()) {
    if (target < 0 || target >= order.length) {
      throw invalidArgument(`${target} is not between 0 and ${order.length}`);
    }
    if (inverse[target] !== -1) {
      throw invalidArgument(`${target} is duplicated in the input.`);
    }
    inverse[target] = i;
  }
  return integerTensor(input.dtype, input.shape, inverse);
}

/** Ops that permute dimensions. */
export const transposeKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Transpose",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      return [transposed(input, permutationOf(inputAt(inputs, 1), input.shape.length))];
    },
    { types: { T: tensorTypes, Tperm: indexTypes }, cost: perElement(3) },
  ),
  pureKernel(
    "ConjugateTranspose",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      return [conjugated(transposed(input, permutationOf(inputAt(inputs, 1), input.shape.length)))];
    },
    { types: { T: tensorTypes, Tperm: indexTypes }, cost: perElement(5) },
  ),
  pureKernel("InvertPermutation", () => (inputs) => [invertPermutation(inputAt(inputs, 0))], {
    types: { T: indexTypes },
  }),
];
