/**
 * Gradients of decompositions of matrices and of systems of equations. Facts from tensorflow/python/ops/linalg_grad.py; as
 * there, those of equal eigenvalues or singular values are not defined.
 */
import { unimplemented } from "../../protocol/status.js";
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";
import { product, sumBatches } from "./matrices.js";

const add = (at: OpGradient, a: Output, b: Output) => at.call("AddV2", [a, b]);
const subtract = (at: OpGradient, a: Output, b: Output) => at.call("Sub", [a, b]);
const multiply = (at: OpGradient, a: Output, b: Output) => at.call("Mul", [a, b]);
const negative = (at: OpGradient, a: Output) => at.call("Neg", [a]);
const diagonal = (at: OpGradient, a: Output) => at.call("MatrixDiag", [a]);

/** With the last two dimensions exchanged. */
function transposed(at: OpGradient, a: Output): Output {
  const rank = a.shape?.length ?? at.rankOf(0);
  const order = Array.from({ length: rank }, (_, axis) => axis);
  return at.call("Transpose", [a, at.ints([...order.slice(0, -2), rank - 1, rank - 2])]);
}

/** Elements from `begin` to before `end` of the last dimensions, one range each; all of the others. */
function part(at: OpGradient, a: Output, ranges: readonly (readonly [number, number | undefined])[]): Output {
  const zeros = ranges.map(() => 0);
  const open = ranges.reduce((mask, [, end], i) => (end === undefined ? mask | (1 << (i + 1)) : mask), 1);
  return at.call(
    "StridedSlice",
    [
      a,
      at.ints([0, ...ranges.map(([begin]) => begin)]),
      at.ints([0, ...ranges.map(([, end]) => end ?? 0)]),
      at.ints([1, ...zeros.map(() => 1)]),
    ],
    { ellipsis_mask: 1, end_mask: open },
  );
}

/** 1 / x without a pole at 0. */
function safeReciprocal(at: OpGradient, x: Output): Output {
  return multiply(at, x, at.call("Reciprocal", [at.call("AddV2", [multiply(at, x, x), 1e-20])]));
}

/** 1 / (values[j] - values[i]) outside of the diagonal, which is 0. */
function reciprocalDifferences(at: OpGradient, values: Output): Output {
  const { call } = at;
  const differences = subtract(at, call("ExpandDims", [values, -2]), call("ExpandDims", [values, -1]));
  return call("MatrixSetDiag", [safeReciprocal(at, differences), call("ZerosLike", [values])]);
}

const symmetricEigen: GradientRule = (at) => {
  const { call, op } = at;
  const withVectors = at.flag("compute_v");
  const [values, given] = [op.outputAt(0), diagonal(at, at.gradient(0))];
  const vectors = withVectors
    ? op.outputAt(1)
    : at.graph.op("SelfAdjointEigV2", [at.x], { compute_v: true }).outputAt(1);
  const turned = () =>
    multiply(at, reciprocalDifferences(at, values), product(at, vectors, at.gradient(1), true));
  const inner = withVectors ? add(at, given, turned()) : given;
  const full = product(at, vectors, product(at, inner, vectors, false, true));
  // The op reads the lower triangle only.
  const lower = call("MatrixBandPart", [add(at, full, transposed(at, full)), at.ints(-1), at.ints(0)]);
  return [call("MatrixSetDiag", [lower, call("Mul", [call("MatrixDiagPart", [lower]), 0.5])])];
};

