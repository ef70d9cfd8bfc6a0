import type { DType } from "../../../protocol/dtype.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, ordered, summed } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisOf, axisWithin, inputAt, numbersOf, Writer } from "./writer.js";

/** Reduces a tensor with an ONNX operator along the node's axes. */
type Along = (operator: string, values: OnnxValue) => OnnxValue;

interface Reduction {
  readonly op: string;
  /** undefined for bool. */
  readonly T?: readonly DType[];
  reduce(write: Writer, input: OnnxValue, along: Along): OnnxValue;
  /** The operator applied to each element if there are no axes; defaults to none. */
  readonly alone?: string;
}

const reductions: readonly Reduction[] = [
  { op: "Sum", T: summed, reduce: sum },
  { op: "Mean", T: floats, reduce: mean },
  { op: "Prod", T: floats, reduce: (_, input, along) => along("ReduceProd", input) },
  { op: "Max", T: ordered, reduce: extreme("ReduceMax") },
  { op: "Min", T: ordered, reduce: extreme("ReduceMin") },
  { op: "EuclideanNorm", T: floats, reduce: (_, input, along) => along("ReduceL2", input), alone: "Abs" },
  { op: "All", reduce: truth("ReduceMin") },
  { op: "Any", reduce: truth("ReduceMax") },
];

/**
 * Integer sums wrap around in TensorFlow, while ONNX Runtime sums as float64 and saturates at the largest integer.
 * Therefore the two halves of 64 bits are summed separately: float64 holds the sum of 2^21 of them exactly.
 */
function sum(write: Writer, input: OnnxValue, along: Along): OnnxValue {
  if (input.dtype === "int32") {
    return write.cast(along("ReduceSum", write.cast(input, "int64")), "int32");
  }
  if (input.dtype !== "int64") {
    return along("ReduceSum", input);
  }
  const half = write.scalar("int64", 2n ** 32n);
  const low = write.cast(write.cast(input, "int32"), "int64");
  const high = write.div(write.sub(input, low), half);
  return write.add(write.mul(along("ReduceSum", high), half), along("ReduceSum", low));
}

/** The mean of no numbers is NaN; ONNX Runtime returns 0. */
function mean(write: Writer, input: OnnxValue, along: Along): OnnxValue {
  const count = write.cast(write.model.node("Size", [input], "int64"), input.dtype);
  return write.add(along("ReduceMean", input), write.div(write.scalar(input.dtype, 0), count));
}

/** In some cases ONNX Runtime ignores NaN, which TensorFlow never does. */
function extreme(operator: string): Reduction["reduce"] {
  return (write, input, along) => {
    const reduced = along(operator, input);
    if (input.dtype !== "float32" && input.dtype !== "float64") {
      return reduced;
    }
    const some = along("ReduceMax", write.cast(write.test("IsNaN", input), "uint8"));
    return write.where(write.cast(some, "bool"), write.scalar(input.dtype, Number.NaN), reduced);
  };
}

/** Reduces bools as bytes: ONNX Runtime has no minimum of an empty bool tensor. */
function truth(operator: string): Reduction["reduce"] {
  return (write, input, along) => write.cast(along(operator, write.cast(input, "uint8")), "bool");
}

/**
 * The axes of a reduction as int64, counted from the front if they are known; undefined if they are invalid.
 * @returns `known` is undefined if the axes may differ in the next run.
 */
function reducedAxes(
  context: LoweringContext,
  input: OnnxValue,
  rank: number,
): { readonly known: readonly number[] | undefined } | undefined {
  const given = numbersOf(context, input);
  if (given === undefined) {
    return { known: undefined };
  }
  const axes = given.map((axis) => axisWithin(axis, rank));
  const found = axes.filter((axis) => axis !== undefined);
  return found.length < axes.length || new Set(found).size < found.length ? undefined : { known: found };
}

