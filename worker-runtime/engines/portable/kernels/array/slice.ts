import { type ResolvedSlice, resolveSlice, sliceMasks } from "../../../../graph/op-specs/strided-slice.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { dataTypes, indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape, stridesOf } from "../support/shapes.js";
import { copyStrided, type Walk, wordsOf } from "../support/strided-copy.js";
import { gatherStrided, sharedRows } from "../support/view.js";

/** A block of a tensor; the tensor itself if the block covers it. */
function block(input: Tensor, begin: readonly number[], shape: readonly number[]): Tensor {
  if (sameShape(input.shape, shape)) {
    return input;
  }
  const [first = 0] = begin;
  const shared = sameShape(input.shape.slice(1), shape.slice(1))
    ? sharedRows(input, first, first + (shape[0] ?? 0))
    : undefined;
  if (shared !== undefined) {
    return shared;
  }
  const strides = stridesOf(input.shape);
  const offset = begin.reduce((sum, start, axis) => sum + start * (strides[axis] ?? 0), 0);
  return gatherStrided(input, shape, { offset, strides });
}

function slice(input: Tensor, beginInput: Tensor, sizeInput: Tensor): Tensor {
  const rank = input.shape.length;
  const isVector = ({ shape }: Tensor) => shape.length === 1 && shape[0] === rank;
  if (!isVector(beginInput) || !isVector(sizeInput)) {
    throw invalidArgument(
      `Expected begin and size arguments to be 1-D tensors of size ${rank}, but got shapes ${cppShapeText(beginInput.shape)} and ${cppShapeText(sizeInput.shape)} instead.`,
    );
  }
  const begin = integersOf(beginInput);
  const sizes = integersOf(sizeInput).map((size, axis) => {
    const start = begin[axis] ?? 0;
    const all = input.shape[axis] ?? 0;
    if (start < 0 || start > all) {
      throw invalidArgument(`Expected begin[${axis}] in [0, ${all}], but got ${start}`);
    }
    const taken = size === -1 ? all - start : size;
    if (taken < 0 || start + taken > all) {
      throw invalidArgument(`Expected size[${axis}] in [0, ${all - start}], but got ${taken}`);
    }
    return taken;
  });
  return block(input, begin, sizes);
}

/** A slice of contiguous whole rows, if it shares their memory. */
function slicedRows(input: Tensor, { begin, sizes, stride }: ResolvedSlice): Tensor | undefined {
  const [first = 0] = begin;
  const isRows =
    sameShape(input.shape.slice(1), sizes.slice(1)) &&
    stride.every((step, axis) => step === 1 || (axis > 0 && sizes[axis] === 1));
  return isRows ? sharedRows(input, first, first + (sizes[0] ?? 0)) : undefined;
}

/** The walk of a strided slice through an array of this shape. */
function walkOf(slice: ResolvedSlice, shape: readonly number[]): Walk {
  const strides = stridesOf(shape);
  return {
    offset: slice.begin.reduce((sum, start, axis) => sum + start * (strides[axis] ?? 0), 0),
    strides: strides.map((stride, axis) => stride * (slice.stride[axis] ?? 1)),
  };
}

const NANOS_PER_ELEMENT = 5;
/** Slicing an array with fewer elements takes negligible time, however many are taken. */
const MIN_LARGE = 100_000;

/** The cost of taking elements of the first input: a single element of a large array costs nothing. */
function costOfBlock(inputs: readonly Tensor[], taken: (input: Tensor) => number): number {
  const input = inputAt(inputs, 0);
  const { size } = input;
  if (size < MIN_LARGE) {
    return size * NANOS_PER_ELEMENT;
  }
  try {
    return Math.min(taken(input), size) * NANOS_PER_ELEMENT;
  } catch {
    // The kernel will report what is wrong with its inputs.
    return 0;
  }
}

function vectorOf(inputs: readonly Tensor[], index: number): number[] {
  const input = inputAt(inputs, index);
  if (input.shape.length !== 1) {
    throw invalidArgument(
      `Expected begin, end, and strides to be 1D equal size tensors, but got shapes ${[1, 2, 3].map((i) => cppShapeText(inputs[i]?.shape ?? [])).join(", ")} instead.`,
    );
  }
  return integersOf(input);
}

/** Slices of tensors and the gradient of the strided one. */
export const sliceKernels: readonly KernelDefinition[] = [
  pureKernel("Slice", () => (inputs) => [slice(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))], {
    types: { T: tensorTypes, Index: indexTypes },
    cost: (_, inputs) =>
      costOfBlock(inputs, ({ shape }) =>
        productOf(
          integersOf(inputAt(inputs, 2)).map((size, axis) => (size === -1 ? (shape[axis] ?? 1) : size)),
        ),
      ),
  }),
  pureKernel(
    "StridedSlice",
    (node) => {
      const masks = sliceMasks(node);
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const [begin, end, strides] = [vectorOf(inputs, 1), vectorOf(inputs, 2), vectorOf(inputs, 3)];
        const resolved = resolveSlice(input.shape, begin, end, strides, masks);
        const whole =
          sameShape(resolved.sizes, input.shape) &&
          resolved.stride.every((stride, axis) => stride > 0 || (input.shape[axis] ?? 0) <= 1);
        if (whole) {
          return [input.reshape(resolved.shape)];
        }
        const taken =
          slicedRows(input, resolved) ?? gatherStrided(input, resolved.sizes, walkOf(resolved, input.shape));
        return [taken.reshape(resolved.shape)];
      };
    },
    {
      types: { T: dataTypes, Index: [...indexTypes, "int16"] },
      cost: (node, inputs) =>
        costOfBlock(inputs, ({ shape }) => {
          const [begin, end, strides] = [vectorOf(inputs, 1), vectorOf(inputs, 2), vectorOf(inputs, 3)];
          return productOf(resolveSlice(shape, begin, end, strides, sliceMasks(node)).sizes);
        }),
    },
  ),
  pureKernel(
    "StridedSliceGrad",
    (node) => {
      const masks = sliceMasks(node);
      return (inputs) => {
        const shape = integersOf(inputAt(inputs, 0));
        const gradient = inputAt(inputs, 4);
        const [begin, end, strides] = [vectorOf(inputs, 1), vectorOf(inputs, 2), vectorOf(inputs, 3)];
        const resolved = resolveSlice(shape, begin, end, strides, masks);
        if (!sameShape(resolved.shape, gradient.shape)) {
          throw invalidArgument(
            `shape of dy was ${cppShapeText(gradient.shape)} instead of ${cppShapeText(resolved.shape)}`,
          );
        }
        const data = allocate(gradient.dtype, shape);
        copyStrided(
          resolved.sizes,
          wordsOf(gradient.dtype, data),
          walkOf(resolved, shape),
          wordsOf(gradient.dtype, gradient.data),
          { offset: 0, strides: stridesOf(resolved.sizes) },
        );
        return [new Tensor(gradient.dtype, shape, data)];
      };
    },
    { types: { T: dataTypes, Index: indexTypes } },
  ),
];
