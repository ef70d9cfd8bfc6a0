/** Ops of matrices: products, decompositions, solvers, diagonals and Einsum. */
import { labelDimensions, parseEquation } from "../op-specs/einsum.js";
import { broadcastShapes, mergeShapes, type Shape, shapeLabel } from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import {
  boolAttr,
  forOps,
  misfit,
  nameOf,
  ofRank,
  ofRankAtLeast,
  type Rules,
  type ShapeRule,
  sameSize,
  sizeAt,
  textAttr,
  what,
  within,
} from "./rule.js";

function inner(c: ShapeContext, a: number, b: number): number {
  return sameSize(
    c,
    a,
    b,
    () =>
      `${nameOf(c, 0)} is ${shapeLabel(c.inputShapes[0])}, ${nameOf(c, 1)} is ${shapeLabel(c.inputShapes[1])}: the inner sizes, ${a} and ${b}, must be equal.`,
  );
}

function matMul(transposeA: string, transposeB: string): ShapeRule {
  return (c) => {
    const [a, b] = [ofRank(c, 0, 2), ofRank(c, 1, 2)];
    const [fromA, fromB] = [boolAttr(c, transposeA), boolAttr(c, transposeB)];
    inner(c, sizeAt(a, fromA ? 0 : 1), sizeAt(b, fromB ? 1 : 0));
    return [[sizeAt(a, fromA ? 1 : 0), sizeAt(b, fromB ? 0 : 1)]];
  };
}

function batchMatMul(batches: (a: Shape, b: Shape, c: ShapeContext) => Shape | undefined): ShapeRule {
  return (c) => {
    const [a, b] = [ofRankAtLeast(c, 0, 2), ofRankAtLeast(c, 1, 2)];
    if (!a || !b) return [undefined];
    const [fromA, fromB] = [boolAttr(c, "adj_x"), boolAttr(c, "adj_y")];
    inner(c, sizeAt(a, fromA ? -2 : -1), sizeAt(b, fromB ? -1 : -2));
    const batch = batches(a.slice(0, -2), b.slice(0, -2), c);
    return [batch && [...batch, sizeAt(a, fromA ? -1 : -2), sizeAt(b, fromB ? -2 : -1)]];
  };
}

const broadcastBatches = batchMatMul((a, b, c) => broadcastShapes(a, b, what(c)));
const equalBatches = batchMatMul((a, b, c) => mergeShapes(a, b, what(c)));

/** A batch of matrices that must be square, with both sizes filled in from each other. */
function square(c: ShapeContext, index = 0): Shape | undefined {
  const shape = ofRankAtLeast(c, index, 2);
  if (!shape) return undefined;
  const size = sameSize(
    c,
    sizeAt(shape, -1),
    sizeAt(shape, -2),
    () => `${nameOf(c, index)} must hold square matrices, but its shape is ${shapeLabel(shape)}.`,
  );
  return [...shape.slice(0, -2), size, size];
}

const squared: ShapeRule = (c) => [square(c)];

const determinant: ShapeRule = (c) => [square(c)?.slice(0, -2)];

const logDeterminant: ShapeRule = (c) => {
  const batch = square(c)?.slice(0, -2);
  return [batch, batch];
};

/** X of A X = B. Batch sizes are equal, or broadcast where `broadcasts`. */
function solve(isSquare: boolean, broadcasts: boolean): ShapeRule {
  return (c) => {
    const lhs = isSquare ? square(c) : ofRankAtLeast(c, 0, 2);
    const rhs = ofRankAtLeast(c, 1, 2);
    if (!lhs || !rhs) return [undefined];
    const size = inner(c, sizeAt(lhs, -2), sizeAt(rhs, -2));
    const [left, right] = [lhs.slice(0, -2), rhs.slice(0, -2)];
    const batch = broadcasts ? broadcastShapes(left, right, what(c)) : mergeShapes(left, right, what(c));
    return [batch && [...batch, isSquare ? size : sizeAt(lhs, -1), sizeAt(rhs, -1)]];
  };
}

const qr: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 2);
  if (!input) return [];
  const [batch, m, n] = [input.slice(0, -2), sizeAt(input, -2), sizeAt(input, -1)];
  const least = m < 0 || n < 0 ? -1 : Math.min(m, n);
  if (boolAttr(c, "full_matrices"))
    return [
      [...batch, m, m],
      [...batch, m, n],
    ];
  return [
    [...batch, m, least],
    [...batch, least, n],
  ];
};

const svd: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 2);
  if (!input) return [];
  const [batch, m, n] = [input.slice(0, -2), sizeAt(input, -2), sizeAt(input, -1)];
  const least = m < 0 || n < 0 ? -1 : Math.min(m, n);
  const values = [...batch, least];
  if (!boolAttr(c, "compute_uv")) return [values, [0], [0]];
  if (boolAttr(c, "full_matrices")) return [values, [...batch, m, m], [...batch, n, n]];
  return [values, [...batch, m, least], [...batch, n, least]];
};

