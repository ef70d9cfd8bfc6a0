/** Gradients of ops of linear algebra. Facts from tensorflow/python/ops/linalg_grad.py and array_grad.py. */
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";
import { product, sumBatches } from "./matrices.js";

function negative(at: OpGradient, x: Output): Output {
  return at.call("Neg", [x]);
}

/** A number of each matrix, as a factor of all of its elements. */
function ofEachMatrix(at: OpGradient, numbers: Output): Output {
  return at.call("ExpandDims", [at.call("ExpandDims", [numbers, -1]), -1]);
}

const inverse: GradientRule = (at) => {
  const { y, g } = at;
  const adjoint = at.flag("adjoint");
  return [negative(at, product(at, y, product(at, g, y, adjoint, !adjoint), !adjoint))];
};

const cholesky: GradientRule = (at) => {
  const { call, y, g } = at;
  const identity = call("MatrixDiag", [call("OnesLike", [call("MatrixDiagPart", [y])])]);
  const inverted = call("MatrixTriangularSolve", [y, identity]);
  const full = product(at, y, g, true);
  const halved = call("MatrixSetDiag", [full, call("Mul", [call("MatrixDiagPart", [full]), 0.5])]);
  const middle = call("MatrixBandPart", [halved, at.ints(-1), at.ints(0)]);
  const half = product(at, product(at, inverted, middle, true), inverted);
  const order = Array.from({ length: at.rankOf(0) }, (_, axis) => axis);
  const flipped = [...order.slice(0, -2), ...order.slice(-2).reverse()];
  return [call("Mul", [call("AddV2", [half, call("Transpose", [half, at.ints(flipped)])]), 0.5])];
};

const solve: GradientRule = (at) => {
  const adjoint = at.flag("adjoint");
  const ofRight = at.call("MatrixSolve", [at.x, at.g], { adjoint: !adjoint });
  const [a, b] = adjoint ? [at.y, ofRight] : [ofRight, at.y];
  return [negative(at, product(at, a, b, false, true)), ofRight];
};

const triangularSolve: GradientRule = (at) => {
  const { call, x } = at;
  const [adjoint, lower] = [at.flag("adjoint"), at.flag("lower")];
  const ofRight = call("MatrixTriangularSolve", [x, at.g], { lower, adjoint: !adjoint });
  const [a, b] = adjoint ? [at.y, ofRight] : [ofRight, at.y];
  const full = negative(at, product(at, a, b, false, true));
  const half = call("MatrixBandPart", [full, at.ints(lower ? -1 : 0), at.ints(lower ? 0 : -1)]);
  return [sumBatches(at, x, half, at.input(1)), sumBatches(at, at.input(1), ofRight, x)];
};

/** Zeros in place of a diagonal. */
const setDiagonal: GradientRule = (at) => {
  const { call, g } = at;
  const zeros = call("ZerosLike", [at.input(1)]);
  return [call("MatrixSetDiag", [g, zeros]), call("MatrixDiagPart", [g])];
};

/** The ops of several diagonals, which have an alignment from their third version on. */
function diagonals(version: "V2" | "V3"): GradientRules {
  const attrs = (at: OpGradient) => at.attrs(...(version === "V3" ? ["align"] : []));
  const part = (at: OpGradient, g: Output, k: Output) => {
    const zero = at.call("Cast", [at.ints(0)], { DstT: g.dtype });
    return at.call(`MatrixDiagPart${version}`, [g, k, zero], attrs(at));
  };
  const set = (at: OpGradient, x: Output, diagonal: Output, k: Output) =>
    at.call(`MatrixSetDiag${version}`, [x, diagonal, k], attrs(at));
  return {
    [`MatrixDiag${version}`]: (at) => [
      part(at, at.g, at.input(1)),
      undefined,
      undefined,
      undefined,
      undefined,
    ],
    [`MatrixDiagPart${version}`]: (at) => [
      set(at, at.call("ZerosLike", [at.x]), at.g, at.input(1)),
      undefined,
      undefined,
    ],
    [`MatrixSetDiag${version}`]: (at) => [
      set(at, at.g, at.call("ZerosLike", [at.input(1)]), at.input(2)),
      part(at, at.g, at.input(2)),
      undefined,
    ],
  };
}

export const LINEAR_ALGEBRA: GradientRules = {
  MatrixInverse: inverse,
  MatrixDeterminant: (at) => {
    const inverted = at.call("MatrixInverse", [at.x], { adjoint: true });
    return [at.call("Mul", [ofEachMatrix(at, at.call("Mul", [at.g, at.y])), inverted])];
  },
  LogMatrixDeterminant: (at) => {
    const inverted = at.call("MatrixInverse", [at.x], { adjoint: true });
    return [at.call("Mul", [ofEachMatrix(at, at.gradient(1)), inverted])];
  },
  Cholesky: cholesky,
  MatrixSolve: solve,
  MatrixTriangularSolve: triangularSolve,
  MatrixDiagPart: (at) => [at.call("MatrixSetDiag", [at.call("ZerosLike", [at.x]), at.g])],
  MatrixSetDiag: setDiagonal,
  ...diagonals("V2"),
  ...diagonals("V3"),
  Cross: (at) => [at.call("Cross", [at.input(1), at.g]), at.call("Cross", [at.g, at.x])],
};
