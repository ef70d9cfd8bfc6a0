import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, complexTypes, isSmallFloat } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";
import { broadcastStrides, cppShapeText, productOf, sameShape, tryBroadcast } from "../support/shapes.js";
import { multiplyAll, type ProductOffsets, type ProductSize, productCost } from "./multiply.js";

/** Which operands are first replaced by their adjoints (transposed, and conjugated if complex). */
interface Adjoints {
  readonly x: boolean;
  readonly y: boolean;
}

/** The products that one call computes. */
interface Batch {
  readonly size: ProductSize;
  /** The shape of all dimensions but the last two. */
  readonly shape: readonly number[];
}

/** The product of two tensors of matrices. @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit. */
function batchMatMul(x: Tensor, y: Tensor, adjoints: Adjoints, batch: Batch, dtype: DType): Tensor {
  const { size, shape } = batch;
  return multiplyAll(
    { tensor: x, transpose: adjoints.x, conjugate: adjoints.x },
    { tensor: y, transpose: adjoints.y, conjugate: adjoints.y },
    size,
    dtype,
    [...shape, size.rows, size.columns],
    offsetsOf(x, y, size, shape),
  );
}

/** The offsets of each product's matrices; a batch dimension of size 1 is repeated. */
function offsetsOf(x: Tensor, y: Tensor, size: ProductSize, shape: readonly number[]): ProductOffsets[] {
  const stridesX = broadcastStrides(x.shape.slice(0, -2), shape);
  const stridesY = broadcastStrides(y.shape.slice(0, -2), shape);
  const index = new Array<number>(shape.length).fill(0);
  const offsets: ProductOffsets[] = [];
  for (let i = 0; i < productOf(shape); i += 1) {
    const [atX, atY] = [dot(index, stridesX), dot(index, stridesY)];
    offsets.push({
      a: atX * size.rows * size.inner,
      b: atY * size.inner * size.columns,
      out: i * size.rows * size.columns,
    });
    advance(index, shape);
  }
  return offsets;
}

function dot(index: readonly number[], strides: readonly number[]): number {
  return index.reduce((sum, at, i) => sum + at * (strides[i] ?? 0), 0);
}

