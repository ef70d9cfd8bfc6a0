import { invalidArgument } from "../protocol/status.js";
import {
  broadcastShapes,
  knownSize,
  mergeShapes,
  partialShapeFromProto,
  type Shape,
  shapeLabel,
  shapeMismatch,
} from "./shape.js";
import type { ShapeContext } from "./shape-context.js";

type ShapeRule = (context: ShapeContext) => (Shape | undefined)[];

function what(context: ShapeContext): string {
  return `${context.op} node "${context.node}"`;
}

function intAttr(context: ShapeContext, name: string): number | undefined {
  const value = context.attr(name)?.value;
  return value?.$case === "i" ? Number(value.value) : undefined;
}

function boolAttr(context: ShapeContext, name: string): boolean {
  const value = context.attr(name)?.value;
  return value?.$case === "b" && value.value;
}

/** The integers of an input that is a Const. */
function constantInts(context: ShapeContext, index: number): number[] | undefined {
  const tensor = context.constantInput(index);
  if (!tensor?.dtype.startsWith("int")) return undefined;
  return Array.from({ length: tensor.size }, (_, i) => Number(tensor.at(i)));
}

/** An axis counted from the front. */
function axisOf(context: ShapeContext, axis: number, rank: number): number {
  if (axis < -rank || axis >= rank) {
    throw invalidArgument(`${what(context)}: axis ${axis} is not one of a shape with ${rank} dimensions.`);
  }
  return axis < 0 ? axis + rank : axis;
}

const unchanged: ShapeRule = ({ inputShapes, outputCount }) => new Array(outputCount).fill(inputShapes[0]);
const scalar: ShapeRule = ({ outputCount }) => new Array(outputCount).fill([]);
const broadcast: ShapeRule = (c) => [broadcastShapes(c.inputShapes[0], c.inputShapes[1], what(c))];

const fromShapeAttr: ShapeRule = (c) => {
  const value = c.attr("shape")?.value;
  return [value?.$case === "shape" ? partialShapeFromProto(value.value) : undefined];
};

const constant: ShapeRule = (c) => {
  const value = c.attr("value")?.value;
  return [
    value?.$case === "tensor"
      ? partialShapeFromProto(value.value.tensorShape ?? { dim: [], unknownRank: false })
      : undefined,
  ];
};

const reduction: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  if (!input) return [undefined];
  const axes = constantInts(c, 1);
  const keep = boolAttr(c, "keep_dims");
  if (!axes) return [keep ? input.map(() => -1) : undefined];
  const reduced = new Set(axes.map((axis) => axisOf(c, axis, input.length)));
  if (keep) return [input.map((size, i) => (reduced.has(i) ? 1 : size))];
  return [input.filter((_, i) => !reduced.has(i))];
};

const argReduction: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInts(c, 1)?.[0];
  if (!input) return [undefined];
  if (axis === undefined) return [new Array(Math.max(0, input.length - 1)).fill(-1)];
  const at = axisOf(c, axis, input.length);
  return [input.filter((_, i) => i !== at)];
};

const matMul: ShapeRule = (c) => {
  const [a, b] = c.inputShapes;
  for (const shape of [a, b]) {
    if (shape && shape.length !== 2) {
      throw invalidArgument(`${what(c)}: a matrix is needed, but the input has shape ${shapeLabel(shape)}.`);
    }
  }
  const transposeA = boolAttr(c, "transpose_a");
  const transposeB = boolAttr(c, "transpose_b");
  const innerA = a?.[transposeA ? 0 : 1] ?? -1;
  const innerB = b?.[transposeB ? 1 : 0] ?? -1;
  if (innerA >= 0 && innerB >= 0 && innerA !== innerB) throw shapeMismatch(what(c), a, b);
  return [[a?.[transposeA ? 1 : 0] ?? -1, b?.[transposeB ? 0 : 1] ?? -1]];
};

