import type { DType } from "../../../protocol/dtype.js";
import { int, string } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, moved, numbers } from "./dtypes.js";
import { checkedIndices, lengthened } from "./gathering.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { type Combination, product, scatterRows } from "./row-scatter.js";
import { FAR, inputAt, numbersOf, scalarTensor, Writer } from "./writer.js";

/** How updates are combined with the elements of a tensor; undefined for replacement. */
const scatters: readonly {
  readonly op: string;
  readonly combination?: Combination;
  readonly T: readonly DType[];
  readonly negates?: boolean;
}[] = [
  { op: "TensorScatterUpdate", T: moved },
  { op: "TensorScatterAdd", combination: "add", T: numbers },
  {
    op: "TensorScatterSub",
    combination: "add",
    T: ["float32", "float64", "int8", "int16", "int32", "int64"],
    negates: true,
  },
  { op: "TensorScatterMax", combination: "max", T: numbers },
  { op: "TensorScatterMin", combination: "min", T: numbers },
];

/** Whether index vectors are constants and all different, so that the order of updates does not matter. */
function areDistinct(context: LoweringContext, input: OnnxValue): boolean {
  const tensor = context.value(input);
  const values = numbersOf(context, input);
  const depth = tensor?.shape.length === 1 ? 1 : (tensor?.shape.at(-1) ?? 0);
  if (values === undefined || depth === 0 || values.some((index) => index < 0)) {
    return false;
  }
  const count = values.length / depth;
  const texts = Array.from({ length: count }, (_, i) => values.slice(i * depth, (i + 1) * depth).join());
  return new Set(texts).size === count;
}

/** Index vectors as int64, of rank 2 or more; negative indices are out of range in ONNX, too. */
interface Vectors {
  readonly value: OnnxValue;
  readonly rank: number;
  readonly areDistinct: boolean;
}

/**
 * The index vectors of a node. As in TensorFlow, a vector is a list of indices, not a single index vector, and the model
 * fails if only some of the tensor, the vectors and the updates are empty.
 * @returns undefined for invalid ones.
 */
function vectorsOf(
  write: Writer,
  context: LoweringContext,
  [into, input, updates]: readonly [OnnxValue, OnnxValue, OnnxValue],
): Vectors | undefined {
  const checked = checkedIndices(write, context, input);
  const rank = context.rank(input);
  if (checked === undefined || rank === 0) {
    return undefined;
  }
  const isEmpty = (value: OnnxValue) =>
    write.test("Equal", write.model.node("Size", [value], "int64"), write.scalar("int64", 0));
  const [noVectors, noUpdates] = [isEmpty(input), isEmpty(updates)];
  const some = write.test("Or", write.test("Or", noVectors, noUpdates), isEmpty(into));
  const isWrong = write.test("And", some, write.test("Not", write.test("And", noVectors, noUpdates)));
  const value = write.unless(isWrong, write.cast(checked, "int64"));
  return {
    value: rank === 1 ? write.unsqueeze(value, 1) : value,
    rank: Math.max(2, rank),
    areDistinct: areDistinct(context, input),
  };
}

/** Combines slices with those of a tensor at index vectors that may be repeated, in order. */
function combineSlices(
  write: Writer,
  into: { readonly tensor: OnnxValue; readonly rank: number },
  { value: vectors, rank }: Vectors,
  updates: OnnxValue,
  combination: Combination,
): OnnxValue {
  const sizes = write.shape(into.tensor);
  const depth = write.shape(vectors, rank - 1);
  const start = write.longs([0]);
  const ownSizes = write.same("Slice", [sizes, start, depth]);
  const sliceSizes = write.same("Slice", [sizes, depth, write.longs([FAR])]);
  const steps = Array.from({ length: into.rank }, (_, axis) =>
    product(write, write.shape(into.tensor, axis + 1)),
  );
  const strides = write.same("Slice", [write.join(...steps), start, depth]);
  const isOutside = write.any(write.test("GreaterOrEqual", vectors, ownSizes));
  const expected = write.join(write.shape(vectors, 0, rank - 1), sliceSizes);
  const given = write.shape(updates);
  const lengths = write.test("Equal", write.shape(expected), write.shape(given));
  const isWrong = write.differ(expected, given);
  const isTooLong = write.test("Greater", depth, write.longs([into.rank]));
  const checks = write.join(
    ...[isOutside, isWrong].map((flag) => write.unsqueeze(flag, 0)),
    isTooLong,
    write.test("Not", lengths),
  );
  const offsets = write.same("ReduceSum", [write.mul(vectors, strides), write.longs([rank - 1])], {
    keepdims: int(0),
  });
  const at = { offsets: write.unless(write.any(checks), offsets), width: product(write, sliceSizes) };
  return scatterRows(write, into.tensor, at, updates, combination);
}

function tensorScatter({ op, combination, T, negates }: (typeof scatters)[number]): Lowering {
  return {
    op,
    types: { T, Tindices: indices },
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const [tensor, input, given] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
      const rank = context.rank(tensor);
      const vectors = vectorsOf(write, context, [tensor, input, given]);
      if (rank === 0 || vectors === undefined) {
        return undefined;
      }
      if (combination === undefined) {
        const longer = lengthened(write, vectors.value, vectors.rank);
        return [write.squeeze(write.same("ScatterND", [write.unsqueeze(tensor, 0), longer, given]), 0)];
      }
      const updates = negates === true ? write.same("Neg", [given]) : given;
      if (combination === "add" && vectors.areDistinct) {
        return [write.same("ScatterND", [tensor, vectors.value, updates], { reduction: string("add") })];
      }
      return [combineSlices(write, { tensor, rank }, vectors, updates, combination)];
    },
  };
}

const scatterNd: Lowering = {
  op: "ScatterNd",
  types: { T: moved, Tindices: indices },
  shapeInputs: [2],
  lower: (node, inputs, context) => {
    const write = new Writer(context);
    const [input, updates, sizes] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    const rank = context.shape(sizes)?.[0];
    if (rank === undefined) {
      return undefined;
    }
    const dtype = node.type("T");
    // A sum of bools is whether any is true.
    const summedAs = dtype === "bool" ? "uint8" : dtype;
    const tensor = write.filled(write.cast(sizes, "int64"), scalarTensor(summedAs, 0));
    const given = write.cast(updates, summedAs);
    const vectors = vectorsOf(write, context, [tensor, input, updates]);
    if (vectors === undefined) {
      return undefined;
    }
    const result = vectors.areDistinct
      ? write.same("ScatterND", [tensor, vectors.value, given])
      : combineSlices(write, { tensor, rank }, vectors, given, dtype === "bool" ? "max" : "add");
    return [write.cast(result, dtype)];
  },
};

/** Ops that write slices at given indices. */
export const scatteringLowerings: readonly Lowering[] = [...scatters.map(tensorScatter), scatterNd];
