import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, scalarOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { copyStrided, wordsOf } from "../support/strided-copy.js";
import { sharedRows } from "../support/view.js";

/**
 * Concatenates tensors along an axis.
 * @throws TensorFlowError INVALID_ARGUMENT if the other dimensions differ.
 */
function concatenated(parts: readonly Tensor[], axisGiven: number): Tensor {
  const first = inputAt(parts, 0);
  const rank = first.shape.length;
  if (rank === 0) {
    throw invalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  }
  const axis = axisOf(
    axisGiven,
    rank,
    `ConcatOp : Expected concatenating dimensions in the range [${-rank}, ${rank}), but got ${axisGiven}`,
  );
  let length = 0;
  for (const [i, part] of parts.entries()) {
    if (part.shape.length !== rank) {
      throw invalidArgument(
        `ConcatOp : Ranks of all input tensors should match: shape[0] = ${cppShapeText(first.shape)} vs. shape[${i}] = ${cppShapeText(part.shape)}`,
      );
    }
    if (part.shape.some((size, d) => d !== axis && size !== first.shape[d])) {
      throw invalidArgument(
        `ConcatOp : Dimension ${part.shape.findIndex((size, d) => d !== axis && size !== first.shape[d])} in both shapes must be equal: shape[0] = ${cppShapeText(first.shape)} vs. shape[${i}] = ${cppShapeText(part.shape)}`,
      );
    }
    length += part.shape[axis] ?? 0;
  }
  if (parts.length === 1) {
    return first;
  }
  const shape = first.shape.map((size, d) => (d === axis ? length : size));
  const data = allocate(first.dtype, shape);
  const outer = productOf(shape, 0, axis);
  const inner = productOf(shape, axis + 1);
  const words = wordsOf(first.dtype, data);
  let start = 0;
  for (const part of parts) {
    const block = (part.shape[axis] ?? 0) * inner;
    copyStrided(
      [outer, block],
      words,
      { offset: start, strides: [length * inner, 1] },
      wordsOf(part.dtype, part.data),
      { offset: 0, strides: [block, 1] },
    );
    start += block;
  }
  return new Tensor(first.dtype, shape, data);
}

/**
 * Stacks tensors of one shape along a new axis.
 * @throws TensorFlowError INVALID_ARGUMENT if the shapes differ.
 */
function stacked(parts: readonly Tensor[], axisGiven: number): Tensor {
  const first = inputAt(parts, 0);
  const rank = first.shape.length + 1;
  const axis = axisOf(axisGiven, rank, `axis = ${axisGiven} not in [${-rank}, ${rank})`);
  for (const [i, part] of parts.entries()) {
    if (!sameShape(first.shape, part.shape)) {
      throw invalidArgument(
        `Shapes of all inputs must match: values[0].shape = ${cppShapeText(first.shape)} != values[${i}].shape = ${cppShapeText(part.shape)}`,
      );
    }
  }
  const rows = parts.map((part) =>
    part.reshape([...part.shape.slice(0, axis), 1, ...part.shape.slice(axis)]),
  );
  return concatenated(rows, axis);
}

/** The parts of a tensor along an axis, which is removed. */
function unstacked(input: Tensor, axis: number): Tensor[] {
  const length = input.shape[axis] ?? 0;
  const shape = input.shape.filter((_, d) => d !== axis);
  return slicesAlong(input, axis, new Array<number>(length).fill(1)).map((part) => part.reshape(shape));
}

/** Parts along the first axis that share memory with the input, if its first row could be shared. */
function sharedParts(input: Tensor, lengths: readonly number[]): Tensor[] | undefined {
  if (sharedRows(input, 0, 1) === undefined) {
    return undefined;
  }
  let end = 0;
  return lengths.flatMap((length) => {
    const first = end;
    end += length;
    return sharedRows(input, first, end) ?? [];
  });
}

/** Consecutive parts of the given lengths along an axis. */
function slicesAlong(input: Tensor, axis: number, lengths: readonly number[]): Tensor[] {
  if (lengths.length === 1) {
    return [input];
  }
  const shared = axis === 0 ? sharedParts(input, lengths) : undefined;
  if (shared !== undefined) {
    return shared;
  }
  const outer = productOf(input.shape, 0, axis);
  const inner = productOf(input.shape, axis + 1);
  const row = (input.shape[axis] ?? 0) * inner;
  const from = wordsOf(input.dtype, input.data);
  let start = 0;
  return lengths.map((length) => {
    const shape = input.shape.map((size, d) => (d === axis ? length : size));
    const data = allocate(input.dtype, shape);
    const block = length * inner;
    copyStrided([outer, block], wordsOf(input.dtype, data), { offset: 0, strides: [block, 1] }, from, {
      offset: start,
      strides: [row, 1],
    });
    start += block;
    return new Tensor(input.dtype, shape, data);
  });
}

function axisInput(tensor: Tensor, what: string): number {
  if (tensor.size !== 1) {
    throw invalidArgument(
      `${what} tensor should be a scalar integer, but got shape ${cppShapeText(tensor.shape)}`,
    );
  }
  return integersOf(tensor)[0] ?? 0;
}

const concat: Compute = (inputs) => [
  concatenated(inputs.slice(1), axisInput(inputAt(inputs, 0), "concat_dim")),
];
const concatV2: Compute = (inputs) => [
  concatenated(inputs.slice(0, -1), axisInput(inputAt(inputs, inputs.length - 1), "axis")),
];

