/** The growths of a random graph: a node of one of the ops that have a lowering, or a few that belong together. */

import { denseGradient } from "../../../../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../../../../worker-runtime/graph/gradients/gradients.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { type DType, dtypeKind } from "../../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers, scalar } from "../arbitraries.js";
import type { DraftValue, GraphDraft } from "./graph-draft.js";

export type Growth = (draft: GraphDraft) => void;

type Fits = (value: DraftValue) => boolean;

/** The shapes of a value, one for each feeding. */
export const shapesOf = ({ samples }: DraftValue): (readonly number[])[] =>
  samples.map(({ tensor }) => tensor.shape);

export const rankOf = ({ samples }: DraftValue): number => samples[0]?.tensor.shape.length ?? 0;

/** The size of a dimension that is the same for all feedings; undefined for one that is not. */
export function sizeAt(value: DraftValue, axis: number): number | undefined {
  const sizes = new Set(shapesOf(value).map((shape) => shape.at(axis)));
  return sizes.size === 1 ? [...sizes][0] : undefined;
}

export const isFloat: Fits = ({ output }) =>
  dtypeKind(output.dtype) === "float" || output.dtype === "float16";
const isInteger: Fits = ({ output }) => output.dtype === "int32" || output.dtype === "int64";
const isNumber: Fits = (value) => isFloat(value) || isInteger(value);
const isBool: Fits = ({ output }) => output.dtype === "bool";
const isAny: Fits = () => true;
const hasRank: Fits = (value) => rankOf(value) > 0;

const both =
  (...all: readonly Fits[]): Fits =>
  (value) =>
    all.every((fits) => fits(value));

const isLike =
  (other: DraftValue): Fits =>
  (value) =>
    value.output.dtype === other.output.dtype && shapesOf(value).join(";") === shapesOf(other).join(";");

function broadcasts(left: readonly number[], right: readonly number[]): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.every((size, i) => {
    const other = long[i + long.length - short.length];
    return size === other || size === 1 || other === 1;
  });
}

const broadcastsWith =
  (other: DraftValue): Fits =>
  (value) => {
    const shapes = shapesOf(other);
    return (
      value.output.dtype === other.output.dtype &&
      shapesOf(value).every((shape, i) => broadcasts(shape, shapes[i] ?? []))
    );
  };

function unary(op: string, fits: Fits = isFloat): Growth {
  return (draft) => {
    const x = draft.some(fits);
    if (x) draft.grow((graph) => graph.op(op, [x.output]));
  };
}

/** An op of a value and another one that broadcasts, a scalar or a vector of the last dimension's size. */
function binary(op: string, fits: Fits = isNumber): Growth {
  return (draft) => {
    const { draw } = draft;
    const x = draft.some(fits);
    if (!x) return;
    const { dtype } = x.output;
    const size = rankOf(x) > 0 ? sizeAt(x, -1) : undefined;
    const other = draw.isOneIn(3) ? undefined : draft.some(both(fits, broadcastsWith(x)));
    const shape = size === undefined || draw.isOneIn(2) ? [] : [size];
    const numbers = draw.isOneIn(2) ? "whole" : "fractions";
    const y = other?.output ?? draw.tensor(dtype, shape, numbers);
    draft.grow((graph) => graph.op(op, draw.isOneIn(2) ? [y, x.output] : [x.output, y]));
  };
}

function reduction(op: string, fits: Fits): Growth {
  return (draft) => {
    const { draw } = draft;
    const x = draft.some(both(fits, hasRank));
    if (!x) return;
    const rank = rankOf(x);
    const axes = draw
      .order(rank)
      .slice(0, 1 + draw.below(rank))
      .map((axis) => (draw.isOneIn(2) ? axis : axis - rank));
    draft.grow((graph) => graph.op(op, [x.output, integers("int32", axes)], { keep_dims: draw.isOneIn(2) }));
  };
}

function alongAxis(
  build: (draft: GraphDraft, x: DraftValue, axis: number) => void,
  fits: Fits = isAny,
): Growth {
  return (draft) => {
    const x = draft.some(both(fits, hasRank));
    if (x) build(draft, x, draft.draw.below(rankOf(x)));
  };
}

function cast(to: DType): Growth {
  return (draft) => {
    const x = draft.some(({ output }) => output.dtype !== to);
    if (x) draft.grow((graph) => graph.op("Cast", [x.output], { DstT: to }));
  };
}

