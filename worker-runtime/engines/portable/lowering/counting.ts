import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { productOf } from "../kernels/support/shapes.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, numbers } from "./dtypes.js";
import { truncateMod } from "./elementwise.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { scatterRows } from "./row-scatter.js";
import { inputAt, numberAt, numbersOf, scalarTensor, Writer } from "./writer.js";

/** Comparing a value with more boundaries than these takes longer than the kernel's binary search. */
const MAX_BOUNDARIES = 64;

/** The number of flags along the last axis that are true. @param flags have one more dimension than the result. */
function countTrue(write: Writer, flags: OnnxValue, dtype: DType): OnnxValue {
  // They are int32: sums of fewer than 2^31 ones are exact.
  const ones = write.cast(flags, "int32");
  return write.cast(write.same("ReduceSum", [ones, write.longs([-1])], { keepdims: int(0) }), dtype);
}

/** The number of boundaries that are not above a value; all of them for NaN. */
function bucketize(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] {
  const write = new Writer(context);
  // TensorFlow compares as float64, too.
  const values = write.cast(inputAt(inputs, 0), "float64");
  const boundaries = context.model.constant(Tensor.of(node.floats("boundaries"), "float64"));
  const isBelow = write.test("Less", write.unsqueeze(values, context.rank(inputAt(inputs, 0))), boundaries);
  return [countTrue(write, write.test("Not", isBelow), "int32")];
}

/** Boundaries that the kernel accepts, and so few that they are compared one by one. */
function hasFewBoundaries(node: KernelNode): boolean {
  const boundaries = node.floats("boundaries");
  const isSorted = boundaries.every((value, i) => i === 0 || value >= (boundaries[i - 1] ?? value));
  return isSorted && boundaries.length > 0 && boundaries.length <= MAX_BOUNDARIES;
}

/** For each value, how many elements of its sorted row precede it (in an upper bound, or are equal to it). */
function bound(
  op: string,
  precedes: (write: Writer, sorted: OnnxValue, values: OnnxValue) => OnnxValue,
): Lowering {
  return {
    op,
    types: { T: numbers, out_type: indices },
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const [sorted, values] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const length = context.likelyShape(sorted)?.[1] ?? 0;
      if (context.rank(sorted) !== 2 || context.rank(values) !== 2 || length > MAX_BOUNDARIES) {
        return undefined;
      }
      const isOther = write.differ(write.shape(sorted, 0, 1), write.shape(values, 0, 1));
      const rows = write.checked(sorted, isOther);
      const flags = precedes(write, write.unsqueeze(rows, 1), write.unsqueeze(values, 2));
      return [countTrue(write, flags, node.type("out_type"))];
    },
  };
}

/**
 * Adds the weights of equal values, or 1 for each if there are no weights. One more bin than requested collects the values
 * beyond the last one.
 */
function bincount(
  inputs: readonly OnnxValue[],
  context: LoweringContext,
  {
    dtype,
    isBinary,
    hasRows,
  }: { readonly dtype: DType; readonly isBinary: boolean; readonly hasRows: boolean },
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, weights] = [inputAt(inputs, 0), inputAt(inputs, 2)];
  const size = numberAt(context, inputAt(inputs, 1));
  const rank = context.rank(input);
  const weightShape = context.shape(weights);
  const weightCount = weightShape && productOf(weightShape);
  if (size === undefined || size < 0 || weightCount === undefined) return undefined;
  if ((weightCount > 0 && context.rank(weights) !== rank) || (hasRows && rank > 2)) return undefined;
  const long = write.cast(input, "int64");
  const isNegative = write.any(write.test("Less", long, write.scalar("int64", 0)));
  const values = write.same("Min", [long, write.scalar("int64", size)]);
  const bins = write.longs([size + 1]);
  const inRows = hasRows && rank === 2;
  const rows = inRows ? write.shape(input, 0, 1) : write.longs([1]);
  const firsts = inRows ? write.unsqueeze(rowStarts(write, rows, bins), 1) : write.scalar("int64", 0);
  const offsets = write.reshape(write.add(values, firsts), write.longs([-1]));
  const isWeighted = weightCount > 0 && !isBinary;
  const given = isWeighted
    ? weights
    : write.same("Expand", [context.model.constant(scalarTensor(dtype, 1)), write.shape(input)]);
  // A number of weights other than that of the values is an error.
  const updates = weightCount > 0 ? write.reshape(given, write.shape(input)) : given;
  const zeros = write.filled(write.mul(rows, bins), scalarTensor(dtype, 0));
  const at = { offsets: write.unless(isNegative, offsets), width: write.longs([1]) };
  const counts = scatterRows(write, zeros, at, updates, isBinary ? "max" : "add");
  const table = write.reshape(counts, write.join(rows, bins));
  const wanted = write.same("Slice", [table, write.longs([0]), write.longs([size]), write.longs([1])]);
  return [inRows ? wanted : write.squeeze(wanted, 0)];
}

