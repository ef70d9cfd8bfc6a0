import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { perInput, pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText, tryBroadcast } from "../support/shapes.js";

function shapesOf(inputs: readonly Tensor[]): [number[], number[]] {
  const [a, b] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  for (const [i, input] of [a, b].entries()) {
    if (input.shape.length !== 1) {
      throw invalidArgument(`In[${i}] must be a vector.${cppShapeText(input.shape)}`);
    }
  }
  return [integersOf(a), integersOf(b)];
}

function broadcastOrRefuse(a: readonly number[], b: readonly number[]): number[] {
  const shape = tryBroadcast(a, b);
  if (shape === undefined) {
    throw invalidArgument(`Incompatible shapes: ${cppShapeText(a)} vs. ${cppShapeText(b)}`);
  }
  return shape;
}

/** The axes along which the gradient of a broadcast operand is summed. */
function reducedAxes(own: readonly number[], result: readonly number[], other: readonly number[]): number[] {
  const missing = result.length - own.length;
  const otherMissing = result.length - other.length;
  const sizeOf = (shape: readonly number[], i: number) => (i < 0 ? 1 : (shape[i] ?? 1));
  return result.flatMap((_, i) => {
    const mine = sizeOf(own, i - missing);
    const theirs = sizeOf(other, i - otherMissing);
    // If both are 1, TensorFlow returns the axis for both operands.
    return mine === 1 && (theirs !== 1 || i < missing || theirs === 1) ? [i] : [];
  });
}

const options = { types: { T: indexTypes }, cost: perInput(600) };

/** Shapes of broadcasts, and the axes along which their gradients are summed. */
export const broadcastArgsKernels: readonly KernelDefinition[] = [
  pureKernel(
    "BroadcastArgs",
    () => (inputs) => {
      const [a, b] = shapesOf(inputs);
      const shape = broadcastOrRefuse(a, b);
      return [integerTensor(inputAt(inputs, 0).dtype, [shape.length], shape)];
    },
    options,
  ),
  pureKernel(
    "BroadcastGradientArgs",
    () => (inputs) => {
      const [a, b] = shapesOf(inputs);
      const { dtype } = inputAt(inputs, 0);
      const shape = broadcastOrRefuse(a, b);
      // Operands of the same shape are not broadcast, so nothing is summed.
      const same = a.length === b.length && a.every((size, i) => size === b[i]);
      const axes = same ? [[], []] : [reducedAxes(a, shape, b), reducedAxes(b, shape, a)];
      return axes.map((list) => integerTensor(dtype, [list.length], list));
    },
    options,
  ),
];