/** A tensor in each dimension of which one number is repeated: paddings, multiples. */
const perAxis = (rank: number, numberOf: (axis: number) => number[]): number[] =>
  Array.from({ length: rank }, (_, axis) => numberOf(axis)).flat();

/** The factor or the addend of a value: a variable, or a constant. */
function weights(draft: GraphDraft, dtype: DType, shape: readonly number[]): Output | Tensor {
  const tensor = draft.draw.tensor(dtype, shape, "fractions");
  const isVariable = dtype === "float32" && !draft.draw.isOneIn(3);
  return isVariable ? draft.variable(tensor, "fractions").output : tensor;
}

const matMul: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some(both(isFloat, (value) => rankOf(value) === 2));
  const [transposesX, transposesY] = [draw.isOneIn(4), draw.isOneIn(2)];
  const inner = x && sizeAt(x, transposesX ? 0 : 1);
  if (!x || inner === undefined) return;
  const out = 1 + draw.below(6);
  const w = weights(draft, x.output.dtype, transposesY ? [out, inner] : [inner, out]);
  const attrs = { transpose_a: transposesX, transpose_b: transposesY };
  const [product] = draft.grow((graph) => graph.op("MatMul", [x.output, w], attrs));
  if (!product || draw.isOneIn(2)) return;
  const bias = weights(draft, x.output.dtype, [out]);
  draft.grow((graph) => graph.op(draw.isOneIn(2) ? "BiasAdd" : "AddV2", [product.output, bias]));
};

const batchMatMul: Growth = (draft) => {
  const { draw } = draft;
  // A kernel computes the product of empty matrices.
  const hasMatrices: Fits = (value) =>
    rankOf(value) >= 2 &&
    rankOf(value) <= 4 &&
    shapesOf(value).every((shape) => !shape.slice(-2).includes(0));
  const x = draft.some(both(isFloat, hasMatrices));
  if (!x) return;
  const y = draft.some(isLike(x)) ?? x;
  const flips = draw.isOneIn(2);
  draft.grow((graph) => graph.op("BatchMatMulV2", [x.output, y.output], { adj_x: flips, adj_y: !flips }));
};

const reshape: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some();
  if (!x) return;
  const first = shapesOf(x).map((shape) => shape[0] ?? 1);
  const rests = shapesOf(x).map((shape) => shape.slice(1).reduce((product, size) => product * size, 1));
  const rest = new Set(rests).size === 1 ? rests[0] : undefined;
  const fixed = new Set(first).size === 1 ? first[0] : undefined;
  const targets = [[-1], [1, -1, 1]];
  if (rest !== undefined && rest > 0) targets.push([-1, rest], [-1, 1, rest]);
  if (rest !== undefined && rest > 0 && rest % 2 === 0) targets.push([-1, 2, rest / 2]);
  if (fixed !== undefined && fixed > 0) targets.push([fixed, -1]);
  draft.grow((graph) => graph.op("Reshape", [x.output, integers("int32", draw.oneOf(targets))]));
};

/** As the gradients of Keras's layers do: to the shape that another value has. */
const reshapeLike: Growth = (draft) => {
  const x = draft.some();
  const counts = x?.samples.map(({ tensor }) => tensor.size).join();
  const like = draft.some(({ samples }) => samples.map(({ tensor }) => tensor.size).join() === counts);
  if (x && like) draft.grow((graph) => graph.op("Reshape", [x.output, graph.op("Shape", [like.output])]));
};

const transpose: Growth = (draft) => {
  const x = draft.some(hasRank);
  if (!x) return;
  const order = integers("int32", draft.draw.order(rankOf(x)));
  draft.grow((graph) => graph.op("Transpose", [x.output, order]));
};

const slice: Growth = (draft) => {
  const x = draft.some(hasRank);
  if (!x) return;
  const begin = shapesOf(x)[0]?.map(() => draft.draw.below(2)) ?? [];
  const size = begin.map((_, axis) => (draft.draw.isOneIn(2) || sizeAt(x, axis) === undefined ? -1 : 1));
  draft.grow((graph) => graph.op("Slice", [x.output, integers("int32", begin), integers("int32", size)]));
};

