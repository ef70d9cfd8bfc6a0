import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, Writer } from "./writer.js";

/** The lowest and the highest level. */
type Levels = readonly [lowest: number, highest: number];

function levelsOf(node: KernelNode): Levels {
  return [node.bool("narrow_range") ? 1 : 0, 2 ** node.int("num_bits") - 1];
}

function hasLevels(node: KernelNode): boolean {
  const bits = node.int("num_bits");
  return bits >= 2 && bits <= 16;
}

/** The range of the levels as values of the model, shifted so that one of them is exactly 0; see the kernels. */
interface Range {
  readonly min: OnnxValue;
  readonly max: OnnxValue;
  readonly scale: OnnxValue;
  readonly levelsPerUnit: OnnxValue;
  /** The number of levels below 0. */
  readonly below: OnnxValue;
  /** Whether the range is 0 at both ends. */
  readonly isEmpty: OnnxValue;
}

function nudged(write: Writer, min: OnnxValue, max: OnnxValue, [lowest, highest]: Levels): Range {
  const number = (value: number) => write.scalar("float32", value);
  const width = write.sub(max, min);
  const scale = write.div(width, number(highest - lowest));
  const zero = write.sub(number(lowest), write.div(min, scale));
  const rounded = write.same("Floor", [write.add(zero, number(0.5))]);
  const level = write.same("Min", [write.same("Max", [rounded, number(lowest)]), number(highest)]);
  return {
    min: write.mul(write.sub(number(lowest), level), scale),
    max: write.mul(write.sub(number(highest), level), scale),
    scale,
    levelsPerUnit: write.div(number(highest - lowest), width),
    below: write.sub(level, number(lowest)),
    isEmpty: write.test("And", write.test("Equal", min, number(0)), write.test("Equal", max, number(0))),
  };
}

/** @param divides as TensorFlow does in FakeQuantWithMinMaxVars alone. */
function quantized(write: Writer, x: OnnxValue, range: Range, divides: boolean): OnnxValue {
  const limited = write.same("Max", [write.same("Min", [x, range.max]), range.min]);
  const shifted = write.sub(limited, range.min);
  const position = divides ? write.div(shifted, range.scale) : write.mul(shifted, range.levelsPerUnit);
  const level = write.same("Floor", [
    write.add(write.sub(position, range.below), write.scalar("float32", 0.5)),
  ]);
  return write.where(range.isEmpty, write.scalar("float32", 0), write.mul(level, range.scale));
}

/**
 * The gradients of the input and of the ends of the range.
 * @param along the axes along which the elements have one range.
 */
function gradients(
  write: Writer,
  incoming: OnnxValue,
  x: OnnxValue,
  range: Range,
  along: readonly number[],
): readonly OnnxValue[] {
  const none = write.scalar("float32", 0);
  const [isBelow, isAbove] = [write.test("Less", x, range.min), write.test("Greater", x, range.max)];
  const isNoNumber = write.test("IsNaN", x);
  const isOutside = write.test("Or", write.test("Or", isBelow, isAbove), isNoNumber);
  const isFull = write.test("Not", range.isEmpty);
  const inside = write.where(write.test("And", isOutside, isFull), none, incoming);
  const sum = (flags: OnnxValue) => {
    const parts = write.where(write.test("And", flags, isFull), incoming, none);
    return along.length === 0
      ? parts
      : write.same("ReduceSum", [parts, write.longs(along)], { keepdims: int(0) });
  };
  return [inside, sum(isBelow), sum(write.test("And", isAbove, write.test("Not", isBelow)))];
}

/** A tensor that has the shape of another one of the same rank; the model fails if it has not. */
function ofShapeOf(write: Writer, value: OnnxValue, other: OnnxValue): OnnxValue {
  return write.checked(value, write.differ(write.shape(value), write.shape(other)));
}

/** The range of the attributes. */
function fixedRange(write: Writer, node: KernelNode): Range {
  const [min, max] = [node.float("min"), node.float("max")];
  return nudged(write, write.scalar("float32", min), write.scalar("float32", max), levelsOf(node));
}

const hasFixedRange = (node: KernelNode) => hasLevels(node) && node.float("min") < node.float("max");

/** The range of two inputs, one for all elements or one for each element of the last dimension. */
function rangeOf(
  write: Writer,
  node: KernelNode,
  [x, min, max]: readonly [OnnxValue, OnnxValue, OnnxValue],
  context: LoweringContext,
  isPerChannel: boolean,
): Range | undefined {
  const rank = context.rank(x);
  const wanted = isPerChannel ? 1 : 0;
  if (context.rank(min) !== wanted || context.rank(max) !== wanted || rank < wanted) {
    return undefined;
  }
  if (!isPerChannel) {
    return nudged(write, min, max, levelsOf(node));
  }
  const channels = write.shape(x, rank - 1);
  const isNone = write.any(write.test("Equal", channels, write.longs([0])));
  const checked = write.unless(isNone, channels);
  return nudged(write, write.reshape(min, checked), write.reshape(max, checked), levelsOf(node));
}

function variableRange(op: string, isPerChannel: boolean): Lowering[] {
  return [
    {
      op,
      types: {},
      fits: hasLevels,
      lower: (node, inputs, context) => {
        const write = new Writer(context);
        const [x, min, max] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
        const range = rangeOf(write, node, [x, min, max], context, isPerChannel);
        return range && [quantized(write, x, range, !isPerChannel)];
      },
    },
    {
      op: `${op}Gradient`,
      types: {},
      fits: hasLevels,
      lower: (node, inputs, context) => {
        const write = new Writer(context);
        const [incoming, x] = [inputAt(inputs, 0), inputAt(inputs, 1)];
        const [min, max] = [inputAt(inputs, 2), inputAt(inputs, 3)];
        const range = rangeOf(write, node, [x, min, max], context, isPerChannel);
        const rank = context.rank(x);
        if (range === undefined || context.rank(incoming) !== rank) return undefined;
        const along = Array.from({ length: isPerChannel ? rank - 1 : rank }, (_, axis) => axis);
        return gradients(write, ofShapeOf(write, incoming, x), x, range, along);
      },
    },
  ];
}

/** Rounds numbers as if they were stored in a few bits, to train models for quantization. */
export const fakeQuantizationLowerings: readonly Lowering[] = [
  {
    op: "FakeQuantWithMinMaxArgs",
    types: {},
    fits: hasFixedRange,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      return [quantized(write, inputAt(inputs, 0), fixedRange(write, node), false)];
    },
  },
  {
    op: "FakeQuantWithMinMaxArgsGradient",
    types: {},
    fits: hasFixedRange,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const [incoming, x] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      if (context.rank(incoming) !== context.rank(x)) return undefined;
      const range = fixedRange(write, node);
      return gradients(write, ofShapeOf(write, incoming, x), x, range, []).slice(0, 1);
    },
  },
  ...variableRange("FakeQuantWithMinMaxVars", false),
  ...variableRange("FakeQuantWithMinMaxVarsPerChannel", true),
];
