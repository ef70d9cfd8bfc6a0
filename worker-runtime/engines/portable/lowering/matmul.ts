import { namedLabels, parseEquation } from "../../../graph/op-specs/einsum.js";
import { type DType, itemSize } from "../../../protocol/dtype.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { fusedStepsOf } from "../kernels/nn/fused-steps.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { float, int, string } from "../onnx/attributes.js";
import { MICROSOFT, type ModelBuilder, type OnnxValue } from "../onnx/model-builder.js";
import { int64s, scalar } from "./constants.js";
import { numbers } from "./dtypes.js";
import { accepts } from "./fits.js";
import { lowerFusedSteps } from "./fused-steps.js";
import { transposeMatrices } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { products } from "./origins.js";
import { inputAt, Writer } from "./writer.js";

/** The dtypes for which ONNX Runtime has matrix products on the CPU. */
const productTypes = ["float32", "float64", "int32", "int64"] as const satisfies readonly DType[];

function isFloat(dtype: DType): boolean {
  return dtype === "float32" || dtype === "float64";
}

interface Operand {
  readonly value: OnnxValue;
  readonly rank: number;
  /** Whether its last two dimensions are swapped first. */
  readonly transposed: boolean;
}

/**
 * The product of two tensors of matrices, whose other dimensions broadcast. Transposed operands are read in place if
 * ONNX Runtime has an operator for it: Gemm for single matrices, its own FusedMatMul for float32.
 */
export function multiply(model: ModelBuilder, a: Operand, b: Operand): OnnxValue {
  const { dtype } = a.value;
  const values = [a.value, b.value];
  if (!a.transposed && !b.transposed) {
    return model.node("MatMul", values, dtype);
  }
  const attributes = transposes(a, b);
  if (isFloat(dtype) && a.rank === 2 && b.rank === 2) {
    return model.node("Gemm", values, dtype, { attributes });
  }
  if (dtype === "float32") {
    return model.node("FusedMatMul", values, dtype, { attributes, domain: MICROSOFT });
  }
  const plain = [a, b].map(({ value, rank, transposed }) =>
    transposed ? transposeMatrices(model, value, rank) : value,
  );
  return model.node("MatMul", plain, dtype);
}

function transposes(a: Operand, b: Operand): OnnxAttributes {
  return { transA: int(Number(a.transposed)), transB: int(Number(b.transposed)) };
}

/** Rows at such a distance in memory share the same few lines of a level-1 cache. */
const ALIASING_BYTES = 4096;
/** With fewer rows, copies of both matrices take longer than they save. */
const MIN_PADDED_ROWS = 512;
/** A cache line of float32. */
const PADDING = 16;

/**
 * Whether the rows of the first factor, which ONNX Runtime reads a dozen at a time without copying them, evict each other
 * from the cache. The product of two matrices of 2048 x 2048 takes 132 ms, padded 104 ms.
 */
function hasAliasingRows({ value, transposed }: Operand, { isOnGpu, likelyShape }: LoweringContext): boolean {
  if (isOnGpu || transposed || !isFloat(value.dtype)) {
    return false;
  }
  const [rows = 0, columns = 0] = likelyShape(value) ?? [];
  return rows >= MIN_PADDED_ROWS && columns > 0 && (columns * itemSize(value.dtype)) % ALIASING_BYTES === 0;
}

/** Zeros added to the rows of one factor or to the columns of the other. */
function padded(model: ModelBuilder, { value, ...operand }: Operand, axis: 0 | 1): Operand {
  const ends = int64s(model, axis === 0 ? [0, 0, PADDING, 0] : [0, 0, 0, PADDING]);
  return { ...operand, value: model.node("Pad", [value, ends, scalar(model, value.dtype, 0)], value.dtype) };
}

function matMul(
  node: KernelNode,
  [a, b]: readonly OnnxValue[],
  context: LoweringContext,
): OnnxValue | undefined {
  const { model, rank } = context;
  if (a === undefined || b === undefined || rank(a) !== 2 || rank(b) !== 2) {
    return undefined;
  }
  const left = { value: a, rank: 2, transposed: node.bool("transpose_a") };
  const right = { value: b, rank: 2, transposed: node.bool("transpose_b") };
  if (hasAliasingRows(left, context)) {
    return multiply(model, padded(model, left, 1), padded(model, right, right.transposed ? 1 : 0));
  }
  const product = multiply(model, left, right);
  if (isFloat(a.dtype) && !context.isOnGpu) {
    products.set(product, {
      inner: context.likelyShape(a)?.[left.transposed ? 0 : 1],
      plus: (addend, scale = 1) => {
        const attributes = { ...transposes(left, right), alpha: float(scale) };
        return model.node("Gemm", [a, b, addend], a.dtype, { attributes });
      },
    });
  }
  return product;
}

