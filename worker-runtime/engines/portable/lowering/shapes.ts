/**
 * Ops that compute with shapes. If the shapes are known, they are constants of a model; the lowerings keep them from
 * splitting regions.
 */
import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisOf, inputAt, Writer } from "./writer.js";

/** The length of a vector of sizes; undefined if it may differ in the next run. */
function lengthOf(context: LoweringContext, sizes: OnnxValue): number | undefined {
  const shape = context.shape(sizes);
  return shape?.length === 1 ? shape[0] : undefined;
}

/** Two shapes as int64, extended to the rank of the longer one. */
interface Broadcast {
  readonly write: Writer;
  readonly shapes: readonly [OnnxValue, OnnxValue];
  /** Whether the sizes are equal, per dimension. */
  readonly equal: OnnxValue;
  /** A scalar: whether the shapes cannot be broadcast. */
  readonly isWrong: OnnxValue;
  readonly rank: number;
}

function broadcastOf(inputs: readonly OnnxValue[], context: LoweringContext): Broadcast | undefined {
  const write = new Writer(context);
  const [left, right] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const [leftRank, rightRank] = [lengthOf(context, left), lengthOf(context, right)];
  if (leftRank === undefined || rightRank === undefined) {
    return undefined;
  }
  const rank = Math.max(leftRank, rightRank);
  const extended = (sizes: OnnxValue, length: number): OnnxValue => {
    const long = write.cast(sizes, "int64");
    return length === rank ? long : write.join(write.longs(Array(rank - length).fill(1)), long);
  };
  const shapes = [extended(left, leftRank), extended(right, rightRank)] as const;
  const equal = write.test("Equal", ...shapes);
  const one = write.longs([1]);
  const fits = shapes.reduce((some, sizes) => write.test("Or", some, write.test("Equal", sizes, one)), equal);
  return { write, shapes, equal, isWrong: write.any(write.test("Not", fits)), rank };
}

function broadcastArgs(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const found = broadcastOf(inputs, context);
  if (found === undefined) {
    return undefined;
  }
  const { write, shapes, isWrong } = found;
  const [left, right] = shapes;
  // Not the larger size: broadcasting 1 and 0 gives 0.
  const sizes = write.where(write.test("Equal", left, write.longs([1])), right, left);
  return [write.cast(write.unless(isWrong, sizes), node.type("T"))];
}

/** The axes of each operand with size 1, or none if both operands have the same shape. */
function broadcastGradientArgs(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const found = broadcastOf(inputs, context);
  if (found === undefined) {
    return undefined;
  }
  const { write, shapes, equal, isWrong, rank } = found;
  const differ = lengthOf(context, inputAt(inputs, 0)) !== lengthOf(context, inputAt(inputs, 1));
  const isBroadcast = differ ? write.scalar("bool", true) : write.any(write.test("Not", equal));
  const axes = write.longs(Array.from({ length: rank }, (_, axis) => axis));
  return shapes.map((sizes) => {
    const isOne = write.test("Equal", write.unless(isWrong, sizes), write.longs([1]));
    const chosen = write.same("Compress", [axes, write.test("And", isOne, isBroadcast)], { axis: int(0) });
    return write.cast(chosen, node.type("T"));
  });
}

/** The offset of each tensor in their concatenation along an axis. */
function concatOffset(
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [axisInput, first, ...rest] = inputs;
  const rank = first && lengthOf(context, first);
  const axis = axisInput && rank !== undefined ? axisOf(context, axisInput, rank) : undefined;
  if (first === undefined || rank === undefined || axis === undefined) {
    return undefined;
  }
  if (rest.some((sizes) => lengthOf(context, sizes) !== rank)) {
    return undefined;
  }
  const along = Array.from({ length: rank }, (_, i) => i === axis);
  const only = write.cast(write.longs(along.map(Number)), first.dtype);
  let offset = write.mul(first, write.scalar(first.dtype, 0));
  let before = first;
  const offsets = [offset];
  for (const sizes of rest) {
    const differs = write.test("Not", write.test("Equal", sizes, first));
    const isWrong = write.any(write.test("And", differs, write.flags(along.map((is) => !is))));
    offset = write.unless(isWrong, write.add(offset, write.mul(before, only)));
    before = sizes;
    offsets.push(offset);
  }
  return offsets;
}

/** The indexes of 0, 1, 2, … in a permutation, found as those of its smallest numbers. */
function invertPermutation(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] {
  const write = new Writer(context);
  const input = inputAt(inputs, 0);
  const size = write.shape(input);
  const [values = input, places = input] = context.model.nodes(
    "TopK",
    [input, size],
    [input.dtype, "int64"],
    {
      attributes: { largest: int(0) },
    },
  );
  const zero = write.scalar("int64", 0);
  const all = write.same("Range", [zero, write.squeeze(size, 0), write.scalar("int64", 1)]);
  const isOther = write.differ(write.cast(values, "int64"), all);
  return [write.cast(write.unless(isOther, places), input.dtype)];
}

export const shapeLowerings: readonly Lowering[] = [
  { op: "BroadcastArgs", types: { T: indices }, lower: broadcastArgs },
  { op: "BroadcastGradientArgs", types: { T: indices }, shapeInputs: [0, 1], lower: broadcastGradientArgs },
  {
    op: "ConcatOffset",
    types: { shape_type: indices },
    lower: (_, inputs, context) => concatOffset(inputs, context),
  },
  {
    op: "InvertPermutation",
    types: { T: indices },
    lower: (_, inputs, context) => invertPermutation(inputs, context),
  },
];