const singularValues: GradientRule = (at) => {
  const { op } = at;
  const given = diagonal(at, at.gradient(0));
  if (!at.flag("compute_uv")) {
    const [, u, v] = at.graph.op("Svd", [at.x], { compute_uv: true, full_matrices: false }).outputs;
    return [product(at, u as Output, product(at, given, v as Output, false, true))];
  }
  const [rows = -1, columns = -1] = at.x.shape?.slice(-2) ?? [];
  if (rows < 0 || columns < 0) throw at.needs(`the number of rows and columns of ${at.x.name}`);
  const full = at.flag("full_matrices");
  if (full && Math.abs(rows - columns) > 1) {
    throw unimplemented(
      `The gradient of Svd node "${op.name}" is not available: with full_matrices the numbers of rows and columns may ` +
        `differ by 1 at most, and they are ${rows} and ${columns}.`,
    );
  }
  const isTall = rows > columns;
  const [m, n] = isTall ? [columns, rows] : [rows, columns];
  const [u, v] = isTall ? [op.outputAt(2), op.outputAt(1)] : [op.outputAt(1), op.outputAt(2)];
  const [ofU, ofV] = isTall ? [at.gradient(2), at.gradient(1)] : [at.gradient(1), at.gradient(2)];
  const values = op.outputAt(0);
  const factors = reciprocalDifferences(at, at.call("Square", [values]));
  const first = (matrix: Output) =>
    part(at, matrix, [
      [0, undefined],
      [0, m],
    ]);
  const [v1, ofV1] = full && n > m ? [first(v), first(ofV)] : [v, ofV];
  const symmetric = (side: Output, gradient: Output) => {
    const turned = multiply(at, factors, product(at, side, gradient, true));
    return add(at, turned, transposed(at, turned));
  };
  const scale = diagonal(at, values);
  const inner = add(
    at,
    add(at, given, product(at, symmetric(u, ofU), scale)),
    product(at, scale, symmetric(v1, ofV1)),
  );
  let gradient = product(at, u, product(at, inner, v1, false, true));
  if (m !== n) {
    const ofRows = transposed(at, ofV1);
    let rest = subtract(at, ofRows, product(at, product(at, ofRows, v1), v1, false, true));
    if (full) {
      const last = (matrix: Output) =>
        part(at, matrix, [
          [0, undefined],
          [m, n],
        ]);
      rest = subtract(at, rest, product(at, product(at, v1, last(ofV), true), last(v), false, true));
    }
    const inverted = product(at, u, diagonal(at, safeReciprocal(at, values)));
    gradient = add(at, gradient, product(at, inverted, rest));
  }
  return [isTall ? transposed(at, gradient) : gradient];
};

/** x · r⁻ᵀ for an upper triangular r. */
function byTriangle(at: OpGradient, x: Output, r: Output): Output {
  return transposed(at, at.call("MatrixTriangularSolve", [r, transposed(at, x)], { lower: false }));
}

/** Roberts and Roberts (2020), QR and LQ Decomposition Matrix Backpropagation Algorithms, for rows >= columns. */
function ofTallFactors(at: OpGradient, q: Output, r: Output, dq: Output, dr: Output): Output {
  const antisymmetric = (matrix: Output) => subtract(at, matrix, transposed(at, matrix));
  const qdq = product(at, q, dq, true);
  const both = add(at, antisymmetric(qdq), antisymmetric(product(at, r, dr, false, true)));
  const lower = at.call("MatrixBandPart", [both, at.ints(-1), at.ints(0)]);
  const inside = product(at, q, add(at, dr, byTriangle(at, lower, r)));
  return add(at, inside, byTriangle(at, subtract(at, dq, product(at, q, qdq)), r));
}

const orthogonalTriangular: GradientRule = (at) => {
  const [rows = -1, columns = -1] = at.x.shape?.slice(-2) ?? [];
  if (rows < 0 || columns < 0) throw at.needs(`the number of rows and columns of ${at.x.name}`);
  if (at.flag("full_matrices") && rows > columns) {
    throw unimplemented(
      `The gradient of Qr node "${at.op.name}" is not available: with full_matrices there may not be more rows than ` +
        `columns, and they are ${rows} and ${columns}.`,
    );
  }
  const [q, r] = [at.op.outputAt(0), at.op.outputAt(1)];
  const [dq, dr] = [at.gradient(0), at.gradient(1)];
  if (rows >= columns) return [ofTallFactors(at, q, r, dq, dr)];
  // Wide matrices [x, y] = q · [u, v] are a square one and what follows from it.
  const left = (matrix: Output) =>
    part(at, matrix, [
      [0, undefined],
      [0, rows],
    ]);
  const right = (matrix: Output) =>
    part(at, matrix, [
      [0, undefined],
      [rows, undefined],
    ]);
  const ofSquare = add(at, dq, product(at, right(at.x), right(dr), false, true));
  const dx = ofTallFactors(at, q, left(r), ofSquare, left(dr));
  return [at.call("ConcatV2", [[dx, product(at, q, right(dr))], -1])];
};

/** The solution of a · aᵀ + λ or aᵀ · a + λ with the right sides. */
function gramian(at: OpGradient, regularizer: Output, ofColumns: boolean): (right: Output) => Output {
  const { call, x: a } = at;
  const square = product(at, a, a, ofColumns, !ofColumns);
  const ones = call("OnesLike", [call("MatrixDiagPart", [square])]);
  const factor = call("Cholesky", [add(at, square, diagonal(at, multiply(at, regularizer, ones)))]);
  return (right) => {
    const half = call("MatrixTriangularSolve", [factor, right], { lower: true });
    return call("MatrixTriangularSolve", [factor, half], { lower: true, adjoint: true });
  };
}

