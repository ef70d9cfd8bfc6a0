import {
  type EinsumEquation,
  type EinsumLabels,
  type Label,
  labelDimensions,
  parseEquation,
} from "../../../../graph/op-specs/einsum.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, complexTypes, isLong } from "../support/dtypes.js";
import { inputAt, newLongs, newNumbers } from "../support/elements.js";
import { productOf, stridesOf } from "../support/shapes.js";
import { copyStrided, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";
import { multiplyAll, productCost } from "./multiply.js";

/** An input in which each label has at most one dimension, in a chosen order. */
interface LabelledTensor {
  readonly tensor: Tensor;
  readonly labels: readonly Label[];
}

/**
 * The tensor with its dimensions in the order of `labels`, which are some or all of its own; a label that it has twice
 * selects the diagonal.
 */
function arrange({ tensor, labels }: LabelledTensor, order: readonly Label[]): Tensor {
  const strides = stridesOf(tensor.shape);
  const shape = order.map((label) => tensor.shape[labels.indexOf(label)] ?? 1);
  const steps = order.map((label) =>
    labels.reduce((sum, own, axis) => (own === label ? sum + (strides[axis] ?? 0) : sum), 0),
  );
  return gatherStrided(tensor, shape, { offset: 0, strides: steps });
}

/** Sums over the labels that are not kept by multiplying with ones. */
function sumAway(input: LabelledTensor, kept: ReadonlySet<Label>): LabelledTensor {
  const distinct = [...new Set(input.labels)];
  const remaining = distinct.filter((label) => kept.has(label));
  const summed = distinct.filter((label) => !kept.has(label));
  const arranged = arrange(input, [...remaining, ...summed]);
  if (summed.length === 0) {
    return { tensor: arranged, labels: remaining };
  }
  const { dtype } = arranged;
  const shape = arranged.shape.slice(0, remaining.length);
  const size = { rows: productOf(shape), inner: productOf(arranged.shape, remaining.length), columns: 1 };
  const tensor = multiplyAll(
    { tensor: arranged, transpose: false, conjugate: false },
    { tensor: ones(dtype, size.inner), transpose: false, conjugate: false },
    size,
    dtype,
    shape,
    [{ a: 0, b: 0, out: 0 }],
  );
  return { tensor, labels: remaining };
}

function ones(dtype: Tensor["dtype"], count: number): Tensor {
  if (isLong(dtype)) {
    return new Tensor(dtype, [count], newLongs(dtype, [count]).fill(1n));
  }
  const data = newNumbers(dtype, [count]);
  const entries = data.length / Math.max(1, count);
  // For complex numbers, only the real parts are set.
  for (let i = 0; i < data.length; i += entries) {
    data[i] = 1;
  }
  return new Tensor(dtype, [count], data);
}

/** The product of two inputs, as a batch of matrix products over the labels that both inputs and the output have. */
function contract(a: LabelledTensor, b: LabelledTensor, { output, sizes }: DimensionLabels): LabelledTensor {
  const inOutput = new Set(output);
  const shared = a.labels.filter((label) => b.labels.includes(label));
  const batch = shared.filter((label) => inOutput.has(label));
  const inner = shared.filter((label) => !inOutput.has(label));
  const rows = a.labels.filter((label) => !b.labels.includes(label));
  const columns = b.labels.filter((label) => !a.labels.includes(label));
  const left = arrange(a, [...batch, ...rows, ...inner]);
  const right = arrange(b, [...batch, ...inner, ...columns]);
  const sizeOf = (labels: readonly Label[]) => productOf(labels.map((label) => sizes.get(label) ?? 1));
  const size = { rows: sizeOf(rows), inner: sizeOf(inner), columns: sizeOf(columns) };
  const batchShape = batch.map((label) => sizes.get(label) ?? 1);
  const [ofLeft, ofRight] = [batchStrides(left, batchShape), batchStrides(right, batchShape)];
  const strides = stridesOf(batchShape);
  const offsetOf = (index: number, own: readonly number[]) =>
    batchShape.reduce(
      (sum, dim, i) => sum + (Math.floor(index / (strides[i] ?? 1)) % dim) * (own[i] ?? 0),
      0,
    );
  const offsets = Array.from({ length: productOf(batchShape) }, (_, index) => ({
    a: offsetOf(index, ofLeft),
    b: offsetOf(index, ofRight),
    out: index * size.rows * size.columns,
  }));
  const shape = [...batch, ...rows, ...columns].map((label) => sizes.get(label) ?? 1);
  const tensor = multiplyAll(
    { tensor: left, transpose: false, conjugate: false },
    { tensor: right, transpose: false, conjugate: false },
    size,
    left.dtype,
    shape,
    offsets,
  );
  return { tensor, labels: [...batch, ...rows, ...columns] };
}

/** Strides of the leading dimensions, 0 where a dimension of size 1 is repeated. */
function batchStrides({ shape }: Tensor, batchShape: readonly number[]): number[] {
  const strides = stridesOf(shape);
  return batchShape.map((size, i) => (shape[i] === size ? (strides[i] ?? 0) : 0));
}

/** The labels of inputs whose shapes are known. */
interface DimensionLabels extends EinsumLabels {
  readonly output: readonly Label[];
}

function labelsOf(equation: EinsumEquation, shapes: readonly (readonly number[])[]): DimensionLabels {
  const { output, ...rest } = labelDimensions(equation, shapes);
  return { ...rest, output: output ?? [] };
}

function einsum(labels: DimensionLabels, inputs: readonly Tensor[]): Tensor {
  const kept = (own: number) =>
    new Set([...labels.output, ...labels.inputs.flatMap((other, i) => (i === own ? [] : other))]);
  const [first, second] = inputs.map((tensor, i) =>
    sumAway({ tensor, labels: labels.inputs[i] ?? [] }, kept(i)),
  );
  if (first === undefined) {
    throw invalidArgument("Expected 1 or 2 inputs but got: 0");
  }
  const result = second === undefined ? first : contract(first, second, labels);
  const distinct = [...new Set(labels.output)];
  const arranged = arrange(result, distinct);
  return distinct.length === labels.output.length
    ? arranged
    : onDiagonal({ tensor: arranged, labels: distinct }, labels.output);
}

/** Puts a tensor on the diagonal of zeros in which some of its labels have several dimensions. */
function onDiagonal({ tensor, labels }: LabelledTensor, order: readonly Label[]): Tensor {
  const { dtype } = tensor;
  const shape = order.map((label) => tensor.shape[labels.indexOf(label)] ?? 1);
  const data = allocate(dtype, shape);
  const strides = stridesOf(shape);
  const steps = labels.map((label) =>
    order.reduce((sum, own, axis) => (own === label ? sum + (strides[axis] ?? 0) : sum), 0),
  );
  copyStrided(
    tensor.shape,
    wordsOf(dtype, data),
    { offset: 0, strides: steps },
    wordsOf(dtype, tensor.data),
    { offset: 0, strides: stridesOf(tensor.shape) },
  );
  return new Tensor(dtype, shape, data);
}

/** The inputs and the result are copied into the order that matrix products need. */
const NANOS_PER_ARRANGED = 5;

/** Assumes one multiplication per combination of labels; 0 for inputs that the execution will reject. */
function estimate(equation: string, inputs: readonly Tensor[]): number {
  const shapes = inputs.map(({ shape }) => shape);
  try {
    const { sizes, output } = labelsOf(parseEquation(equation), shapes);
    const combinations = { rows: 1, inner: productOf([...sizes.values()]), columns: 1 };
    const results = productOf(output.map((label) => sizes.get(label) ?? 1));
    const arranged = inputs.reduce((sum, { size }) => sum + size, results);
    return productCost(inputAt(inputs, 0).dtype, combinations) + arranged * NANOS_PER_ARRANGED;
  } catch {
    return 0;
  }
}

export const einsumKernel: PureKernelDefinition = pureKernel(
  "Einsum",
  (node) => {
    const equation = parseEquation(node.string("equation"));
    return withSmallFloats((inputs) => {
      const shapes = inputs.map(({ shape }) => shape);
      return [einsum(labelsOf(equation, shapes), inputs)];
    });
  },
  {
    types: { T: [...allFloatTypes, ...complexTypes, "int32", "int64"] },
    cost: (node, inputs) => estimate(node.string("equation"), inputs),
  },
);