/** The offset of each shape along the axis in the concatenation. */
function concatOffsets(inputs: readonly Tensor[]): Tensor[] {
  const axisGiven = scalarOf(inputAt(inputs, 0), "Concat dim tensor");
  const shapes = inputs.slice(1).map((input, i) => {
    if (input.shape.length !== 1) {
      throw invalidArgument(`input ${i} should be a vector, but got shape ${cppShapeText(input.shape)}`);
    }
    return integersOf(input);
  });
  const first = shapes[0] ?? [];
  const rank = first.length;
  const axis = axisOf(axisGiven, rank, `Concat dim is out of range: ${axisGiven} vs. ${rank}`);
  let start = 0;
  return shapes.map((shape, i) => {
    if (shape.length !== rank) {
      throw invalidArgument(`input ${i} should contain ${rank} elements, but got ${shape.length}`);
    }
    for (const [d, size] of shape.entries()) {
      if (d !== axis && size !== first[d]) {
        throw invalidArgument(
          `All dimensions except ${axis} must match. Input ${i} has shape [${shape.join(" ")}] and doesn't match input 0 with shape [${first.join(" ")}].`,
        );
      }
    }
    const offsets = shape.map((_, d) => (d === axis ? start : 0));
    start += shape[axis] ?? 0;
    return integerTensor(inputAt(inputs, 1).dtype, [rank], offsets);
  });
}

function splitLengths(input: Tensor, axis: number, count: number): number[] {
  const length = input.shape[axis] ?? 0;
  if (length % count !== 0) {
    throw invalidArgument(
      `Number of ways to split should evenly divide the split dimension, but got split_dim ${axis} (size = ${length}) and num_split ${count}`,
    );
  }
  return new Array<number>(count).fill(length / count);
}

function splitAxis(tensor: Tensor, rank: number): number {
  if (tensor.size !== 1) {
    throw invalidArgument("split_dim must be a scalar but has rank 1");
  }
  const axis = integersOf(tensor)[0] ?? 0;
  return axisOf(axis, rank, `-input rank(-${rank}) <= split_dim < input rank (${rank}), but got ${axis}`);
}

/** The lengths requested of SplitV, with one -1 replaced by the rest. */
function givenLengths(sizes: Tensor, length: number): number[] {
  const lengths = integersOf(sizes);
  const unknown = lengths.indexOf(-1);
  if (unknown !== -1 && lengths.indexOf(-1, unknown + 1) !== -1) {
    throw invalidArgument("There can only be one -1 in the input.");
  }
  const sum = lengths.reduce((total, size, i) => (i === unknown ? total : total + size), 0);
  const negative = lengths.findIndex((size, i) => size < 0 && i !== unknown);
  if (negative !== -1) {
    throw invalidArgument(`Split size at index ${negative} must be >= 0. Got: ${lengths[negative]}`);
  }
  if (unknown === -1 ? sum !== length : sum > length) {
    throw invalidArgument(
      `Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: ${sum}`,
    );
  }
  if (unknown !== -1) {
    lengths[unknown] = length - sum;
  }
  return lengths;
}

/** Ops that join tensors or split them along an axis. */
export const joinKernels: readonly KernelDefinition[] = [
  pureKernel("Concat", () => concat, { types: { T: tensorTypes } }),
  pureKernel("ConcatV2", () => concatV2, { types: { T: tensorTypes, Tidx: indexTypes } }),
  pureKernel("ConcatOffset", () => concatOffsets, { types: { shape_type: indexTypes } }),
  pureKernel("Pack", (node) => (inputs) => [stacked(inputs, node.int("axis"))], {
    types: { T: tensorTypes },
  }),
  pureKernel(
    "Unpack",
    (node) => (inputs) => {
      const input = inputAt(inputs, 0);
      const rank = input.shape.length;
      const given = node.int("axis");
      const axis = axisOf(given, rank, `axis = ${given} not in [${-rank}, ${rank})`);
      if (input.shape[axis] !== node.int("num")) {
        throw invalidArgument(
          `Input shape axis ${axis} must equal ${node.int("num")}, got shape ${cppShapeText(input.shape)}`,
        );
      }
      return unstacked(input, axis);
    },
    { types: { T: tensorTypes } },
  ),
  pureKernel(
    "Split",
    (node) => (inputs) => {
      const input = inputAt(inputs, 1);
      const axis = splitAxis(inputAt(inputs, 0), input.shape.length);
      return slicesAlong(input, axis, splitLengths(input, axis, node.int("num_split")));
    },
    { types: { T: tensorTypes } },
  ),
  pureKernel(
    "SplitV",
    (node) => (inputs) => {
      const input = inputAt(inputs, 0);
      const axis = splitAxis(inputAt(inputs, 2), input.shape.length);
      const sizes = inputAt(inputs, 1);
      if (sizes.shape.length !== 1 || sizes.size !== node.int("num_split")) {
        throw invalidArgument(
          `size of the split_tensor must be 1-D and have ${node.int("num_split")} elements, but got shape ${cppShapeText(sizes.shape)}`,
        );
      }
      return slicesAlong(input, axis, givenLengths(sizes, input.shape[axis] ?? 0));
    },
    { types: { T: tensorTypes, Tlen: [...indexTypes, "int8"] } },
  ),
];
