import type { DType } from "../../../protocol/dtype.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { productOf } from "../kernels/support/shapes.js";
import { int, ints } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, limited, numbers } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** The sizes of the blocks, and the pixels added or removed before and after each blocked dimension. */
interface Blocks {
  readonly sizes: readonly number[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function blocksOf(
  context: LoweringContext,
  sizes: readonly number[] | undefined,
  amounts: OnnxValue,
  rank: number,
): Blocks | undefined {
  const pairs = numbersOf(context, amounts);
  if (
    sizes === undefined ||
    sizes.some((size) => size < 1) ||
    rank < sizes.length + 1 ||
    context.rank(amounts) !== 2 ||
    pairs?.length !== 2 * sizes.length ||
    pairs.some((amount) => amount < 0)
  ) {
    return undefined;
  }
  const side = (parity: number) => pairs.filter((_, i) => i % 2 === parity);
  return { sizes, before: side(0), after: side(1) };
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

/** Returns the value; the model fails if sizes are not multiples. Reshape alone would accept that of empty tensors. */
function ifMultiple(write: Writer, sizes: OnnxValue, of: readonly number[], value: OnnxValue): OnnxValue {
  const rest = write.same("Mod", [sizes, write.longs(of)]);
  return write.unless(write.any(write.test("Greater", rest, write.longs([0]))), value);
}

function spaceToBatch(
  write: Writer,
  input: OnnxValue,
  rank: number,
  { sizes, before, after }: Blocks,
): OnnxValue {
  const m = sizes.length;
  const rest = rank - m - 1;
  const zeros = range(0, rest).map(() => 0);
  const pads = write.longs([0, ...before, ...zeros, 0, ...after, ...zeros]);
  const wide = write.same("Pad", [input, pads]);
  const inner = write.shape(wide, 1, m + 1);
  const block = write.longs(sizes);
  const counts = write.div(inner, block);
  const [batch, behind] = [write.shape(wide, 0, 1), write.shape(wide, m + 1)];
  // Alternately the numbers of blocks and their sizes.
  const pairs = write.reshape(
    write.same("Concat", [write.unsqueeze(counts, 1), write.unsqueeze(block, 1)], { axis: int(1) }),
    write.longs([2 * m]),
  );
  const whole = ifMultiple(write, inner, sizes, wide);
  const split = write.reshape(whole, write.join(batch, pairs, behind));
  const moved = write.same("Transpose", [split], {
    perm: ints([
      ...range(0, m).map((i) => 2 + 2 * i),
      0,
      ...range(0, m).map((i) => 1 + 2 * i),
      ...range(1 + 2 * m, rest),
    ]),
  });
  const batches = write.mul(batch, write.longs([productOf(sizes)]));
  return write.reshape(moved, write.join(batches, counts, behind));
}

function batchToSpace(
  write: Writer,
  input: OnnxValue,
  rank: number,
  { sizes, before, after }: Blocks,
): OnnxValue {
  const m = sizes.length;
  const [batch, inner, behind] = [
    write.shape(input, 0, 1),
    write.shape(input, 1, m + 1),
    write.shape(input, m + 1),
  ];
  const product = productOf(sizes);
  const batches = write.div(batch, write.longs([product]));
  const block = write.longs(sizes);
  const whole = ifMultiple(write, batch, [product], input);
  const split = write.reshape(whole, write.join(block, batches, inner, behind));
  const moved = write.same("Transpose", [split], {
    perm: ints([m, ...range(0, m).flatMap((i) => [m + 1 + i, i]), ...range(2 * m + 1, rank - m - 1)]),
  });
  const spans = write.mul(inner, block);
  const wide = write.reshape(moved, write.join(batches, spans, behind));
  const starts = write.longs(before);
  const ends = write.sub(spans, write.longs(after));
  const isTooSmall = write.any(write.test("Less", ends, starts));
  const cropped = write.same("Slice", [wide, starts, ends, write.longs(range(1, m))]);
  return write.unless(isTooSmall, cropped);
}

type Move = typeof spaceToBatch;

/** @param sizesAt the input with the sizes of the blocks; undefined if an attribute gives a single one. */
function lowering(op: string, attr: string, T: readonly DType[], move: Move, sizesAt?: 1): Lowering {
  const amountsAt = sizesAt === undefined ? 1 : 2;
  return {
    op,
    types: { T, [attr]: indices, ...(sizesAt === undefined ? {} : { Tblock_shape: indices }) },
    shapeInputs: sizesAt === undefined ? [1] : [1, 2],
    lower: (node: KernelNode, inputs, context) => {
      const input = inputAt(inputs, 0);
      const rank = context.rank(input);
      const sizes = sizesAt === undefined ? twice(node) : vectorOf(context, inputAt(inputs, sizesAt));
      const blocks = blocksOf(context, sizes, inputAt(inputs, amountsAt), rank);
      return blocks && [blocks.sizes.length === 0 ? input : move(new Writer(context), input, rank, blocks)];
    },
  };
}

function twice(node: KernelNode): readonly number[] {
  const size = node.int("block_size");
  return [size, size];
}

function vectorOf(context: LoweringContext, input: OnnxValue): readonly number[] | undefined {
  return context.rank(input) === 1 ? numbersOf(context, input) : undefined;
}

/** Ops that move blocks of pixels between the images and their batch. */
export const spaceBatchLowerings: readonly Lowering[] = [
  lowering("SpaceToBatchND", "Tpaddings", limited, spaceToBatch, 1),
  lowering("BatchToSpaceND", "Tcrops", numbers, batchToSpace, 1),
  lowering("SpaceToBatch", "Tpaddings", limited, spaceToBatch),
  lowering("BatchToSpace", "Tidx", numbers, batchToSpace),
];
