import type { DType } from "../../../protocol/dtype.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { chosen, floats, limited, moved, numbers } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** Ops with boolean results that ONNX has with the same meaning. */
const sameMeaning: readonly (readonly [op: string, onnx: string, T: readonly DType[] | undefined])[] = [
  ["Less", "Less", numbers],
  ["LessEqual", "LessOrEqual", numbers],
  ["Greater", "Greater", numbers],
  ["GreaterEqual", "GreaterOrEqual", numbers],
  ["LogicalAnd", "And", undefined],
  ["LogicalOr", "Or", undefined],
  ["LogicalNot", "Not", undefined],
  ["IsNan", "IsNaN", floats],
  ["IsInf", "IsInf", floats],
];

function equality(op: string, isOpposite: boolean): Lowering {
  return {
    op,
    types: { T: moved },
    // Otherwise, tensors of incompatible shapes are unequal instead of an error.
    fits: (node) => node.bool("incompatible_shape_error"),
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const equal = write.test("Equal", inputAt(inputs, 0), inputAt(inputs, 1));
      return [isOpposite ? write.test("Not", equal) : equal];
    },
  };
}

/** Select accepts tensors of one shape, and a condition of that shape, per row, or for all elements. */
function select(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [condition, yes, no] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const rank = context.rank(yes);
  const conditionRank = context.rank(condition);
  if (context.rank(no) !== rank || ![0, 1, rank].includes(conditionRank) || conditionRank > rank) {
    return undefined;
  }
  if (conditionRank === 0) {
    return [write.ofOneShape(write.choose(condition, yes, no), [yes, no])];
  }
  if (conditionRank === rank) {
    return [write.ofOneShape(write.choose(condition, yes, no), [condition, yes, no])];
  }
  // One condition per row: exactly as many as there are rows, without broadcasting.
  const rows = write.reshape(condition, write.shape(yes, 0, 1));
  const axes = Array.from({ length: rank - 1 }, (_, i) => i + 1);
  return [write.ofOneShape(write.choose(write.unsqueeze(rows, ...axes), yes, no), [yes, no])];
}

/**
 * The bounds are scalars or have the shape of the values. The upper bound is applied first, hence the lower one wins.
 */
function clip(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [value, low, high] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const bounds = [low, high].filter((bound) => context.rank(bound) > 0);
  if (bounds.some((bound) => context.rank(bound) !== context.rank(value))) {
    return undefined;
  }
  // NaN bounds have been replaced: TensorFlow ignores them and ONNX does not.
  const below = write.same("Min", [value, heeded(write, context, high, Infinity)]);
  const clipped = write.same("Max", [below, heeded(write, context, low, -Infinity)]);
  return [bounds.length === 0 ? clipped : write.ofOneShape(clipped, [value, ...bounds])];
}

/** A bound with NaN replaced by another number. */
function heeded(write: Writer, context: LoweringContext, bound: OnnxValue, otherwise: number): OnnxValue {
  const isFloat = bound.dtype === "float32" || bound.dtype === "float64";
  return isFloat && (numbersOf(context, bound)?.some(Number.isNaN) ?? true)
    ? write.where(write.test("IsNaN", bound), write.scalar(bound.dtype, otherwise), bound)
    : bound;
}

export const comparisonLowerings: readonly Lowering[] = [
  ...sameMeaning.map(
    ([op, onnx, T]): Lowering => ({
      op,
      types: T === undefined ? {} : { T },
      lower: (_, inputs, context) => [new Writer(context).test(onnx, ...inputs)],
    }),
  ),
  equality("Equal", false),
  equality("NotEqual", true),
  {
    op: "IsFinite",
    types: { T: floats },
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const x = inputAt(inputs, 0);
      return [write.test("Not", write.test("Or", write.test("IsNaN", x), write.test("IsInf", x)))];
    },
  },
  {
    op: "ApproximateEqual",
    // The distance of unsigned numbers would have to be taken the right way round.
    types: { T: [...floats, "int8", "int16", "int32"] },
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      // As in TensorFlow, the tolerance is converted to the dtype; distances of integers do not wrap.
      const dtype = node.type("T").startsWith("int") ? "float64" : node.type("T");
      const [x, y] = [inputAt(inputs, 0), inputAt(inputs, 1)].map((input) => write.cast(input, dtype));
      if (x === undefined || y === undefined) return undefined;
      const distance = write.same("Abs", [write.sub(x, y)]);
      return [write.test("LessOrEqual", distance, write.scalar(dtype, node.float("tolerance")))];
    },
  },
  { op: "Select", types: { T: [...chosen, "bool"] }, lower: (_, inputs, context) => select(inputs, context) },
  {
    op: "SelectV2",
    types: { T: [...chosen, "bool"] },
    lower: (_, inputs, context) => [
      new Writer(context).choose(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)),
    ],
  },
  { op: "ClipByValue", types: { T: limited }, lower: (_, inputs, context) => clip(inputs, context) },
];
