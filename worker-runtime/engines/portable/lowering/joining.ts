import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, moved } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisOf, axisWithin, inputAt, numbersOf, Writer } from "./writer.js";

function concat(
  tensors: readonly OnnxValue[],
  axisInput: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const [first, ...rest] = tensors;
  if (first === undefined) {
    return undefined;
  }
  const rank = context.rank(first);
  const axis = axisOf(context, axisInput, rank);
  if (axis === undefined || rest.some((tensor) => context.rank(tensor) !== rank)) {
    return undefined;
  }
  return [new Writer(context).same("Concat", tensors, { axis: int(axis) })];
}

function pack(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const ranks = [...new Set(inputs.map((input) => context.rank(input)))];
  const axis = axisWithin(node.int("axis"), (ranks[0] ?? 0) + 1);
  if (axis === undefined || ranks.length !== 1) {
    return undefined;
  }
  const parts = inputs.map((input) => write.unsqueeze(input, axis));
  return parts.length === 1 ? parts : [write.same("Concat", parts, { axis: int(axis) })];
}

/** Parts with the lengths given by a vector of int64. */
function parts(
  { model }: Writer,
  input: OnnxValue,
  lengths: OnnxValue,
  count: number,
  axis: number,
): readonly OnnxValue[] {
  const dtypes = Array.from({ length: count }, () => input.dtype);
  return model.nodes("Split", [input, lengths], dtypes, { attributes: { axis: int(axis) } });
}

function split(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const input = inputAt(inputs, 1);
  const count = node.int("num_split");
  const axis = axisOf(context, inputAt(inputs, 0), context.rank(input));
  if (axis === undefined || count < 1) {
    return undefined;
  }
  if (count === 1) {
    return [input];
  }
  // With explicit lengths, since ONNX would make the last part smaller for a size that is not a multiple.
  const length = write.div(write.shape(input, axis, axis + 1), write.longs([count]));
  return parts(write, input, write.same("Expand", [length, write.longs([count])]), count, axis);
}

function splitV(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, lengths] = [inputAt(inputs, 0), numbersOf(context, inputAt(inputs, 1))];
  const axis = axisOf(context, inputAt(inputs, 2), context.rank(input));
  if (axis === undefined || lengths === undefined || lengths.some((length) => length < -1)) {
    return undefined;
  }
  if (lengths.length !== node.int("num_split")) {
    return undefined;
  }
  const open = lengths.indexOf(-1);
  if (open === -1) {
    return parts(write, input, write.longs(lengths), lengths.length, axis);
  }
  if (lengths.includes(-1, open + 1)) {
    return undefined;
  }
  const others = lengths.reduce((sum, length) => sum + Math.max(0, length), 0);
  const rest = write.sub(write.shape(input, axis, axis + 1), write.longs([others]));
  const before = open === 0 ? [] : [write.longs(lengths.slice(0, open))];
  const after = open === lengths.length - 1 ? [] : [write.longs(lengths.slice(open + 1))];
  return parts(write, input, write.join(...before, rest, ...after), lengths.length, axis);
}

function unpack(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const input = inputAt(inputs, 0);
  const count = node.int("num");
  const axis = axisWithin(node.int("axis"), context.rank(input));
  if (axis === undefined || count < 1) {
    return undefined;
  }
  const rows = count === 1 ? [input] : parts(write, input, write.longs(Array(count).fill(1)), count, axis);
  return rows.map((row) => write.squeeze(row, axis));
}

export const joiningLowerings: readonly Lowering[] = [
  {
    op: "ConcatV2",
    types: { T: moved, Tidx: indices },
    shapeInputs: [-1],
    lower: (_, inputs, context) => concat(inputs.slice(0, -1), inputAt(inputs, inputs.length - 1), context),
  },
  {
    op: "Concat",
    types: { T: moved },
    shapeInputs: [0],
    lower: (_, inputs, context) => concat(inputs.slice(1), inputAt(inputs, 0), context),
  },
  { op: "Pack", types: { T: moved }, lower: pack },
  { op: "Unpack", types: { T: moved }, lower: unpack },
  { op: "Split", types: { T: moved }, shapeInputs: [0], lower: split },
  { op: "SplitV", types: { T: moved, Tlen: indices }, shapeInputs: [1, 2], lower: splitV },
];
