/**
 * Gradients of ops of sparse tensors: those of their values, and of dense tensors. Indices and shapes have none. Facts from
 * tensorflow/python/ops/sparse_grad.py.
 */
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** One column of the indices. */
function column(at: OpGradient, indices: Output, index: number): Output {
  return at.call("StridedSlice", [indices, [0, index], [0, index + 1], [1, 1]], {
    begin_mask: 1,
    end_mask: 1,
    shrink_axis_mask: 2,
  });
}

const timesDense: GradientRule = (at) => {
  const { call, g, x: indices } = at;
  const [values, shape, dense] = [at.input(1), at.input(2), at.input(3)];
  const [adjointA, adjointB] = [at.flag("adjoint_a"), at.flag("adjoint_b")];
  const ofDense = () => {
    const product = call("SparseTensorDenseMatMul", [indices, values, shape, g], { adjoint_a: !adjointA });
    return adjointB ? call("Transpose", [product, at.ints([1, 0])]) : product;
  };
  const ofValues = () => {
    const [rows, columns] = [column(at, indices, adjointA ? 1 : 0), column(at, indices, adjointA ? 0 : 1)];
    const table = adjointB ? call("Transpose", [dense, at.ints([1, 0])]) : dense;
    const products = call("Mul", [call("GatherV2", [g, rows, 0]), call("GatherV2", [table, columns, 0])]);
    return call("Sum", [products, at.ints(1)]);
  };
  return [undefined, at.wants(1) ? ofValues() : undefined, undefined, at.wants(3) ? ofDense() : undefined];
};

const reorder: GradientRule = (at) => {
  const { call, x: indices } = at;
  const rows = call("StridedSlice", [call("Shape", [indices]), [0], [1], [1]], { shrink_axis_mask: 1 });
  const numbers = call("Range", [0, rows, 1]);
  const order = at.graph.op("SparseReorder", [indices, numbers, at.input(2)]).outputAt(1);
  const back = call("InvertPermutation", [order]);
  return [undefined, call("GatherV2", [at.gradient(1), back, 0]), undefined];
};

const sum: GradientRule = (at) => {
  const [ofA, ofB] = at.graph.op("SparseAddGrad", [
    at.gradient(1),
    at.x,
    at.input(3),
    at.op.outputAt(0),
  ]).outputs;
  return [undefined, ofA, undefined, undefined, ofB, undefined, undefined];
};

/** The quotient of a dimension of the sparse shape and one that was reduced or broadcast to 1. */
function reduceSum(at: OpGradient): Output {
  const { call, x: indices } = at;
  const shape = at.input(2);
  const rank = call("Size", [shape]);
  const axes = call("FloorMod", [call("AddV2", [at.input(3), rank]), rank]);
  const kept = call("DynamicStitch", [
    [call("Range", [0, rank, 1]), axes],
    [shape, call("OnesLike", [call("Cast", [axes], { DstT: "int64" })])],
  ]);
  const scale = call("FloorDiv", [shape, kept]);
  return call("GatherNd", [call("Reshape", [at.g, kept]), call("FloorDiv", [indices, scale])]);
}

/** The gradient of a product or quotient with a dense tensor that is broadcast to the sparse one's shape. */
function withDense(isProduct: boolean): GradientRule {
  return (at) => {
    const { call, g, x: indices } = at;
    const [values, shape, dense] = [at.input(1), at.input(2), at.input(3)];
    const sizes = call("Shape", [dense], { out_type: "int64" });
    const added = call("ExpandDims", [call("Sub", [call("Size", [shape]), call("Size", [sizes])]), 0]);
    const ones = call("Fill", [added, call("Cast", [at.ints(1)], { DstT: "int64" })]);
    const scale = call("FloorDiv", [shape, call("ConcatV2", [[ones, sizes], 0])]);
    const begin = call("ConcatV2", [[at.ints([0]), added], 0]);
    const scaled = call("Slice", [call("FloorDiv", [indices, scale]), begin, at.ints([-1, -1])]);
    const factors = call("GatherNd", [dense, scaled]);
    const ofValues = call(isProduct ? "Mul" : "RealDiv", [g, factors]);
    const ofDense = () => {
      const quotient = () => call("Neg", [call("RealDiv", [values, call("Square", [factors])])]);
      const updates = call("Mul", [g, isProduct ? values : quotient()]);
      return call("ScatterNd", [scaled, updates, sizes]);
    };
    return [undefined, ofValues, undefined, at.wants(3) ? ofDense() : undefined];
  };
}

const softmax: GradientRule = (at) => {
  const { call, g, y, x: indices } = at;
  const shape = at.input(2);
  const products = call("Mul", [y, g]);
  const sums = call("SparseReduceSum", [indices, products, shape, at.ints([-1])], { keep_dims: true });
  const centred = call("SparseDenseCwiseAdd", [indices, g, shape, call("Neg", [sums])]);
  return [undefined, call("Mul", [centred, y]), undefined];
};

const toDense: GradientRule = (at) => {
  const { call, g, x: indices } = at;
  const ofValues = call("GatherNd", [g, indices]);
  const total = (x: Output) => call("Sum", [x, call("Range", [0, call("Rank", [x]), 1])]);
  const ofDefault = () => call("Sub", [total(g), total(ofValues)]);
  return [undefined, undefined, ofValues, at.wants(3) ? ofDefault() : undefined];
};

const fillEmptyRows: GradientRule = (at) => {
  const [ofValues, ofDefault] = at.graph.op("SparseFillEmptyRowsGrad", [
    at.op.outputAt(3),
    at.gradient(1),
  ]).outputs;
  return [undefined, ofValues, undefined, ofDefault];
};

export const SPARSE: GradientRules = {
  SparseTensorDenseMatMul: timesDense,
  SparseReorder: reorder,
  SparseAdd: sum,
  SparseTensorDenseAdd: (at) => [undefined, at.call("GatherNd", [at.g, at.x]), undefined, at.g],
  SparseReduceSum: (at) => [undefined, reduceSum(at), undefined, undefined],
  SparseDenseCwiseMul: withDense(true),
  SparseDenseCwiseDiv: withDense(false),
  SparseSoftmax: softmax,
  SparseFillEmptyRows: fillEmptyRows,
  SparseToDense: toDense,
};