const reshape: ShapeRule = (c) => {
  const wanted = constantInts(c, 1);
  if (!wanted) {
    const rank = c.inputShapes[1]?.[0];
    return [rank !== undefined && rank >= 0 ? new Array(rank).fill(-1) : undefined];
  }
  const size = knownSize(c.inputShapes[0]);
  if (size === undefined) return [wanted];
  const known = wanted.filter((n) => n >= 0).reduce((product, n) => product * n, 1);
  const open = wanted.filter((n) => n < 0).length;
  if (open === 0 ? known !== size : known !== 0 && size % known !== 0)
    throw shapeMismatch(what(c), c.inputShapes[0], wanted);
  return [wanted.map((n) => (n < 0 && open === 1 && known !== 0 ? size / known : n))];
};

const pack: ShapeRule = (c) => {
  let element: Shape | undefined;
  for (const shape of c.inputShapes) element = mergeShapes(element, shape, what(c));
  if (!element) return [undefined];
  const axis = axisOf(c, intAttr(c, "axis") ?? 0, element.length + 1);
  return [element.toSpliced(axis, 0, c.inputShapes.length)];
};

const unpack: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  if (!input) return [];
  const axis = axisOf(c, intAttr(c, "axis") ?? 0, input.length);
  const size = input[axis] ?? -1;
  if (size >= 0 && size !== c.outputCount) {
    throw invalidArgument(
      `${what(c)}: shape ${shapeLabel(input)} does not unpack to ${c.outputCount} tensors.`,
    );
  }
  return new Array(c.outputCount).fill(input.toSpliced(axis, 1));
};

const concat: ShapeRule = (c) => {
  const parts = c.inputShapes.slice(0, -1);
  const axis = constantInts(c, c.inputShapes.length - 1)?.[0];
  let merged: Shape | undefined;
  let total = 0;
  for (const part of parts) {
    if (!part || axis === undefined) return [undefined];
    const at = axisOf(c, axis, part.length);
    const size = part[at] ?? -1;
    total = size < 0 || total < 0 ? -1 : total + size;
    merged = mergeShapes(merged, part.with(at, -1), what(c));
  }
  if (!merged || axis === undefined) return [undefined];
  return [merged.with(axisOf(c, axis, merged.length), total)];
};

const split: ShapeRule = (c) => {
  const input = c.inputShapes[1];
  const axis = constantInts(c, 0)?.[0];
  if (!input) return [];
  if (axis === undefined) return new Array(c.outputCount).fill(input.map(() => -1));
  const at = axisOf(c, axis, input.length);
  const size = input[at] ?? -1;
  if (size >= 0 && size % c.outputCount !== 0) {
    throw invalidArgument(
      `${what(c)}: shape ${shapeLabel(input)} does not split into ${c.outputCount} equal parts.`,
    );
  }
  return new Array(c.outputCount).fill(input.with(at, size < 0 ? -1 : size / c.outputCount));
};

const splitV: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInts(c, 2)?.[0];
  if (!input) return [];
  if (axis === undefined) return new Array(c.outputCount).fill(input.map(() => -1));
  const at = axisOf(c, axis, input.length);
  const sizes = constantInts(c, 1);
  return Array.from({ length: c.outputCount }, (_, i) => input.with(at, sizes?.[i] ?? -1));
};

const expandDims: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInts(c, 1)?.[0];
  if (!input || axis === undefined) return [undefined];
  return [input.toSpliced(axisOf(c, axis, input.length + 1), 0, 1)];
};

const transpose: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const order = constantInts(c, 1);
  if (!input) return [undefined];
  return [input.map((_, i) => (order ? (input[order[i] ?? -1] ?? -1) : -1))];
};

/** A shape that is itself a tensor: known if it is a Const. */
const fromShapeInput: ShapeRule = (c) => {
  const sizes = constantInts(c, 0);
  if (sizes) return [sizes];
  const rank = c.inputShapes[0]?.[0];
  return [rank !== undefined && rank >= 0 ? new Array(rank).fill(-1) : undefined];
};

const shapeOfInput: ShapeRule = (c) => [[c.inputShapes[0]?.length ?? -1]];

const range: ShapeRule = (c) => {
  const [start, limit, delta] = [0, 1, 2].map((i) => constantInts(c, i)?.[0]);
  if (start === undefined || limit === undefined || !delta) return [[-1]];
  return [[Math.max(0, Math.ceil((limit - start) / delta))]];
};

