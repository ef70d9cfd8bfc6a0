import type { DType } from "../../protocol/dtype.js";
import type { Tensor } from "../../protocol/tensor.js";
import { addConstant, type OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { range, rank } from "./array.js";
import { graphOf, intsOrTensor, intTensor, type OpOptions } from "./common.js";

function binary(type: string, name = type) {
  return (a: OpValue, b: OpValue, options: OpOptions = {}): Output =>
    graphOf(a, b).op(type, [a, b], {}, options.name ?? name).output;
}

function unary(type: string) {
  return (x: OpValue, options: OpOptions = {}): Output =>
    graphOf(x).op(type, [x], {}, options.name ?? type).output;
}

/** a + b, element by element; shapes are broadcast. The same holds for all binary functions here. */
export const add = binary("AddV2", "Add");
export const subtract = binary("Sub");
export const multiply = binary("Mul");
/** a / b of floating-point or complex numbers. */
export const divide = binary("RealDiv", "truediv");
/** a / b, and 0 where b is 0. */
export const divideNoNan = binary("DivNoNan", "div_no_nan");
/** (a - b)² */
export const squaredDifference = binary("SquaredDifference");
/** a / b, rounded down. */
export const floorDivide = binary("FloorDiv", "floordiv");
export const maximum = binary("Maximum");
export const minimum = binary("Minimum");
export const less = binary("Less");
export const greater = binary("Greater");
export const greaterEqual = binary("GreaterEqual");
export const equal = binary("Equal");
export const notEqual = binary("NotEqual");
export const logicalAnd = binary("LogicalAnd");

export const negative = unary("Neg");
export const square = unary("Square");
export const sqrt = unary("Sqrt");
export const exp = unary("Exp");
export const log = unary("Log");
export const absolute = unary("Abs");
export const logicalNot = unary("LogicalNot");

/** x where the condition holds and y elsewhere, element by element; shapes are broadcast. */
export function where(condition: OpValue, x: OpValue, y: OpValue, options: OpOptions = {}): Output {
  return graphOf(condition, x, y).op("SelectV2", [condition, x, y], {}, options.name ?? "SelectV2").output;
}

export interface MatMulOptions extends OpOptions {
  readonly transposeA?: boolean | undefined;
  readonly transposeB?: boolean | undefined;
}

/** The product of two matrices: [m, k] and [k, n] give [m, n]. */
export function matMul(a: OpValue, b: OpValue, options: MatMulOptions = {}): Output {
  const attrs = { transpose_a: options.transposeA ?? false, transpose_b: options.transposeB ?? false };
  return graphOf(a, b).op("MatMul", [a, b], attrs, options.name ?? "MatMul").output;
}

/** The same numbers in another dtype. */
export function cast(x: Output, dtype: DType, options: OpOptions = {}): Output {
  if (x.dtype === dtype && !x.isRef) return x;
  return graphOf(x).op("Cast", [x], { DstT: dtype }, options.name ?? "Cast").output;
}

export interface ReductionOptions extends OpOptions {
  /** Keeps the reduced dimensions with size 1. */
  readonly keepDims?: boolean | undefined;
}

/** The dimensions to reduce: those given, or all. */
function reductionAxes(x: Output, axis: number | readonly number[] | Output | undefined): Output | Tensor {
  if (axis !== undefined) return typeof axis === "number" ? intTensor(axis) : intsOrTensor(axis);
  const { shape } = x;
  const graph = graphOf(x);
  if (shape) return addConstant(graph, intTensor(shape.map((_, i) => i)), "Const");
  const dimensions = rank(x);
  return range(graph, 0, dimensions);
}

function reduction(type: string) {
  return (x: Output, axis?: number | readonly number[] | Output, options: ReductionOptions = {}): Output => {
    const axes = reductionAxes(x, axis);
    return graphOf(x).op(type, [x, axes], { keep_dims: options.keepDims ?? false }, options.name ?? type)
      .output;
  };
}

/** The sum over the given dimensions, or over all. The same holds for all reductions here. */
export const reduceSum = reduction("Sum");
export const reduceMean = reduction("Mean");
export const reduceMax = reduction("Max");
export const reduceMin = reduction("Min");
export const reduceProd = reduction("Prod");

/** The index of the largest value along a dimension. */
export function argMax(
  x: Output,
  axis = 0,
  options: OpOptions & { readonly outputType?: "int32" | "int64" | undefined } = {},
): Output {
  const attrs = { output_type: options.outputType ?? "int64" };
  return graphOf(x).op("ArgMax", [x, intTensor(axis)], attrs, options.name ?? "ArgMax").output;
}
