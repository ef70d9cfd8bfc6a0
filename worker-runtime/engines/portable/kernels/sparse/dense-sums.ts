import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { accumulator } from "../support/accumulate.js";
import { copyOfData } from "../support/allocation.js";
import { perInput, pureKernel, withSmallFloats } from "../support/define.js";
import { indexTypes, numberTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape, stridesOf } from "../support/shapes.js";
import { checkBounds, indexOf, sparseAt } from "./sparse-tensor.js";

const NANOSECONDS_PER_ELEMENT = 50;
/** For comparing the indexes of two sparse tensors. */
const NANOSECONDS_PER_MERGED = 150;

function cost(_: unknown, inputs: readonly Tensor[]): number {
  return NANOSECONDS_PER_ELEMENT * inputs.reduce((sum, { size }) => sum + size, 0);
}

/** Adds a sparse tensor's elements to a dense one, without broadcasting. @throws TensorFlowError INVALID_ARGUMENT */
function addToDense(inputs: readonly Tensor[]): Tensor {
  const sparse = sparseAt(inputs, 0);
  const dense = inputAt(inputs, 3);
  if (!sameShape(sparse.shape, dense.shape)) {
    throw invalidArgument(
      `Dimensions do not match (no broadcasting is supported): sparse side ${cppShapeText(sparse.shape)} vs dense side ${cppShapeText(dense.shape)}`,
    );
  }
  checkBounds(sparse);
  const { dtype, shape } = dense;
  const perElement = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  const data = copyOfData(dense);
  const add = accumulator("add", dtype, data, sparse.values.data);
  const strides = stridesOf(shape);
  for (let i = 0; i < sparse.count; i += 1) {
    const at = indexOf(sparse, i).reduce((sum, index, d) => sum + index * (strides[d] ?? 0), 0);
    add(at * perElement, i * perElement, perElement);
  }
  return new Tensor(dtype, shape, data);
}

/** For each element of an operand, the gradient of the sum's element at its index; 0 if the sum has none. */
function gradientOf(operand: Tensor, sums: ReadonlyMap<string, number>, gradients: Tensor): Tensor {
  const { dtype } = gradients;
  const [count = 0, rank = 0] = operand.shape;
  const indexes = indicesOf(operand);
  const perElement = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  const out = newNumbers(dtype, [count]);
  const given = numbersOf(gradients);
  for (let i = 0; i < count; i += 1) {
    const found = sums.get(indexes.subarray(i * rank, (i + 1) * rank).join());
    if (found !== undefined) {
      out.set(given.subarray(found * perElement, (found + 1) * perElement), i * perElement);
    }
  }
  return new Tensor(dtype, [count], out);
}

/** The gradients of both operands of SparseAdd. @throws TensorFlowError INVALID_ARGUMENT */
function addGradient(inputs: readonly Tensor[]): readonly Tensor[] {
  const gradients = inputAt(inputs, 0);
  const [a, b, sum] = [inputAt(inputs, 1), inputAt(inputs, 2), inputAt(inputs, 3)];
  if (a.shape.length !== 2 || b.shape.length !== 2 || sum.shape.length !== 2) {
    throw invalidArgument(
      `Input indices should be matrices but received shapes: ${cppShapeText(a.shape)} and ${cppShapeText(b.shape)}`,
    );
  }
  if (gradients.shape.length !== 1 || gradients.size !== sum.shape[0]) {
    throw invalidArgument(
      `# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got ${gradients.size} and ${sum.shape[0] ?? 0}`,
    );
  }
  if (a.shape[1] !== b.shape[1] || a.shape[1] !== sum.shape[1]) {
    throw invalidArgument(
      `The densified operands should have the same ndims: got ${a.shape[1] ?? 0} and ${b.shape[1] ?? 0}`,
    );
  }
  const [count = 0, rank = 0] = sum.shape;
  const indexes = indicesOf(sum);
  const sums = new Map(
    Array.from({ length: count }, (_, i) => [indexes.subarray(i * rank, (i + 1) * rank).join(), i] as const),
  );
  return [gradientOf(a, sums, gradients), gradientOf(b, sums, gradients)];
}

const gradientTypes = ["float32", "float64", "int8", "int16", "int32", "complex64", "complex128"] as const;

/** Sums of sparse and dense tensors, and the gradient of sparse sums. */
export const denseSumKernels: readonly KernelDefinition[] = [
  pureKernel("SparseTensorDenseAdd", () => withSmallFloats((inputs) => [addToDense(inputs)]), {
    types: { T: numberTypes, Tindices: indexTypes },
    cost,
  }),
  pureKernel("SparseAddGrad", () => addGradient, {
    types: { T: gradientTypes },
    cost: perInput(NANOSECONDS_PER_MERGED),
  }),
];