const eigen: ShapeRule = (c) => {
  const input = square(c);
  if (!input) return [];
  return [input.slice(0, -1), boolAttr(c, "compute_v") ? input : [0]];
};

const lu: ShapeRule = (c) => {
  const input = square(c);
  return [input, input?.slice(0, -1)];
};

const diag: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 1);
  return [input && [...input, ...input]];
};

const diagPart: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  if (!input) return [undefined];
  if (input.length % 2 !== 0 || input.length === 0) {
    throw misfit(c, `the number of dimensions must be even, but the shape is ${shapeLabel(input)}.`);
  }
  return [mergeShapes(input.slice(0, input.length / 2), input.slice(input.length / 2), what(c))];
};

const matrixDiag: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 1);
  return [input && [...input, sizeAt(input, -1)]];
};

const matrixDiagPart: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 2);
  if (!input) return [undefined];
  const [rows, columns] = [sizeAt(input, -2), sizeAt(input, -1)];
  return [[...input.slice(0, -2), rows < 0 || columns < 0 ? -1 : Math.min(rows, columns)]];
};

const matrixSetDiag: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 2);
  const diagonal = ofRankAtLeast(c, 1, 1);
  return [input && (diagonal ? ofRank(c, 0, diagonal.length + 1) : input)];
};

const einsum: ShapeRule = (c) =>
  within(c, () => {
    const { output, sizes } = labelDimensions(parseEquation(textAttr(c, "equation") ?? ""), c.inputShapes);
    return [output?.map((label) => sizes.get(label) ?? -1)];
  });

const rfft = (rank: number): ShapeRule =>
  fourier(rank, (size) => (size === 0 ? 0 : Math.floor(size / 2) + 1));
const irfft = (rank: number): ShapeRule => fourier(rank, (size) => size);

/** The last `rank` sizes are those of fft_length; of the last one `half` may keep only a part. */
function fourier(rank: number, half: (size: number) => number): ShapeRule {
  return (c) => {
    const input = ofRankAtLeast(c, 0, rank);
    const lengths = ofRank(c, 1, 1);
    sameSize(c, sizeAt(lengths, 0), rank, () => `${nameOf(c, 1)} must have ${rank} elements.`);
    if (!input) return [undefined];
    const given = c.knownInts(1)?.elements;
    const sizes = Array.from({ length: rank }, (_, i) => {
      const size = given?.[i];
      return size === undefined ? -1 : i === rank - 1 ? half(size) : size;
    });
    return [[...input.slice(0, -rank), ...sizes]];
  };
}

const sparseDense: ShapeRule = (c) => {
  const [b, adjointA, adjointB] = [ofRank(c, 3, 2), boolAttr(c, "adjoint_a"), boolAttr(c, "adjoint_b")];
  const sizes = c.knownInts(2)?.elements;
  const [rows, columns] = adjointA ? [sizes?.[1], sizes?.[0]] : [sizes?.[0], sizes?.[1]];
  const [inside, outside] = adjointB ? [sizeAt(b, 1), sizeAt(b, 0)] : [sizeAt(b, 0), sizeAt(b, 1)];
  sameSize(c, columns ?? -1, inside, () => `the inner sizes, ${columns} and ${inside}, must be equal.`);
  return [[rows ?? -1, outside]];
};

export const matrixRules: Rules = [
  ["MatMul", matMul("transpose_a", "transpose_b")],
  ["SparseMatMul", matMul("transpose_a", "transpose_b")],
  ["BatchMatMul", equalBatches],
  ...forOps("BatchMatMulV2 BatchMatMulV3", broadcastBatches),
  ...forOps(
    "Cholesky MatrixInverse MatrixSquareRoot MatrixExponential MatrixLogarithm CholeskyGrad",
    squared,
  ),
  ["MatrixDeterminant", determinant],
  ["LogMatrixDeterminant", logDeterminant],
  ["MatrixSolve", solve(true, false)],
  ["MatrixTriangularSolve", solve(true, true)],
  ["MatrixSolveLs", solve(false, false)],
  ["Qr", qr],
  ["Svd", svd],
  ["SelfAdjointEigV2", eigen],
  ["Eig", eigen],
  ["Lu", lu],
  ["Diag", diag],
  ["DiagPart", diagPart],
  ["MatrixDiag", matrixDiag],
  ["MatrixDiagPart", matrixDiagPart],
  ["MatrixSetDiag", matrixSetDiag],
  ["Einsum", einsum],
  ["RFFT", rfft(1)],
  ["RFFT2D", rfft(2)],
  ["RFFT3D", rfft(3)],
  ["IRFFT", irfft(1)],
  ["IRFFT2D", irfft(2)],
  ["IRFFT3D", irfft(3)],
  ["SparseTensorDenseMatMul", sparseDense],
];