function reduce(
  { reduce: reduceAlong, alone }: Reduction,
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, axesInput] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const axes = reducedAxes(context, axesInput, context.rank(input));
  const keep = node.bool("keep_dims");
  if (axes === undefined || (axes.known === undefined && alone !== undefined)) {
    return undefined;
  }
  const along = (named: OnnxValue, keepdims: boolean): OnnxValue =>
    reduceAlong(write, input, (operator, values) =>
      write.same(operator, [values, named], {
        keepdims: int(Number(keepdims)),
        noop_with_empty_axes: int(1),
      }),
    );
  if (axes.known !== undefined) {
    const isAlone = axes.known.length === 0;
    return [
      isAlone
        ? alone === undefined
          ? input
          : write.same(alone, [input])
        : along(write.longs(axes.known), keep),
    ];
  }
  // Counted from the front: for an empty tensor, ONNX Runtime confuses negative axes.
  const named = write.vector(axesInput);
  const isNegative = write.test("Less", named, write.longs([0]));
  const rank = write.longs([context.rank(input)]);
  const vector = write.where(isNegative, write.add(named, rank), named);
  const reduced = along(vector, keep);
  // A repeated axis is an error in TensorFlow. Unsqueeze is not used for the check: its axes should not be computed if
  // a GPU provider runs it.
  return [
    write.reshape(
      reduced,
      write.unless(namesTwice(write, vector, context.rank(input)), write.shape(reduced)),
    ),
  ];
}

/** A scalar: whether any of the axes, which are counted from the front, is repeated. */
function namesTwice(write: Writer, axes: OnnxValue, rank: number): OnnxValue {
  const all = write.longs(Array.from({ length: rank }, (_, axis) => axis));
  const named = write.cast(write.test("Equal", write.reshape(axes, write.longs([-1, 1])), all), "int64");
  const times = write.same("ReduceSum", [named, write.longs([0])], { keepdims: int(0) });
  return write.any(write.test("Greater", times, write.longs([1])));
}

/** Vectors longer than any shape are not multiplied element by element. */
const MAX_FACTORS = 16;

/**
 * The product of the elements of a short vector, such as a shape. Written as multiplications: ONNX Runtime's ReduceProd
 * computes with float64, which cannot represent large integers.
 */
function shortProduct(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const input = inputAt(inputs, 0);
  const axes = reducedAxes(context, inputAt(inputs, 1), context.rank(input));
  const [length, ...more] = context.shape(input) ?? [];
  if (axes?.known?.length !== 1 || length === undefined || length > MAX_FACTORS || more.length > 0) {
    return undefined;
  }
  const factors = Array.from({ length }, (_, i) => write.same("Gather", [input, write.scalar("int64", i)]));
  const product = factors.reduce(write.mul, write.scalar(input.dtype, 1));
  return [node.bool("keep_dims") ? write.unsqueeze(product, 0) : product];
}

function position(op: string, onnx: string): Lowering {
  return {
    op,
    types: { T: ordered, Tidx: indices, output_type: indices },
    shapeInputs: [1],
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const input = inputAt(inputs, 0);
      const axis = axisOf(context, inputAt(inputs, 1), context.rank(input));
      if (axis === undefined) return undefined;
      const found = context.model.node(onnx, [input], "int64", {
        attributes: { axis: int(axis), keepdims: int(0) },
      });
      return [write.cast(found, node.type("output_type"))];
    },
  };
}

export const reductionLowerings: readonly Lowering[] = [
  ...reductions.map(
    (reduction): Lowering => ({
      op: reduction.op,
      types: { ...(reduction.T === undefined ? {} : { T: reduction.T }), Tidx: indices },
      shapeInputs: [1],
      lower: (node, inputs, context) => reduce(reduction, node, inputs, context),
    }),
  ),
  { op: "Prod", types: { T: indices, Tidx: indices }, shapeInputs: [1], lower: shortProduct },
  position("ArgMax", "ArgMax"),
  position("ArgMin", "ArgMin"),
  {
    op: "Cumsum",
    types: { T: summed, Tidx: indices },
    lower: (node, inputs, context) => {
      const [input, axis] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      // ONNX would also accept a vector with one axis.
      if (context.rank(axis) !== 0) return undefined;
      const attributes = {
        exclusive: int(Number(node.bool("exclusive"))),
        reverse: int(Number(node.bool("reverse"))),
      };
      return [new Writer(context).same("CumSum", [input, axis], attributes)];
    },
  },
];
