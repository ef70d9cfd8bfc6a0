/** Decompositions whose factors are not unique: what their products are is. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const numbers = [4, 1, -2, 2, 1, 2, 0, 1, -2, 0, 3, -2, 2, 1, -2, -1, 5, 0.25, 7, -3, 2, 2, 1, 6];
/** A matrix of rank 1, so that most of its singular vectors are any that are orthogonal. */
const ofRankOne = [1, 2, 3, 2, 4, 6, 3, 6, 9, -1, -2, -3];

/** left · right, or left · rightᵀ. */
function product(g: Graph, left: Output, right: Output, transposed = false): Output {
  return g.op("BatchMatMulV2", [left, right], { adj_y: transposed }).output;
}

/** vectorsᵀ · vectors: the identity. */
function gram(g: Graph, vectors: Output): Output {
  return g.op("BatchMatMulV2", [vectors, vectors], { adj_x: true }).output;
}

/** vectors · diag(values). */
function scaled(g: Graph, vectors: Output, values: Output): Output {
  const row = g.op("ExpandDims", [values, Tensor.of(-2, "int32")]).output;
  return g.op("Mul", [vectors, row]).output;
}

function singularValueProgram(name: string, input: Tensor, full: boolean): Program {
  const [rows = 0, columns = 0] = input.shape.slice(-2);
  return {
    name: `svd_${name}_${input.dtype}${full ? "_full" : ""}`,
    tolerance: { ulps: 32, scale: "largest" },
    build: (g) => {
      const found = g.op("Svd", [input], { full_matrices: full });
      const [values, u, v] = [found.outputAt(0), found.outputAt(1), found.outputAt(2)];
      const orthogonal = { run: [values, gram(g, u), gram(g, v)] };
      return rows === columns || !full
        ? [orthogonal, { run: [product(g, scaled(g, u, values), v, true)] }]
        : [orthogonal];
    },
  };
}

function eigenProgram(dtype: DType): Program {
  return {
    name: `self_adjoint_eig_${dtype}`,
    tolerance: { ulps: 32, scale: "largest" },
    build: (g) => {
      const isComplex = dtype === "complex64" || dtype === "complex128";
      // Only the lower triangle is looked at.
      const values = numbers.slice(0, 16);
      const input = isComplex ? complexOf(values, dtype, [4, 4]) : Tensor.of(values, dtype, [4, 4]);
      const found = g.op("SelfAdjointEigV2", [input]);
      const [e, vectors] = [found.outputAt(0), found.outputAt(1)];
      return [
        { run: [e, gram(g, vectors)] },
        { run: [product(g, scaled(g, vectors, e), vectors, true)] },
        { run: [g.op("SelfAdjointEigV2", [input], { compute_v: false }).outputAt(0)] },
      ];
    },
  };
}

/** The numbers with imaginary parts of their own. */
function complexOf(values: readonly number[], dtype: DType, shape: readonly number[]): Tensor {
  return Tensor.of(
    values.map((re, i) => ({ re, im: ((i * 7) % 5) - 2 })),
    dtype,
    shape,
  );
}

const complexPrograms = (["complex64", "complex128"] as const).flatMap((dtype) => [
  singularValueProgram("tall", complexOf(numbers, dtype, [2, 4, 3]), false),
  singularValueProgram("wide", complexOf(numbers, dtype, [2, 3, 4]), false),
  singularValueProgram("wide", complexOf(numbers, dtype, [2, 3, 4]), true),
  singularValueProgram("square", complexOf(numbers.slice(0, 16), dtype, [4, 4]), true),
  // Rows that are multiples of one: of rank 1.
  singularValueProgram(
    "flat",
    Tensor.of(
      ofRankOne.map((value) => ({ re: value, im: 2 * value })),
      dtype,
      [4, 3],
    ),
    true,
  ),
  eigenProgram(dtype),
]);

const realPrograms = (["float32", "float64"] as const).flatMap((dtype) => [
  singularValueProgram("tall", Tensor.of(numbers, dtype, [2, 4, 3]), false),
  singularValueProgram("wide", Tensor.of(numbers, dtype, [2, 3, 4]), false),
  singularValueProgram("wide", Tensor.of(numbers, dtype, [2, 3, 4]), true),
  singularValueProgram("flat", Tensor.of(ofRankOne, dtype, [4, 3]), false),
  singularValueProgram("flat", Tensor.of(ofRankOne, dtype, [4, 3]), true),
  eigenProgram(dtype),
]);

export const decompositionPrograms: readonly Program[] = [...realPrograms, ...complexPrograms];
