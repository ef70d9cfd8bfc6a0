import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { type Compute, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, complexTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { multiplyAll, type ProductSize, productCost } from "./multiply.js";
import { splitByRows } from "./split-by-rows.js";

/** Which operands of a product of two matrices are transposed first. */
export interface Transposes {
  readonly a: boolean;
  readonly b: boolean;
}

/**
 * The sizes of a product of two matrices.
 * @throws TensorFlowError INVALID_ARGUMENT for operands that are not matrices or have incompatible sizes.
 */
function matMulSize(a: Tensor, b: Tensor, transpose: Transposes): ProductSize {
  const [rowsOfA, columnsOfA] = matrixShape(a, 0);
  const [rowsOfB, columnsOfB] = matrixShape(b, 1);
  const inner = transpose.a ? rowsOfA : columnsOfA;
  if (inner !== (transpose.b ? columnsOfB : rowsOfB)) {
    throw invalidArgument(
      `Matrix size-incompatible: In[0]: ${cppShapeText(a.shape)}, In[1]: ${cppShapeText(b.shape)}`,
    );
  }
  return {
    rows: transpose.a ? columnsOfA : rowsOfA,
    inner,
    columns: transpose.b ? rowsOfB : columnsOfB,
  };
}

/** The product of two matrices of one dtype. @throws TensorFlowError as `matMulSize`. */
export function matMul(a: Tensor, b: Tensor, transpose: Transposes): Tensor {
  const size = matMulSize(a, b, transpose);
  return multiplyAll(
    { tensor: a, transpose: transpose.a, conjugate: false },
    { tensor: b, transpose: transpose.b, conjugate: false },
    size,
    a.dtype,
    [size.rows, size.columns],
    [{ a: 0, b: 0, out: 0 }],
  );
}

/** An estimate of the time of `matMul` in nanoseconds; 0 for operands that it rejects. */
export function matMulCost(inputs: readonly Tensor[], transpose: Transposes): number {
  const [a, b] = inputs;
  if (a?.shape.length !== 2 || b?.shape.length !== 2) {
    return 0;
  }
  const [rows = 0, columns = 0] = a.shape;
  const size = {
    rows: transpose.a ? columns : rows,
    inner: transpose.a ? rows : columns,
    columns: b.shape[transpose.b ? 0 : 1] ?? 0,
  };
  return productCost(a.dtype, size);
}

function matrixShape({ shape }: Tensor, index: number): readonly [number, number] {
  const [rows, columns] = shape;
  if (rows === undefined || columns === undefined || shape.length > 2) {
    throw invalidArgument(`In[${index}] is not a matrix. Instead it has shape ${cppShapeText(shape)}`);
  }
  return [rows, columns];
}

export const matMulKernel: PureKernelDefinition = pureKernel(
  "MatMul",
  (node): Compute => {
    const transpose = { a: node.bool("transpose_a"), b: node.bool("transpose_b") };
    return withSmallFloats((inputs) => [matMul(inputAt(inputs, 0), inputAt(inputs, 1), transpose)]);
  },
  {
    types: { T: [...allFloatTypes, ...complexTypes, "int32", "int64"] },
    cost: (node, inputs) => matMulCost(inputs, { a: node.bool("transpose_a"), b: node.bool("transpose_b") }),
    // The columns of a transposed operand are not contiguous.
    split: (node, inputs, most) => (node.bool("transpose_a") ? undefined : splitByRows(inputs, most)),
  },
);
