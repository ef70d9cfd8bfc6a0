import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { chosen, indices } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisWithin, inputAt, numbersOf, Writer } from "./writer.js";

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

/** The numbers are a constant in the model. */
const MAX_DEPTH = 1 << 20;

export const makingLowerings: readonly Lowering[] = [
  {
    op: "Range",
    types: { Tidx: ["float32", "float64", "int16", "int32", "int64"] satisfies DType[] },
    shapeInputs: [0, 1, 2],
    lower: (_, inputs, context) => range(inputs, context),
  },
  {
    op: "OneHot",
    types: { T: [...chosen, "bool"], TI: [...indices, "uint8"] },
    shapeInputs: [1],
    lower: oneHot,
  },
];
