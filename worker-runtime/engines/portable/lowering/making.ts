import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { chosen, indices } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisWithin, inputAt, numberAt, numbersOf, Writer } from "./writer.js";

/** Numbers from a start to a limit. A step away from the limit is an error; in ONNX it would give an empty result. */
function range(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [start, limit, step] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const [size] = numbersOf(context, step) ?? [];
  if (size === undefined || size === 0 || Number.isNaN(size)) {
    return undefined;
  }
  const leadsAway = size > 0 ? write.test("Less", limit, start) : write.test("Less", start, limit);
  return [write.same("Range", [start, limit, write.unless(leadsAway, step)])];
}

/** Compares the indices with 0, 1, 2, …, along a new dimension. */
function oneHot(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [at, on, off] = [inputAt(inputs, 0), inputAt(inputs, 2), inputAt(inputs, 3)];
  const [depth] = numbersOf(context, inputAt(inputs, 1)) ?? [];
  const rank = context.rank(at) + 1;
  const axis = axisWithin(node.int("axis"), rank);
  if (depth === undefined || depth < 0 || depth > MAX_DEPTH || axis === undefined) {
    return undefined;
  }
  const shape = Array.from({ length: rank }, (_, i) => (i === axis ? depth : 1));
  const places = BigInt64Array.from({ length: depth }, (_, i) => BigInt(i));
  const numbers = context.model.constant(new Tensor("int64", shape, places));
  const isHere = write.test("Equal", write.unsqueeze(write.cast(at, "int64"), axis), numbers);
  return [write.choose(isHere, on, off)];
}

/** Numbers at equal distances, computed as float64 like the kernel's; the last one is exactly the given one. */
function linSpace(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const count = numberAt(context, inputAt(inputs, 2));
  const ends = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const isInvalid = inputs.some((input) => context.rank(input) > 1);
  if (count === undefined || count < 1 || count > MAX_DEPTH || isInvalid) {
    return undefined;
  }
  const [start, stop] = ends.map((end) => write.reshape(end, write.longs([1]))) as [OnnxValue, OnnxValue];
  if (count === 1) {
    return [write.same("Gather", [write.join(start, stop), write.longs([0])])];
  }
  const [from, to] = [write.cast(start, "float64"), write.cast(stop, "float64")];
  const step = write.div(write.sub(to, from), write.scalar("float64", count - 1));
  const steps = Tensor.of(
    Array.from({ length: count - 1 }, (_, i) => i),
    "float64",
  );
  const first = write.add(from, write.mul(step, context.model.constant(steps)));
  return [write.join(write.cast(first, node.type("T")), stop)];
}

/** The numbers are a constant in the model. */
const MAX_DEPTH = 1 << 20;

export const makingLowerings: readonly Lowering[] = [
  {
    op: "Range",
    types: { Tidx: ["float32", "float64", "int16", "int32", "int64"] satisfies DType[] },
    shapeInputs: [0, 1, 2],
    lower: (_, inputs, context) => range(inputs, context),
  },
  { op: "LinSpace", types: { T: ["float32", "float64"], Tidx: indices }, shapeInputs: [2], lower: linSpace },
  {
    op: "OneHot",
    types: { T: [...chosen, "bool"], TI: [...indices, "uint8"] },
    shapeInputs: [1],
    lower: oneHot,
  },
];