/** The next index in row-major order. */
function advance(index: number[], shape: readonly number[]): void {
  for (let i = shape.length - 1; i >= 0; i -= 1) {
    const next = (index[i] ?? 0) + 1;
    index[i] = next < (shape[i] ?? 1) ? next : 0;
    if (index[i] !== 0) {
      return;
    }
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT */
function batchOf(x: Tensor, y: Tensor, adjoints: Adjoints, broadcasts: boolean): Batch {
  return { size: sizeOf(x, y, adjoints, broadcasts), shape: batchShape(x, y, broadcasts) };
}

function batchShape(x: Tensor, y: Tensor, broadcasts: boolean): readonly number[] {
  const [shapeX, shapeY] = [x.shape.slice(0, -2), y.shape.slice(0, -2)];
  if (broadcasts) {
    const shape = tryBroadcast(shapeX, shapeY);
    if (shape === undefined) {
      throw invalidArgument(
        `In[0] and In[1] must have compatible batch dimensions: ${bothShapes(x, y, " vs. ")}`,
      );
    }
    return shape;
  }
  if (!sameShape(shapeX, shapeY)) {
    const dim = shapeX.findIndex((size, i) => size !== shapeY[i]);
    throw invalidArgument(
      `In[0].dim(${dim}) and In[1].dim(${dim}) must be the same: ${bothShapes(x, y, " vs ")}`,
    );
  }
  return shapeX;
}

function sizeOf(x: Tensor, y: Tensor, adjoints: Adjoints, broadcasts: boolean): ProductSize {
  if (!broadcasts && x.shape.length !== y.shape.length) {
    throw invalidArgument(`In[0] and In[1] has different ndims: ${bothShapes(x, y, " vs. ")}`);
  }
  for (const [i, { shape }] of [x, y].entries()) {
    if (shape.length < 2) {
      throw invalidArgument(`In[${i}] ndims must be >= 2: ${shape.length}`);
    }
  }
  const [rowsX = 0, columnsX = 0] = x.shape.slice(-2);
  const [rowsY = 0, columnsY = 0] = y.shape.slice(-2);
  const inner = adjoints.x ? rowsX : columnsX;
  if (inner !== (adjoints.y ? columnsY : rowsY)) {
    throw invalidArgument(
      `Matrix size-incompatible: ${namedShapes(x, y)} ${Number(adjoints.x)} ${Number(adjoints.y)}`,
    );
  }
  return { rows: adjoints.x ? columnsX : rowsX, inner, columns: adjoints.y ? rowsY : columnsY };
}

function bothShapes(x: Tensor, y: Tensor, between: string): string {
  return `${cppShapeText(x.shape)}${between}${cppShapeText(y.shape)}`;
}

function namedShapes(x: Tensor, y: Tensor): string {
  return `In[0]: ${cppShapeText(x.shape)}, In[1]: ${cppShapeText(y.shape)}`;
}

function adjointsOf(node: KernelNode): Adjoints {
  return { x: node.bool("adj_x"), y: node.bool("adj_y") };
}

function costOf(node: KernelNode, inputs: readonly Tensor[]): number {
  const [x, y] = inputs;
  if (x === undefined || y === undefined || x.shape.length < 2 || y.shape.length < 2) {
    return 0;
  }
  const adjoints = adjointsOf(node);
  const [rowsX = 0, columnsX = 0] = x.shape.slice(-2);
  const size = {
    rows: adjoints.x ? columnsX : rowsX,
    inner: adjoints.x ? rowsX : columnsX,
    columns: y.shape.at(adjoints.y ? -2 : -1) ?? 0,
  };
  const shape = tryBroadcast(x.shape.slice(0, -2), y.shape.slice(0, -2)) ?? [0];
  return productCost(x.dtype, size, productOf(shape));
}

function sameTypeKernel(op: string, broadcasts: boolean, types: readonly DType[]): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const adjoints = adjointsOf(node);
      return withSmallFloats((inputs) => {
        const [x, y] = [inputAt(inputs, 0), inputAt(inputs, 1)];
        return [batchMatMul(x, y, adjoints, batchOf(x, y, adjoints, broadcasts), x.dtype)];
      });
    },
    { types: { T: types }, cost: costOf },
  );
}

const sameTypes = [...allFloatTypes, ...complexTypes, "int32", "int64"] as const satisfies readonly DType[];
const byteTypes = ["int8", "uint8"] as const satisfies readonly DType[];

/** BatchMatMulV3 has a dtype for each operand and the result. */
function mixedTypesFit(node: KernelNode): boolean {
  const [x, y, out] = [node.type("Ta"), node.type("Tb"), node.type("Tout")];
  const bytes: readonly DType[] = byteTypes;
  return (x === y && y === out) || (out === "int32" && bytes.includes(x) && bytes.includes(y));
}

const batchMatMulV3 = pureKernel(
  "BatchMatMulV3",
  (node) => {
    const adjoints = adjointsOf(node);
    const dtype = node.type("Tout");
    const multiply = (x: Tensor, y: Tensor, out: DType) =>
      batchMatMul(x, y, adjoints, batchOf(x, y, adjoints, true), out);
    if (isSmallFloat(dtype)) {
      return withSmallFloats((inputs) => [multiply(inputAt(inputs, 0), inputAt(inputs, 1), "float32")]);
    }
    return (inputs) => [multiply(inputAt(inputs, 0), inputAt(inputs, 1), dtype)];
  },
  {
    types: {
      Ta: [...sameTypes, "int16", ...byteTypes],
      Tb: [...sameTypes, "int16", ...byteTypes],
      Tout: [...sameTypes, "int16"],
    },
    fits: mixedTypesFit,
    cost: costOf,
  },
);

export const batchMatMulKernels: readonly PureKernelDefinition[] = [
  sameTypeKernel("BatchMatMul", false, sameTypes),
  sameTypeKernel("BatchMatMulV2", true, [...sameTypes, "int16"]),
  batchMatMulV3,
];