const leastSquares: GradientRule = (at) => {
  if (!at.flag("fast")) {
    throw unimplemented(`The gradient of MatrixSolveLs node "${at.op.name}" is defined only with fast=True.`);
  }
  const [rows = -1, columns = -1] = at.x.shape?.slice(-2) ?? [];
  if (rows < 0 || columns < 0) throw at.needs(`the number of rows and columns of ${at.x.name}`);
  const { x: a, y, g } = at;
  const right = at.input(1);
  const regularizer = at.call("Cast", [at.input(2)], { DstT: a.dtype });
  const solved = gramian(at, regularizer, rows >= columns);
  if (rows >= columns) {
    const z = solved(g);
    const cross = product(at, y, z, false, true);
    const both = product(at, a, add(at, cross, transposed(at, cross)));
    return [subtract(at, product(at, right, z, false, true), both), product(at, a, z), undefined];
  }
  const ofRight = solved(product(at, a, g));
  const solution = solved(right);
  const first = product(at, ofRight, product(at, solution, a, true));
  const rest = subtract(at, g, product(at, a, ofRight, true));
  return [subtract(at, product(at, solution, rest, false, true), first), ofRight, undefined];
};

const bandedSolve: GradientRule = (at) => {
  const { call, x: bands, y } = at;
  const [adjoint, lower] = [at.flag("adjoint"), at.flag("lower")];
  const right = at.input(1);
  const ofRight = call("BandedTriangularSolve", [bands, at.g], { lower, adjoint: !adjoint });
  const [a, b] = adjoint ? [y, ofRight] : [ofRight, y];
  const full = negative(at, product(at, a, b, false, true));
  const sizes = call("Shape", [bands]);
  const count = call("StridedSlice", [sizes, [-2], [-1], [1]], { shrink_axis_mask: 1 });
  const last = call("Sub", [count, 1]);
  const range = call("Pack", [lower ? [call("Neg", [last]), at.ints(0)] : [at.ints(0), last]]);
  const zero = call("Cast", [at.ints(0)], { DstT: full.dtype });
  const ofBands = call("MatrixDiagPartV3", [full, range, zero], { align: "LEFT_RIGHT" });
  return [sumBatches(at, bands, ofBands, right), sumBatches(at, right, ofRight, bands)];
};

/** The rows moved by one, with zeros where none comes. */
function shifted(at: OpGradient, x: Output, up: boolean): Output {
  const rest = part(
    at,
    x,
    up
      ? [
          [1, undefined],
          [0, undefined],
        ]
      : [
          [0, -1],
          [0, undefined],
        ],
  );
  const rank = x.shape?.length ?? at.rankOf(0);
  const padding = Array.from({ length: rank }, (_, axis) =>
    axis === rank - 2 ? (up ? [0, 1] : [1, 0]) : [0, 0],
  );
  return at.call("Pad", [rest, padding]);
}

const tridiagonalProduct: GradientRule = (at) => {
  const { call, g } = at;
  const [above, main, below] = [0, 1, 2].map((i) => transposed(at, at.input(i))) as [Output, Output, Output];
  const right = at.input(3);
  const ofDiagonal = (rows: Output) =>
    call("ExpandDims", [call("Sum", [multiply(at, rows, g), at.ints(-1)]), -2]);
  const ofRight = add(
    at,
    add(at, shifted(at, multiply(at, above, g), false), multiply(at, main, g)),
    shifted(at, multiply(at, below, g), true),
  );
  return [
    ofDiagonal(shifted(at, right, true)),
    ofDiagonal(right),
    ofDiagonal(shifted(at, right, false)),
    ofRight,
  ];
};

const tridiagonalSolve: GradientRule = (at) => {
  const { call, x: diagonals, y } = at;
  const row = (index: number) =>
    part(at, diagonals, [
      [index, index + 1],
      [0, undefined],
    ]);
  const [above, main, below] = [row(0), row(1), row(2)];
  const turned = (diagonal: Output, up: boolean) => transposed(at, shifted(at, transposed(at, diagonal), up));
  const adjoint = call("ConcatV2", [[turned(below, true), main, turned(above, false)], -2]);
  const ofRight = call("TridiagonalSolve", [adjoint, at.g], at.attrs("partial_pivoting", "perturb_singular"));
  const along = (rows: Output) => call("Sum", [multiply(at, ofRight, rows), at.ints(-1)]);
  const ofDiagonals = call("Pack", [[along(shifted(at, y, true)), along(y), along(shifted(at, y, false))]], {
    axis: -2,
  });
  return [negative(at, ofDiagonals), ofRight];
};

export const DECOMPOSITIONS: GradientRules = {
  SelfAdjointEigV2: symmetricEigen,
  Svd: singularValues,
  Qr: orthogonalTriangular,
  MatrixSolveLs: leastSquares,
  BandedTriangularSolve: bandedSolve,
  TridiagonalMatMul: tridiagonalProduct,
  TridiagonalSolve: tridiagonalSolve,
};
