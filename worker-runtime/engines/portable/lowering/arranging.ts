import type { KernelNode } from "../kernels/kernel-node.js";
import { int, ints } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, limited, moved, summed } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { FAR, inputAt, numbersOf, scalarTensor, Writer } from "./writer.js";

/** Sets the elements of a matrix outside a band around its diagonal to 0. A negative limit means no limit. */
function bandPart(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const input = inputAt(inputs, 0);
  const rank = context.rank(input);
  const [lower, ...moreLower] = numbersOf(context, inputAt(inputs, 1)) ?? [];
  const [upper, ...moreUpper] = numbersOf(context, inputAt(inputs, 2)) ?? [];
  if (rank < 2 || lower === undefined || upper === undefined || moreLower.length + moreUpper.length > 0) {
    return undefined;
  }
  /** A limit beyond the diagonals of the matrix is an error. */
  const within = (limit: number, axis: number, diagonal: number) => {
    const isMore = write.test("Greater", write.longs([limit]), write.shape(input, axis, axis + 1));
    const scalar = write.scalar("int64", diagonal);
    return limit === 0 ? scalar : write.unless(write.any(isMore), scalar);
  };
  const above =
    lower < 0 ? input : write.same("Trilu", [input, within(lower, rank - 2, -lower)], { upper: int(1) });
  const both =
    upper < 0 ? above : write.same("Trilu", [above, within(upper, rank - 1, upper)], { upper: int(0) });
  return [both];
}

/**
 * Turns blocks of pixels into channels, or channels into blocks, in images with the channels last.
 * @param isToDepth whether blocks become channels.
 */
function blocks(
  node: KernelNode,
  input: OnnxValue,
  context: LoweringContext,
  isToDepth: boolean,
): readonly OnnxValue[] | undefined {
  if (node.string("data_format") !== "NHWC" || context.rank(input) !== 4) {
    return undefined;
  }
  const write = new Writer(context);
  const size = node.int("block_size");
  const block = write.longs([size]);
  const dimension = (axis: number) => write.shape(input, axis, axis + 1);
  const [batch, rows, columns, channels] = [dimension(0), dimension(1), dimension(2), dimension(3)];
  // A size that is not a multiple gives a shape with fewer elements, which Reshape rejects.
  const apart = isToDepth
    ? [batch, write.div(rows, block), block, write.div(columns, block), block, channels]
    : [batch, rows, columns, block, block, write.div(channels, write.longs([size * size]))];
  const together = isToDepth
    ? [
        batch,
        write.div(rows, block),
        write.div(columns, block),
        write.mul(channels, write.longs([size * size])),
      ]
    : [
        batch,
        write.mul(rows, block),
        write.mul(columns, block),
        write.div(channels, write.longs([size * size])),
      ];
  const parts = write.reshape(input, write.join(...apart));
  const turned = write.same("Transpose", [parts], { perm: ints([0, 1, 3, 2, 4, 5]) });
  return [write.reshape(turned, write.join(...together))];
}

/** Places rows at constant indices: a selection of all rows, the last one of those with the same index. */
function stitch(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const count = inputs.length / 2;
  const [targets, tensors] = [inputs.slice(0, count), inputs.slice(count)];
  const lists = targets.map((input) => numbersOf(context, input));
  const at = new Map<number, number>();
  let row = 0;
  for (const list of lists) {
    if (list === undefined) return undefined;
    for (const index of list) {
      if (index < 0) return undefined;
      at.set(index, row);
      row += 1;
    }
  }
  const rows = Array.from({ length: at.size }, (_, index) => at.get(index));
  const found = rows.filter((one) => one !== undefined);
  // Rows that no index names would be uninitialized.
  if (rows.length === 0 || found.length < rows.length) {
    return undefined;
  }
  const flat = tensors.map((tensor, i) => {
    const depth = context.rank(targets[i] ?? tensor);
    const size = write.longs([lists[i]?.length ?? 0]);
    return write.reshape(tensor, write.join(size, write.shape(tensor, depth)));
  });
  const all = flat.length === 1 ? flat[0] : write.same("Concat", flat, { axis: int(0) });
  return all && [write.same("Gather", [all, write.longs(found)], { axis: int(0) })];
}

/** Returns the tensor unchanged if its sizes match those of the node. */
function ensureShape(
  node: KernelNode,
  input: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const sizes = node.shape("shape");
  if (sizes === undefined || sizes.every((size) => size < 0)) {
    return sizes === undefined || sizes.length === context.rank(input) ? [input] : undefined;
  }
  if (sizes.length !== context.rank(input)) {
    return undefined;
  }
  const write = new Writer(context);
  const shape = write.shape(input);
  const axes = sizes.flatMap((size, axis) => (size < 0 ? [] : [axis]));
  const named = write.same("Gather", [shape, write.longs(axes)]);
  const wanted = write.longs(sizes.filter((size) => size >= 0));
  return [write.checked(input, write.differ(named, wanted))];
}

/** How an axis is mirrored: how many elements are added before and after it, and how many of the outermost ones are left out. */
interface Mirror {
  readonly before: number;
  readonly after: number;
  readonly skip: number;
}