const stridedSlice: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some(hasRank);
  if (!x) return;
  const count = 1 + draw.below(rankOf(x));
  const some = (most: number, from: number) =>
    integers(
      "int32",
      Array.from({ length: count }, () => draw.below(most) + from),
    );
  const steps = Array.from({ length: count }, () => draw.oneOf([1, 1, 2, -1]));
  const bits = () => draw.below(2 ** count);
  draft.grow((graph) =>
    graph.op("StridedSlice", [x.output, some(3, -1), some(5, -1), integers("int32", steps)], {
      begin_mask: bits(),
      end_mask: bits(),
      shrink_axis_mask: draw.isOneIn(3) ? 1 : 0,
      new_axis_mask: draw.isOneIn(6) ? 1 << (count - 1) : 0,
    }),
  );
};

const pad: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some(both(isNumber, hasRank));
  if (!x) return;
  const rank = rankOf(x);
  const op = draw.oneOf(["Pad", "PadV2", "MirrorPad"]);
  const paddings = integers(
    "int32",
    perAxis(rank, () => [draw.below(2), draw.below(2)]),
    [rank, 2],
  );
  const more = op === "PadV2" ? [scalar(x.output.dtype, 2)] : [];
  const attrs = op === "MirrorPad" ? { mode: draw.oneOf(["REFLECT", "SYMMETRIC"]) } : {};
  draft.grow((graph) => graph.op(op, [x.output, paddings, ...more], attrs));
};

const tile: Growth = (draft) => {
  const x = draft.some(hasRank);
  if (!x) return;
  const multiples = integers(
    "int32",
    perAxis(rankOf(x), () => [1 + draft.draw.below(2)]),
  );
  draft.grow((graph) => graph.op("Tile", [x.output, multiples]));
};

const select: Growth = (draft) => {
  const condition = draft.some(isBool);
  const shapes = condition && shapesOf(condition);
  const x = draft.some((value) => shapesOf(value).every((shape, i) => broadcasts(shape, shapes?.[i] ?? [])));
  const y = x && draft.some(isLike(x));
  if (condition && x && y) {
    draft.grow((graph) => graph.op("SelectV2", [condition.output, x.output, y.output]));
  }
};

const gather = alongAxis((draft, x, axis) => {
  const { draw } = draft;
  const most = Math.max(1, Math.min(...shapesOf(x).map((shape) => shape[axis] ?? 0)));
  const count = draw.below(5);
  const rows = integers(
    draw.oneOf(["int32", "int64"]),
    Array.from({ length: count }, () => draw.below(most)),
    draw.isOneIn(2) ? [count] : [1, count],
  );
  draft.grow((graph) => graph.op("GatherV2", [x.output, rows, integers("int32", [axis], [])]));
});

/** Gathers rows that the graph computes. */
const gatherComputed = alongAxis((draft, x, axis) => {
  const rows = draft.some(isInteger);
  const size = sizeAt(x, axis);
  if (!rows || !size) return;
  draft.grow((graph) => {
    const inside = graph.op("FloorMod", [rows.output, scalar(rows.output.dtype, size)]);
    return graph.op("GatherV2", [x.output, inside, scalar("int32", axis)]);
  });
});

const segmentSum: Growth = (draft) => {
  const x = draft.some(both(isNumber, hasRank));
  const size = x && sizeAt(x, 0);
  if (!x || size === undefined) return;
  const rows = integers(
    "int32",
    Array.from({ length: size }, () => draft.draw.below(4) - 1),
  );
  draft.grow((graph) => graph.op("UnsortedSegmentSum", [x.output, rows, scalar("int32", 3)]));
};

const oneHot: Growth = (draft) => {
  const rows = draft.some(isInteger);
  const dtype = draft.draw.oneOf<DType>(["float32", "int32"]);
  if (!rows) return;
  const [on, off] = [scalar(dtype, 2), scalar(dtype, -1)];
  draft.grow((graph) => graph.op("OneHot", [rows.output, scalar("int32", 3), on, off], { axis: -1 }));
};

const join: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some(hasRank);
  const y = x && draft.some(isLike(x));
  if (!x || !y) return;
  const axis = draw.below(rankOf(x));
  draft.grow((graph) =>
    draw.isOneIn(2)
      ? graph.op("ConcatV2", [[x.output, y.output, x.output], scalar("int32", axis)])
      : graph.op("Pack", [[x.output, y.output]], { axis }),
  );
};

const split = alongAxis((draft, x, axis) => {
  const size = sizeAt(x, axis);
  if (!size) return;
  draft.grow((graph) =>
    draft.draw.isOneIn(2)
      ? graph.op("Split", [scalar("int32", axis), x.output], { num_split: size })
      : graph.op("Unpack", [x.output], { num: size, axis }),
  );
});