/** The index of the first bin of each row. */
function rowStarts(write: Writer, rows: OnnxValue, bins: OnnxValue): OnnxValue {
  const scalar = (vector: OnnxValue) => write.squeeze(vector, 0);
  const numbers = [write.scalar("int64", 0), scalar(rows), write.scalar("int64", 1)];
  return write.mul(write.model.node("Range", numbers, "int64"), bins);
}

/** Whether a target's prediction is among the k greatest of its row. @param k a scalar of int32. */
function inTopK(
  inputs: readonly OnnxValue[],
  k: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [predictions, targets] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  if (context.rank(predictions) !== 2 || context.rank(targets) !== 1) return undefined;
  const long = write.cast(targets, "int64");
  const classes = write.shape(predictions, 1, 2);
  const isClass = write.test(
    "And",
    write.test("GreaterOrEqual", long, write.longs([0])),
    write.test("Less", long, classes),
  );
  // One more class stands for targets that are none: its prediction is not finite.
  const none = write.same("Expand", [
    write.scalar("float32", Number.NaN),
    write.join(write.shape(predictions, 0, 1), write.longs([1])),
  ]);
  const padded = write.same("Concat", [predictions, none], { axis: int(1) });
  const column = write.unsqueeze(write.where(isClass, long, classes), 1);
  const rows = write.reshape(column, write.join(write.shape(predictions, 0, 1), write.longs([1])));
  const wanted = write.same("GatherElements", [padded, rows], { axis: int(1) });
  // x - x is 0 for finite numbers only.
  const isUnknown = write.test(
    "IsNaN",
    write.same("ReduceSum", [write.sub(predictions, predictions), write.longs([1])], { keepdims: int(0) }),
  );
  const isNoNumber = write.test("IsNaN", write.squeeze(write.sub(wanted, wanted), 1));
  const above = countTrue(write, write.test("Greater", predictions, wanted), "int64");
  const isAmong = write.test("Less", above, write.cast(k, "int64"));
  return [write.test("And", isAmong, write.test("Not", write.test("Or", isUnknown, isNoNumber)))];
}

/** Indexes in a row-major array as coordinates, a row for each dimension. */
function unravel(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, dims] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const sizes = numbersOf(context, dims);
  if (context.rank(input) > 1 || context.rank(dims) !== 1 || sizes === undefined || sizes.length === 0) {
    return undefined;
  }
  const limit = productOf(sizes);
  if (sizes.some((size) => size <= 0) || limit >= 2 ** 31) return undefined;
  const isBeyond = write.any(write.test("GreaterOrEqual", input, write.scalar(input.dtype, limit)));
  const checked = write.checked(input, isBeyond);
  const rows = sizes.map((size, axis) => {
    const stride = productOf(sizes, axis + 1);
    const quotient = write.div(checked, write.scalar(input.dtype, stride));
    const row = axis === 0 ? quotient : truncateMod(write, quotient, write.scalar(input.dtype, size));
    return write.unsqueeze(row, 0);
  });
  return [write.same("Concat", rows, { axis: int(0) })];
}

/** Ops that count or search values. */
export const countingLowerings: readonly Lowering[] = [
  {
    op: "Bucketize",
    types: { T: [...floats, ...indices] },
    fits: hasFewBoundaries,
    lower: bucketize,
  },
  bound("LowerBound", (write, sorted, values) => write.test("Less", sorted, values)),
  bound("UpperBound", (write, sorted, values) => write.test("Not", write.test("Less", values, sorted))),
  {
    op: "Bincount",
    // The kernels have none.
    hasNoHalves: true,
    types: { T: [...floats, ...indices] },
    shapeInputs: [1],
    lower: (node, inputs, context) =>
      bincount(inputs, context, { dtype: node.type("T"), isBinary: false, hasRows: false }),
  },
  {
    op: "DenseBincount",
    hasNoHalves: true,
    types: { Tidx: indices, T: [...floats, ...indices] },
    shapeInputs: [1],
    lower: (node, inputs, context) =>
      bincount(inputs, context, {
        dtype: node.type("T"),
        isBinary: node.bool("binary_output"),
        hasRows: true,
      }),
  },
  {
    op: "InTopK",
    types: { T: indices },
    lower: (node, inputs, context) =>
      inTopK(inputs, new Writer(context).scalar("int64", node.int("k")), context),
  },
  {
    op: "InTopKV2",
    types: { T: indices },
    lower: (_, inputs, context) =>
      context.rank(inputAt(inputs, 2)) === 0 ? inTopK(inputs, inputAt(inputs, 2), context) : undefined,
  },
  {
    op: "UnravelIndex",
    types: { Tidx: indices },
    lower: (_, inputs, context) => unravel(inputs, context),
  },
];