/** The mirrors of each axis: with the outermost elements (SYMMETRIC) or without (REFLECT); undefined if they are unknown. */
function mirrorsOf(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly Mirror[] | undefined {
  const amounts = numbersOf(context, inputAt(inputs, 1));
  const rank = context.rank(inputAt(inputs, 0));
  if (amounts?.length !== 2 * rank || amounts.some((amount) => amount < 0)) {
    return undefined;
  }
  const skip = node.string("mode") === "REFLECT" ? 1 : 0;
  return Array.from({ length: rank }, (_, axis) => {
    const [before = 0, after = 0] = amounts.slice(2 * axis);
    return { before, after, skip };
  });
}

/** The value; the model fails if one of its sizes is less than it has to be. */
function ofLeastSizes(write: Writer, value: OnnxValue, sizes: readonly number[]): OnnxValue {
  return write.checked(value, write.any(write.test("Less", write.shape(value), write.longs(sizes))));
}

/** A part of a tensor along one axis. */
function part(
  write: Writer,
  value: OnnxValue,
  axis: number,
  from: number,
  to: number | bigint,
  step = 1,
): OnnxValue {
  const numbers = [[from], [to], [axis], [step]].map((one) => write.longs(one));
  return write.same("Slice", [value, ...numbers]);
}

/** Pads with mirror images of the tensor. */
function mirrorPad(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const mirrors = mirrorsOf(node, inputs, context);
  if (mirrors === undefined) {
    return undefined;
  }
  // The mirror image cannot be larger than the tensor. Even an empty one needs an element that it leaves out.
  const least = mirrors.map(({ before, after, skip }) => Math.max(before, after) + skip);
  const input = inputAt(inputs, 0);
  if (least.every((size) => size === 0)) {
    return [input];
  }
  return [
    mirrors.reduce(
      (value, mirror, axis) => mirrored(write, value, axis, mirror),
      ofLeastSizes(write, input, least),
    ),
  ];
}

function mirrored(write: Writer, value: OnnxValue, axis: number, { before, after, skip }: Mirror): OnnxValue {
  const parts = [
    ...(before === 0 ? [] : [part(write, value, axis, before + skip - 1, skip === 1 ? 0 : -FAR, -1)]),
    value,
    ...(after === 0 ? [] : [part(write, value, axis, -1 - skip, -1 - skip - after, -1)]),
  ];
  return parts.length === 1 ? value : write.same("Concat", parts, { axis: int(axis) });
}

/** Adds the gradients of mirror images to those of the elements that they mirror. */
function mirrorPadGrad(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const mirrors = mirrorsOf(node, inputs, context);
  if (mirrors === undefined) {
    return undefined;
  }
  // Something must be left, even where nothing is cut off.
  const least = mirrors.map(({ before, after }) => before + after + 1);
  return [
    mirrors.reduce(
      (value, mirror, axis) => folded(write, value, axis, mirror),
      ofLeastSizes(write, inputAt(inputs, 0), least),
    ),
  ];
}

function folded(write: Writer, value: OnnxValue, axis: number, { before, after, skip }: Mirror): OnnxValue {
  if (before + after === 0) {
    return value;
  }
  const whole = part(write, value, axis, before, after === 0 ? FAR : -after);
  const size = write.shape(whole, axis, axis + 1);
  const needed = write.longs([Math.max(before, after) + skip]);
  const checked = write.unless(write.any(write.test("Less", size, needed)), size);
  const zero = write.model.constant(scalarTensor(value.dtype, 0));
  /** Zeros for the elements that have no mirror image on this side. */
  const placed = (image: OnnxValue, count: number, isFirst: boolean) => {
    const rest = write.sub(checked, write.longs([count + skip]));
    const pads = isFirst ? write.join(write.longs([skip]), rest) : write.join(rest, write.longs([skip]));
    return write.same("Pad", [image, pads, zero, write.longs([axis])]);
  };
  return [
    ...(before === 0 ? [] : [placed(part(write, value, axis, before - 1, -FAR, -1), before, true)]),
    ...(after === 0 ? [] : [placed(part(write, value, axis, -1, -1 - after, -1), after, false)]),
  ].reduce(write.add, whole);
}

/** Reverses the first elements of each row. */
function reverseSequence(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const [batch, time] = [node.int("batch_dim"), node.int("seq_dim")];
  if (batch + time !== 1 || batch < 0 || time < 0) {
    return undefined;
  }
  const write = new Writer(context);
  const lengths = write.cast(inputAt(inputs, 1), "int64");
  return [
    write.same("ReverseSequence", [inputAt(inputs, 0), lengths], {
      batch_axis: int(batch),
      time_axis: int(time),
    }),
  ];
}

export const arrangingLowerings: readonly Lowering[] = [
  {
    op: "MatrixBandPart",
    types: { T: summed, Tindex: indices },
    lower: (_, inputs, context) => bandPart(inputs, context),
  },
  {
    op: "SpaceToDepth",
    types: { T: moved },
    lower: (node, inputs, context) => blocks(node, inputAt(inputs, 0), context, true),
  },
  {
    op: "DepthToSpace",
    types: { T: moved },
    lower: (node, inputs, context) => blocks(node, inputAt(inputs, 0), context, false),
  },
  ...["DynamicStitch", "ParallelDynamicStitch"].map(
    (op): Lowering => ({ op, types: { T: moved }, lower: (_, inputs, context) => stitch(inputs, context) }),
  ),
  {
    op: "EnsureShape",
    types: { T: moved },
    lower: (node, inputs, context) => ensureShape(node, inputAt(inputs, 0), context),
  },
  { op: "MirrorPad", types: { T: moved, Tpaddings: indices }, shapeInputs: [1], lower: mirrorPad },
  {
    op: "MirrorPadGrad",
    types: { T: limited, Tpaddings: indices },
    shapeInputs: [1],
    lower: mirrorPadGrad,
  },
  { op: "ReverseSequence", types: { T: moved, Tlen: indices }, lower: reverseSequence },
];