const softmaxLoss: ShapeRule = (c) => {
  const both = broadcastShapes(c.inputShapes[0], c.inputShapes[1], what(c));
  return [both && both.length > 0 ? both.slice(0, 1) : undefined, both];
};

const merge: ShapeRule = (c) => {
  const [first, ...rest] = c.inputShapes;
  const same =
    first !== undefined && rest.every((s) => s?.length === first.length && s.every((n, i) => n === first[i]));
  return [same ? first : undefined, []];
};

/** The shape of an assignment: the value's, which must equal the variable's if validate_shape is set. */
const assign: ShapeRule = (c) => {
  const [variable, value] = c.inputShapes;
  const validated = c.attr("validate_shape")?.value;
  if (validated?.$case === "b" && !validated.value) return [value];
  return [mergeShapes(variable, value, what(c))];
};

/** A resource variable's value has the shape of its handle. */
const readVariable: ShapeRule = (c) => [c.handleShape?.(0)];

const assignUpdate: ShapeRule = (c) => [mergeShapes(c.inputShapes[0], c.inputShapes[1], what(c))];

const ELEMENTWISE =
  "Identity Snapshot StopGradient PreventGradient CheckNumerics Print Cast Neg Abs Sign Square Sqrt Rsqrt Exp Expm1 " +
  "Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Relu Relu6 Elu Selu Softplus Softsign " +
  "LeakyRelu Softmax LogSoftmax Floor Ceil Round Rint Reciprocal Inv LogicalNot Invert IsNan IsInf IsFinite OnesLike " +
  "ZerosLike Erf Erfc Lgamma Digamma Enter RefEnter Exit RefExit NextIteration RefNextIteration RefIdentity Switch " +
  "RefSwitch Real Imag Conj Angle BiasAdd ClipByValue Cumsum Cumprod ReverseV2 ApplyGradientDescent";
const BROADCAST =
  "Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan Mod FloorMod TruncateMod Pow Maximum Minimum " +
  "SquaredDifference Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr Atan2 Xdivy Xlogy " +
  "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift ApproximateEqual Complex";
const REDUCTIONS = "Sum Mean Max Min Prod All Any EuclideanNorm";

const rules = new Map<string, ShapeRule>([
  ...ELEMENTWISE.split(" ").map((op) => [op, unchanged] as const),
  ...BROADCAST.split(" ").map((op) => [op, broadcast] as const),
  ...REDUCTIONS.split(" ").map((op) => [op, reduction] as const),
  ...[
    "Placeholder",
    "PlaceholderV2",
    "VariableV2",
    "Variable",
    "PlaceholderWithDefault",
    "ImmutableConst",
  ].map((op) => [op, fromShapeAttr] as const),
  ...[
    "VarHandleOp",
    "Size",
    "Rank",
    "LoopCond",
    "VarIsInitializedOp",
    "IsVariableInitialized",
    "L2Loss",
    "QueueSizeV2",
    "StringFormat",
    "FIFOQueueV2",
  ].map((op) => [op, scalar] as const),
  ...["RandomStandardNormal", "RandomUniform", "TruncatedNormal", "RandomUniformInt", "Fill"].map(
    (op) => [op, fromShapeInput] as const,
  ),
  ...["AssignAdd", "AssignSub"].map((op) => [op, assignUpdate] as const),
  ["Assign", assign],
  ["ReadVariableOp", readVariable],
  ["Const", constant],
  ["MatMul", matMul],
  ["ArgMax", argReduction],
  ["ArgMin", argReduction],
  ["Reshape", reshape],
  ["Pack", pack],
  ["Unpack", unpack],
  ["ConcatV2", concat],
  ["Split", split],
  ["SplitV", splitV],
  ["ExpandDims", expandDims],
  ["Transpose", transpose],
  ["Shape", shapeOfInput],
  ["Range", range],
  ["SoftmaxCrossEntropyWithLogits", softmaxLoss],
  ["Merge", merge],
  ["RefMerge", merge],
]);

/** The rule for an op; undefined for ops whose shapes are only known in a run. */
export function shapeRuleOf(op: string): ShapeRule | undefined {
  return rules.get(op);
}