const crossEntropy: Growth = (draft) => {
  const { draw } = draft;
  const x = draft.some(both(isFloat, (value) => rankOf(value) === 2 && (sizeAt(value, 1) ?? 0) > 0));
  if (!x) return;
  draft.grow((graph) => {
    const labels = graph.op("ArgMax", [x.output, scalar("int32", 1)], { output_type: "int32" });
    if (draw.isOneIn(2)) return graph.op("SparseSoftmaxCrossEntropyWithLogits", [x.output, labels]);
    return graph.op("SoftmaxCrossEntropyWithLogits", [x.output, graph.op("Softmax", [x.output])]);
  });
};

/** Gradients of a value for some of those that it is made of. */
const gradient: Growth = (draft) => {
  const { draw } = draft;
  const y = draft.some(isFloat);
  if (!y) return;
  const floats = draft.values.filter(isFloat).map(({ output }) => output);
  const xs = draw
    .order(floats.length)
    .slice(0, 4)
    .map((i) => floats[i] as Output)
    .filter((x) => x !== y.output);
  draft.grow(() => gradients(y.output, xs).flatMap((one) => (one === undefined ? [] : [denseGradient(one)])));
};

const elementwise: readonly Growth[] = [
  ...["Neg", "Abs", "Square", "Sign", "ZerosLike", "OnesLike", "Identity"].map((op) => unary(op, isNumber)),
  ...["Exp", "Sigmoid", "Tanh", "Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"].map(
    (op) => unary(op),
  ),
  ...["Sin", "Cos", "Atan", "Erf", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Expm1", "Log"].map((op) =>
    unary(op),
  ),
  ...["Floor", "Ceil", "Round", "IsFinite"].map((op) => unary(op)),
  unary("LogicalNot", isBool),
  ...["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"].map((op) => binary(op)),
  ...["AddV2", "Sub", "Mul"].map((op) => binary(op, isFloat)),
  ...["RealDiv", "DivNoNan", "Xdivy"].map((op) => binary(op, isFloat)),
  ...["FloorDiv", "FloorMod"].map((op) => binary(op, isInteger)),
  ...["Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"].map((op) => binary(op)),
  ...["LogicalAnd", "LogicalOr"].map((op) => binary(op, isBool)),
  ...(["float32", "float32", "float64", "int32", "int64", "bool", "float16"] as const).map(cast),
  select,
];

const folding: readonly Growth[] = [
  ...["Sum", "Mean", "Max", "Min"].map((op) => reduction(op, isFloat)),
  ...["Sum", "Max"].map((op) => reduction(op, isNumber)),
  // For floats, a part of the product may be infinite, which depends on the order.
  reduction("Prod", isInteger),
  ...["All", "Any"].map((op) => reduction(op, isBool)),
  alongAxis((draft, x, axis) => {
    draft.grow((graph) => graph.op("ArgMax", [x.output, scalar("int32", axis)]));
  }, isNumber),
  alongAxis((draft, x, axis) => {
    const attrs = { exclusive: draft.draw.isOneIn(2), reverse: draft.draw.isOneIn(2) };
    draft.grow((graph) => graph.op("Cumsum", [x.output, scalar("int32", axis)], attrs));
  }, isNumber),
  unary("Softmax", both(isFloat, hasRank)),
  unary("LogSoftmax", both(isFloat, hasRank)),
  unary("L2Loss"),
  crossEntropy,
];

const arranging: readonly Growth[] = [
  reshape,
  reshapeLike,
  transpose,
  slice,
  stridedSlice,
  pad,
  tile,
  join,
  split,
  alongAxis((draft, x, axis) => {
    draft.grow((graph) => graph.op("ExpandDims", [x.output, scalar("int32", axis)]));
  }),
  alongAxis((draft, x, axis) => {
    draft.grow((graph) => graph.op("ReverseV2", [x.output, integers("int32", [axis])]));
  }),
  unary("Squeeze", hasRank),
  unary("Shape", isAny),
];

const gathering: readonly Growth[] = [gather, gatherComputed, segmentSum, oneHot];

/** By how often they are drawn. */
export const growths: readonly { readonly weight: number; readonly growths: readonly Growth[] }[] = [
  { weight: 8, growths: elementwise },
  { weight: 3, growths: folding },
  { weight: 4, growths: arranging },
  { weight: 2, growths: gathering },
  { weight: 3, growths: [matMul, matMul, batchMatMul] },
  { weight: 2, growths: [gradient] },
];
