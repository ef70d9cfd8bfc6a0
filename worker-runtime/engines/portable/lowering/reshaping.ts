import { integersOf } from "../kernels/support/elements.js";
import { int, ints } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, moved } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { axisOf, axisWithin, FAR, inputAt, numberAt, numbersOf, Writer } from "./writer.js";

/** The axes given by an input, counted from the front; undefined if they are unknown, invalid or repeated. */
function axesOf(context: LoweringContext, input: OnnxValue, rank: number): readonly number[] | undefined {
  const axes = numbersOf(context, input)?.map((axis) => axisWithin(axis, rank));
  const found = axes?.filter((axis) => axis !== undefined) ?? [];
  return found.length === axes?.length && new Set(found).size === found.length ? found : undefined;
}

function transpose(op: string): Lowering {
  return {
    op,
    types: { T: moved, Tperm: indices },
    lower: (_, inputs, context) => {
      const input = inputAt(inputs, 0);
      const rank = context.rank(input);
      const order = numbersOf(context, inputAt(inputs, 1));
      const axes = axesOf(context, inputAt(inputs, 1), rank);
      if (order === undefined || axes?.length !== rank || order.some((axis) => axis < 0)) {
        return undefined;
      }
      return [rank < 2 ? input : new Writer(context).same("Transpose", [input], { perm: ints(axes) })];
    },
  };
}

/** The numbers of a constant of the model; none for any other value. Unlike `numbersOf`, this restricts a model to nothing. */
function constantSizes(sizes: OnnxValue, { model }: LoweringContext): readonly number[] {
  const known = model.constantOf(sizes);
  return known === undefined ? [] : integersOf(known);
}

/**
 * Broadcasts the tensor to a larger shape. ONNX would also accept a size of 1 where the tensor's is larger.
 * @returns undefined for constant sizes of which one is 0: ONNX Runtime drops an Expand from known sizes of 1 to these
 */
function broadcastTo(
  input: OnnxValue,
  sizes: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  if (constantSizes(sizes, context).includes(0)) {
    return undefined;
  }
  const write = new Writer(context);
  const shape = write.cast(sizes, "int64");
  return [write.reshape(write.same("Expand", [input, shape]), shape)];
}

/** Reverses the order along axes. */
function backwards(write: Writer, input: OnnxValue, axes: readonly number[]): OnnxValue {
  const each = (value: number | bigint) => write.longs(axes.map(() => value));
  return axes.length === 0
    ? input
    : write.same("Slice", [input, each(-1), each(-FAR), write.longs(axes), each(-1)]);
}

export const reshapingLowerings: readonly Lowering[] = [
  {
    op: "Reshape",
    types: { T: moved, Tshape: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      // ONNX does not infer a size beside one of 0.
      const sizes = constantSizes(inputAt(inputs, 1), context);
      if (sizes.includes(-1) && sizes.includes(0)) {
        return undefined;
      }
      return [write.reshape(inputAt(inputs, 0), write.cast(inputAt(inputs, 1), "int64"))];
    },
  },
  {
    op: "ExpandDims",
    types: { T: moved, Tdim: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const axis = write.reshape(write.cast(inputAt(inputs, 1), "int64"), write.longs([1]));
      return [write.same("Unsqueeze", [inputAt(inputs, 0), axis])];
    },
  },
  {
    op: "Squeeze",
    types: { T: moved },
    isRankBySizes: true,
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const [input, axes] = [inputAt(inputs, 0), node.ints("squeeze_dims")];
      return [axes.length === 0 ? write.same("Squeeze", [input]) : write.squeeze(input, ...axes)];
    },
  },
  transpose("Transpose"),
  transpose("ConjugateTranspose"),
  {
    op: "ReverseV2",
    types: { T: moved, Tidx: indices },
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const input = inputAt(inputs, 0);
      const axes = axesOf(context, inputAt(inputs, 1), context.rank(input));
      return axes && [backwards(write, input, axes)];
    },
  },
  {
    op: "Reverse",
    types: { T: moved },
    lower: (_, inputs, context) => {
      const flags = numbersOf(context, inputAt(inputs, 1));
      if (flags?.length !== context.rank(inputAt(inputs, 0))) return undefined;
      const axes = flags.flatMap((flag, axis) => (flag === 0 ? [] : [axis]));
      return [backwards(new Writer(context), inputAt(inputs, 0), axes)];
    },
  },
  {
    op: "Tile",
    // TensorFlow has kernels only for these, except if the repetitions change nothing.
    types: { T: [...floats, "int8", "int16", "int32", "int64", "uint8", "bool"], Tmultiples: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const multiples = inputAt(inputs, 1);
      // Sizes, as in the gradient of Sum, are not negative.
      if (multiples.sizes === undefined && numbersOf(context, multiples)?.some((times) => times < 0)) {
        return undefined;
      }
      return [write.same("Tile", [inputAt(inputs, 0), write.cast(multiples, "int64")])];
    },
  },
  {
    op: "BroadcastTo",
    types: { T: moved, Tidx: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => broadcastTo(inputAt(inputs, 0), inputAt(inputs, 1), context),
  },
  {
    op: "Fill",
    types: { T: moved, index_type: indices },
    shapeInputs: [0],
    lower: (_, inputs, context) => broadcastTo(inputAt(inputs, 1), inputAt(inputs, 0), context),
  },
  {
    op: "Roll",
    types: { T: moved, Tshift: indices, Taxis: indices },
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const input = inputAt(inputs, 0);
      const axis = axisOf(context, inputAt(inputs, 2), context.rank(input));
      const shift = numberAt(context, inputAt(inputs, 1));
      const size = context.shape(input)?.[axis ?? 0];
      if (axis === undefined || shift === undefined || size === undefined) {
        return undefined;
      }
      const first = size === 0 ? 0 : ((-shift % size) + size) % size;
      const part = (from: number, to: number | bigint) =>
        write.same("Slice", [input, write.longs([from]), write.longs([to]), write.longs([axis])]);
      return [
        first === 0 ? input : write.same("Concat", [part(first, FAR), part(0, first)], { axis: int(axis) }),
      ];
    },
  },
];
