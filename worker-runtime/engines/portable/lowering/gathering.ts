import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, moved, ordered } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisOf, axisWithin, inputAt, numbersOf, Writer } from "./writer.js";

/** Indices that are out of range in ONNX whenever they are in TensorFlow; undefined if some are known to be. */
export function checkedIndices(
  write: Writer,
  context: LoweringContext,
  input: OnnxValue,
): OnnxValue | undefined {
  const known = numbersOf(context, input);
  if (known === undefined) {
    return write.fromFront(input);
  }
  return known.some((index) => index < 0) ? undefined : input;
}

/**
 * Index vectors with a 0 prepended, for a tensor with an additional leading dimension: an empty vector selects the
 * whole tensor, and ONNX does not accept empty vectors.
 */
export function lengthened(write: Writer, vectors: OnnxValue, rank: number): OnnxValue {
  const pads = Array.from({ length: 2 * rank }, (_, i) => (i === rank - 1 ? 1 : 0));
  return write.same("Pad", [vectors, write.longs(pads), write.scalar("int64", 0)]);
}

function gather(
  params: OnnxValue,
  indexInput: OnnxValue,
  axis: number,
  batchDims: number,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const at = checkedIndices(write, context, indexInput);
  if (at === undefined) {
    return undefined;
  }
  if (batchDims === 0) {
    return [write.same("Gather", [params, at], { axis: int(axis) })];
  }
  // In GatherND each index is a vector, which indexes the dimensions right after the batch.
  if (axis !== batchDims) {
    return undefined;
  }
  const vectors = write.unsqueeze(write.cast(at, "int64"), context.rank(indexInput));
  return [write.same("GatherND", [params, vectors], { batch_dims: int(batchDims) })];
}

function gatherNd(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [params, indexInput] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const at = checkedIndices(write, context, indexInput);
  const rank = context.rank(indexInput);
  if (at === undefined || rank === 0) {
    return undefined;
  }
  const long = write.cast(at, "int64");
  if ((context.value(indexInput)?.shape.at(-1) ?? 0) > 0) {
    return [write.same("GatherND", [params, long])];
  }
  return [write.same("GatherND", [write.unsqueeze(params, 0), lengthened(write, long, rank)])];
}

export const gatheringLowerings: readonly Lowering[] = [
  {
    op: "Gather",
    gathers: true,
    types: { Tparams: moved, Tindices: indices },
    lower: (_, inputs, context) => gather(inputAt(inputs, 0), inputAt(inputs, 1), 0, 0, context),
  },
  {
    op: "GatherV2",
    gathers: true,
    types: { Tparams: moved, Tindices: indices, Taxis: indices },
    shapeInputs: [2],
    lower: (node, inputs, context) => {
      const [params, at] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const axis = axisOf(context, inputAt(inputs, 2), context.rank(params));
      const batchDims = node.int("batch_dims");
      const batch = batchDims === 0 ? 0 : axisWithin(batchDims, context.rank(at) + 1);
      return axis === undefined || batch === undefined ? undefined : gather(params, at, axis, batch, context);
    },
  },
  {
    op: "GatherNd",
    gathers: true,
    types: { Tparams: moved, Tindices: indices },
    isRankBySizes: true,
    lower: (_, inputs, context) => gatherNd(inputs, context),
  },
  {
    op: "TopKV2",
    types: { T: ordered, Tk: ["int32", "int64"], index_type: indices },
    fits: (node) => node.bool("sorted"),
    shapeInputs: [1],
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const input = inputAt(inputs, 0);
      const k = write.reshape(write.cast(inputAt(inputs, 1), "int64"), write.longs([1]));
      const [values, places] = context.model.nodes("TopK", [input, k], [input.dtype, "int64"]);
      return values && places && [values, write.cast(places, node.type("index_type"))];
    },
  },
  {
    op: "Where",
    types: { T: moved },
    hasNoHalves: true,
    shapeInputs: [0],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const input = inputAt(inputs, 0);
      if (context.rank(input) === 0) return undefined;
      const places = context.model.node("NonZero", [write.cast(input, "bool")], "int64");
      return [write.same("Transpose", [places])];
    },
  },
];
