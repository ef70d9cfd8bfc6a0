import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { perResult, pureKernel } from "../support/define.js";
import { dataTypes, indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, numbersOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";
import { takeAlong } from "./gather.js";

function tile(input: Tensor, multiplesInput: Tensor): Tensor {
  if (multiplesInput.shape.length !== 1 || multiplesInput.size !== input.shape.length) {
    throw invalidArgument(
      `Expected multiples argument to be a vector of length ${input.shape.length} but got length ${multiplesInput.size}`,
    );
  }
  const multiples = integersOf(multiplesInput);
  for (const [i, times] of multiples.entries()) {
    if (times < 0) {
      throw invalidArgument(`Expected multiples[${i}] >= 0, but got ${times}`);
    }
  }
  const shape = input.shape.map((size, axis) => size * (multiples[axis] ?? 1));
  if (multiples.every((times) => times === 1)) {
    return input;
  }
  if (input.dtype === "uint16" && productOf(shape) > 0) {
    throw unimplemented(
      `TileOp : The input data type is not supported, DataType : uint16, Dimension : ${shape.length}`,
    );
  }
  const strides = stridesOf(input.shape);
  // Each dimension becomes two: the repetitions, which move nothing, and the dimension itself.
  const doubled = input.shape.flatMap((size, axis) => [multiples[axis] ?? 1, size]);
  const walk = { offset: 0, strides: strides.flatMap((stride) => [0, stride]) };
  return gatherStrided(input, doubled, walk).reshape(shape);
}

function reversed(input: Tensor, axes: readonly number[]): Tensor {
  const strides = stridesOf(input.shape);
  const offset = axes.reduce(
    (sum, axis) => sum + (strides[axis] ?? 0) * Math.max(0, (input.shape[axis] ?? 1) - 1),
    0,
  );
  return gatherStrided(input, input.shape, {
    offset,
    strides: strides.map((stride, axis) => (axes.includes(axis) ? -stride : stride)),
  });
}

function reverseV2(input: Tensor, axesInput: Tensor): Tensor {
  if (input.shape.length === 0 || input.size === 0) {
    // Like TensorFlow, ignores the axes if no element can move.
    return input;
  }
  if (axesInput.shape.length !== 1) {
    throw invalidArgument(`'dims' must be 1-dimension, not ${axesInput.shape.length}`);
  }
  const rank = input.shape.length;
  const axes = integersOf(axesInput).map((axis, i) =>
    axisOf(axis, rank, `'axis'[${i}] = ${axis} is out of valid range [0, ${rank - 1}`),
  );
  const twice = axes.find((axis, i) => axes.indexOf(axis) !== i);
  if (twice !== undefined) {
    throw invalidArgument(`axis ${twice} specified more than once.`);
  }
  return reversed(input, axes);
}

function reverseV1(input: Tensor, dims: Tensor): Tensor {
  if (input.shape.length === 0) {
    return input;
  }
  if (input.shape[0] === 0) {
    throw invalidArgument("Invalid input first dimension. Found 0.");
  }
  const flags = numbersOf(dims);
  if (dims.shape.length !== 1 || flags.length !== input.shape.length) {
    throw invalidArgument(
      `'dims' must have the same number of values as 'input' has dimensions. 'input' has ${input.shape.length}'dims' has ${flags.length} values`,
    );
  }
  return reversed(
    input,
    input.shape.flatMap((_, axis) => (flags[axis] === 0 ? [] : [axis])),
  );
}

/** Reverses the first lengths[b] elements along `seqDim` of each entry b of `batchDim`. */
function reverseSequence(input: Tensor, lengthsInput: Tensor, seqDim: number, batchGiven: number): Tensor {
  const rank = input.shape.length;
  const batchDim = axisOf(batchGiven, rank, `batch_dim must be < input rank ( ${batchGiven} vs. ${rank})`);
  if (lengthsInput.shape.length !== 1) {
    throw invalidArgument(`seq_lens input must be 1-dim, not ${lengthsInput.shape.length}`);
  }
  if (batchDim === seqDim) {
    throw invalidArgument(`batch_dim == seq_dim == ${seqDim}`);
  }
  if (seqDim >= rank || seqDim < 0) {
    throw invalidArgument(`seq_dim must be < input rank ( ${seqDim} vs. ${rank})`);
  }
  const lengths = integersOf(lengthsInput);
  if (lengths.length !== input.shape[batchDim]) {
    throw invalidArgument(
      `Length of seq_lengths != input.dims(${batchDim}), (${lengths.length} vs. ${input.shape[batchDim]})`,
    );
  }
  const longest = input.shape[seqDim] ?? 0;
  for (const [d, length] of lengths.entries()) {
    if (length < 0) {
      throw invalidArgument(`seq_lens(${d}) < 0`);
    }
    if (length > longest) {
      throw invalidArgument(`seq_lens(${d}) > input.dims(${seqDim})`);
    }
  }
  const strides = stridesOf(input.shape);
  const last = Math.max(seqDim, batchDim);
  const inner = productOf(input.shape, last + 1);
  const blocks = productOf(input.shape, 0, last + 1);
  const data = allocate(input.dtype, input.shape);
  const to = wordsOf(input.dtype, data);
  const from = wordsOf(input.dtype, input.data);
  const seqStride = strides[seqDim] ?? 1;
  const batchStride = strides[batchDim] ?? 1;
  for (let block = 0; block < blocks; block += 1) {
    const at = block * inner;
    const position = Math.floor(at / seqStride) % longest;
    const length = lengths[Math.floor(at / batchStride) % lengths.length] ?? 0;
    const source = position < length ? at + (length - 1 - 2 * position) * seqStride : at;
    copyElements(to, at, from, source, inner);
  }
  return new Tensor(input.dtype, input.shape, data);
}

function roll(input: Tensor, shiftInput: Tensor, axisInput: Tensor): Tensor {
  if (input.shape.length < 1) {
    throw invalidArgument("input must be 1-D or higher");
  }
  if (shiftInput.shape.length > 1) {
    throw invalidArgument(`shift must be a scalar or a 1-D vector. Found: ${cppShapeText(shiftInput.shape)}`);
  }
  if (axisInput.shape.length > 1) {
    throw invalidArgument(`axis must be a scalar or a 1-D vector. Found: ${cppShapeText(axisInput.shape)}`);
  }
  if (shiftInput.size !== axisInput.size) {
    throw invalidArgument("shift and axis must have the same size");
  }
  const rank = input.shape.length;
  const shifts = new Map<number, number>();
  const given = integersOf(shiftInput);
  for (const [i, axisGiven] of integersOf(axisInput).entries()) {
    const axis = axisOf(axisGiven, rank, `axis ${axisGiven} is out of range`);
    shifts.set(axis, (shifts.get(axis) ?? 0) + (given[i] ?? 0));
  }
  let result = input;
  for (const [axis, shift] of shifts) {
    const size = input.shape[axis] ?? 0;
    if (size > 0 && shift % size !== 0) {
      const start = ((-shift % size) + size) % size;
      result = takeAlong(
        result,
        axis,
        Array.from({ length: size }, (_, i) => (start + i) % size),
      );
    }
  }
  return result;
}

/** Ops that repeat, reverse and shift elements. */
export const rearrangeKernels: readonly KernelDefinition[] = [
  pureKernel("Tile", () => (inputs) => [tile(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: { T: tensorTypes, Tmultiples: indexTypes },
    cost: perResult(2, (inputs) => inputAt(inputs, 0).size * productOf(integersOf(inputAt(inputs, 1)))),
  }),
  pureKernel("Reverse", () => (inputs) => [reverseV1(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: { T: dataTypes },
  }),
  pureKernel("ReverseV2", () => (inputs) => [reverseV2(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: { Tidx: indexTypes, T: dataTypes },
  }),
  pureKernel(
    "ReverseSequence",
    (node) => {
      const seqDim = node.int("seq_dim");
      const batchDim = node.int("batch_dim");
      return (inputs) => [reverseSequence(inputAt(inputs, 0), inputAt(inputs, 1), seqDim, batchDim)];
    },
    { types: { T: dataTypes, Tlen: indexTypes } },
  ),
  pureKernel("Roll", () => (inputs) => [roll(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))], {
    types: { T: dataTypes, Tshift: indexTypes, Taxis: indexTypes },
    cost: (_, inputs) => 10 * inputAt(inputs, 0).size + 100 * inputAt(inputs, 1).size,
  }),
];