/**
 * A product of tensors of non-empty matrices. If the inner dimension is 0, ONNX Runtime 1.30 leaves all results of a
 * batch but the first uninitialized, and it does not broadcast the batch of empty matrices. The model fails for these.
 */
function ofNoEmptyMatrices(
  product: OnnxValue,
  operands: readonly OnnxValue[],
  context: LoweringContext,
): OnnxValue {
  const write = new Writer(context);
  const sizes = write.join(...operands.map((operand) => write.shape(operand, -2)));
  const least = write.same("ReduceMin", [sizes], { keepdims: int(1) });
  const isThere = write.test("Greater", least, write.scalar("int64", 0));
  return write.reshape(product, write.where(isThere, write.shape(product), write.scalar("int64", -2)));
}

/** @param broadcasts whether the dimensions before the matrices may differ. */
function batchMatMul(broadcasts: boolean): Lowering["lower"] {
  return (node, [x, y], context) => {
    if (x === undefined || y === undefined) {
      return undefined;
    }
    const { model, rank } = context;
    const [rankX, rankY] = [rank(x), rank(y)];
    // For different ranks, or a batch of size 1, ONNX would compute a product that the op's first version rejects.
    if (rankX < 2 || rankY < 2 || (!broadcasts && rankX !== rankY)) {
      return undefined;
    }
    const product = multiply(
      model,
      { value: x, rank: rankX, transposed: node.bool("adj_x") },
      { value: y, rank: rankY, transposed: node.bool("adj_y") },
    );
    return [rankX === 2 && rankY === 2 ? product : ofNoEmptyMatrices(product, [x, y], context)];
  };
}

/** ONNX's equations are the same, except that their labels are letters and an output has each only once. */
const einsum: Lowering = {
  op: "Einsum",
  types: { T: productTypes },
  fits: accepts((node) => {
    const { inputs, output } = parseEquation(node.string("equation"));
    const labels = namedLabels(output);
    return (
      new Set(labels).size === labels.length &&
      [...inputs, output].every((term) => /^[A-Za-z]*$/.test(namedLabels(term).join("")))
    );
  }),
  lower: (node, inputs, { model, rank }) => {
    const equation = node.string("equation");
    const { inputs: terms, output } = parseEquation(equation);
    const fit = terms.every((term, i) => {
      const hidden = rank(inputAt(inputs, i)) - namedLabels(term).length;
      return hidden === 0 || (hidden > 0 && term.includes("...") && output.includes("..."));
    });
    if (terms.length !== inputs.length || !fit) return undefined;
    const dtype = node.type("T");
    return [model.node("Einsum", inputs, dtype, { attributes: { equation: string(equation) } })];
  },
};

/** Cross products of the vectors along the last axis, which have three elements. */
const cross: Lowering = {
  op: "Cross",
  types: { T: numbers },
  lower: (_, inputs, context) => {
    const write = new Writer(context);
    const [a, b] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const rank = context.rank(a);
    if (rank === 0 || context.rank(b) !== rank) return undefined;
    const turned = (value: OnnxValue, by: number) =>
      write.same("Gather", [value, write.longs([by, by + 1, by + 2].map((i) => i % 3))], {
        axis: int(rank - 1),
      });
    const product = write.sub(write.mul(turned(a, 1), turned(b, 2)), write.mul(turned(a, 2), turned(b, 1)));
    return [write.ofOneShape(product, [a, b])];
  },
};

const types = { T: productTypes };

export const matMulLowerings: readonly Lowering[] = [
  {
    op: "MatMul",
    types,
    lower: (node, inputs, context) => {
      const product = matMul(node, inputs, context);
      return product === undefined ? undefined : [product];
    },
  },
  { op: "BatchMatMul", types, lower: batchMatMul(false) },
  { op: "BatchMatMulV2", types, lower: batchMatMul(true) },
  {
    op: "BatchMatMulV3",
    types: { Ta: productTypes, Tb: productTypes, Tout: productTypes },
    fits: (node) => node.type("Ta") === node.type("Tb") && node.type("Tb") === node.type("Tout"),
    lower: batchMatMul(true),
  },
  {
    op: "_FusedMatMul",
    types: { T: ["float32"] },
    fits: accepts(fusedStepsOf),
    lower: (node, inputs, context) => {
      const product = matMul(node, inputs, context);
      return product === undefined
        ? undefined
        : [lowerFusedSteps(node, product, inputs.slice(2), { model: context.model, rank: 2, axis: 1 })];
    },
  },
  einsum,
  cross,
];
