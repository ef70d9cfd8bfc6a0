import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { zeros } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { dataTypes, indexTypes, realTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { gatherStrided, transposed } from "../support/view.js";
import { type Padding, padded } from "./pad.js";

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

function pairs(tensor: Tensor, count: number, name: string): Padding[] {
  if (tensor.shape.length !== 2 || tensor.shape[0] !== count || tensor.shape[1] !== 2) {
    throw invalidArgument(`${name} should have shape [${count}, 2] instead of ${cppShapeText(tensor.shape)}`);
  }
  const list = integersOf(tensor);
  return range(0, count).map((i): Padding => {
    const pair: Padding = [list[2 * i] ?? 0, list[2 * i + 1] ?? 0];
    if (pair[0] < 0 || pair[1] < 0) {
      throw invalidArgument(`${name} must be non-negative`);
    }
    return pair;
  });
}

function checkBlocks(input: Tensor, blocks: readonly number[]): void {
  if (input.shape.length < 1 + blocks.length) {
    throw invalidArgument(`input rank should be >= ${1 + blocks.length} instead of ${input.shape.length}`);
  }
  if (blocks.some((size) => size < 1)) {
    throw invalidArgument(`block_shape must be positive, got ${blocks.join(", ")}`);
  }
}

function spaceToBatch(input: Tensor, blocks: readonly number[], paddingsInput: Tensor): Tensor {
  checkBlocks(input, blocks);
  const m = blocks.length;
  const paddings = pairs(paddingsInput, m, "paddings");
  const all: Padding[] = input.shape.map((_, axis) => paddings[axis - 1] ?? [0, 0]);
  const wide = padded(input, all, new Tensor(input.dtype, [], zeros(input.dtype, 1)));
  const sizes = blocks.map((block, i) => {
    const size = wide.shape[i + 1] ?? 0;
    if (size % block !== 0) {
      throw invalidArgument(`padded_shape[${i}]=${size} is not divisible by block_shape[${i}]=${block}`);
    }
    return size / block;
  });
  const batch = input.shape[0] ?? 0;
  const rest = input.shape.slice(m + 1);
  const split = wide.reshape([batch, ...blocks.flatMap((block, i) => [sizes[i] ?? 0, block]), ...rest]);
  const moved = transposed(split, [
    ...range(0, m).map((i) => 2 + 2 * i),
    0,
    ...range(0, m).map((i) => 1 + 2 * i),
    ...range(1 + 2 * m, rest.length),
  ]);
  return moved.reshape([batch * productOf(blocks), ...sizes, ...rest]);
}

function batchToSpace(input: Tensor, blocks: readonly number[], cropsInput: Tensor): Tensor {
  checkBlocks(input, blocks);
  const m = blocks.length;
  const crops = pairs(cropsInput, m, "crops");
  const product = productOf(blocks);
  const batches = input.shape[0] ?? 0;
  if (batches % product !== 0) {
    throw invalidArgument(
      `Input batch dimension (${batches}) is not divisible by product of block sizes (${product})`,
    );
  }
  const rest = input.shape.slice(m + 1);
  const spatial = input.shape.slice(1, m + 1);
  const split = input.reshape([...blocks, batches / product, ...spatial, ...rest]);
  const moved = transposed(split, [
    m,
    ...range(0, m).flatMap((i) => [m + 1 + i, i]),
    ...range(2 * m + 1, rest.length),
  ]);
  const wide = moved.reshape([
    batches / product,
    ...spatial.map((size, i) => size * (blocks[i] ?? 1)),
    ...rest,
  ]);
  const shape = wide.shape.map((size, axis) => {
    const crop = crops[axis - 1];
    const left = crop === undefined ? size : size - crop[0] - crop[1];
    if (left < 0) {
      throw invalidArgument(`cropped_shape[${axis - 1}]=${left} must be non-negative`);
    }
    return left;
  });
  const strides = stridesOf(wide.shape);
  const offset = crops.reduce((sum, [before], i) => sum + before * (strides[i + 1] ?? 0), 0);
  return gatherStrided(wide, shape, { offset, strides });
}

function blockSize(node: KernelNode): number {
  if (node.has("data_format") && node.string("data_format") !== "NHWC") {
    throw unimplemented("Only NHWC data_format supported on CPU. Got NCHW");
  }
  return node.int("block_size");
}

function sides(input: Tensor): [batch: number, height: number, width: number, depth: number] {
  const [batch, height, width, depth] = input.shape;
  if (
    input.shape.length !== 4 ||
    batch === undefined ||
    height === undefined ||
    width === undefined ||
    depth === undefined
  ) {
    throw invalidArgument(`Input rank should be: 4 instead of: ${input.shape.length}`);
  }
  return [batch, height, width, depth];
}

function spaceToDepth(input: Tensor, block: number): Tensor {
  const [batch, height, width, depth] = sides(input);
  if (height % block !== 0 || width % block !== 0) {
    throw invalidArgument(
      `Image width ${width} and height ${height} should be divisible by block_size: ${block}`,
    );
  }
  const [h, w] = [height / block, width / block];
  const moved = transposed(input.reshape([batch, h, block, w, block, depth]), [0, 1, 3, 2, 4, 5]);
  return moved.reshape([batch, h, w, block * block * depth]);
}

function depthToSpace(input: Tensor, block: number): Tensor {
  const [batch, height, width, depth] = sides(input);
  if (depth % (block * block) !== 0) {
    throw invalidArgument(`Input depth dimension ${depth} should be divisible by: ${block * block}`);
  }
  const d = depth / (block * block);
  const moved = transposed(input.reshape([batch, height, width, block, block, d]), [0, 1, 3, 2, 4, 5]);
  return moved.reshape([batch, height * block, width * block, d]);
}

function blockVector(tensor: Tensor): number[] {
  if (tensor.shape.length !== 1) {
    throw invalidArgument(`block_shape rank should be 1 instead of ${tensor.shape.length}`);
  }
  return integersOf(tensor);
}

/** The padded input is allocated and then rearranged. */
const NANOS_PER_PADDED = 25;

/** The cost of `spaceToBatch`: paddings from dimension 1 on may turn a small input into a large one. */
function paddedCost({ shape }: Tensor, paddings: Tensor): number {
  const added = integersOf(paddings);
  const size = (length: number, axis: number): number =>
    axis === 0 ? length : length + (added[2 * axis - 2] ?? 0) + (added[2 * axis - 1] ?? 0);
  return productOf(shape.map(size)) * NANOS_PER_PADDED;
}

/** Ops that move blocks of an image between its dimensions. */
export const spaceBatchKernels: readonly KernelDefinition[] = [
  pureKernel(
    "SpaceToBatchND",
    () => (inputs) => [spaceToBatch(inputAt(inputs, 0), blockVector(inputAt(inputs, 1)), inputAt(inputs, 2))],
    {
      types: { T: realTypes, Tblock_shape: indexTypes, Tpaddings: indexTypes },
      cost: (_, inputs) => paddedCost(inputAt(inputs, 0), inputAt(inputs, 2)),
    },
  ),
  pureKernel(
    "BatchToSpaceND",
    () => (inputs) => [batchToSpace(inputAt(inputs, 0), blockVector(inputAt(inputs, 1)), inputAt(inputs, 2))],
    { types: { T: realTypes, Tblock_shape: indexTypes, Tcrops: indexTypes } },
  ),
  pureKernel(
    "SpaceToBatch",
    (node) => {
      const block = node.int("block_size");
      return (inputs) => [spaceToBatch(inputAt(inputs, 0), [block, block], inputAt(inputs, 1))];
    },
    {
      types: { T: realTypes, Tpaddings: indexTypes },
      cost: (_, inputs) => paddedCost(inputAt(inputs, 0), inputAt(inputs, 1)),
    },
  ),
  pureKernel(
    "BatchToSpace",
    (node) => {
      const block = node.int("block_size");
      return (inputs) => [batchToSpace(inputAt(inputs, 0), [block, block], inputAt(inputs, 1))];
    },
    { types: { T: realTypes, Tidx: indexTypes } },
  ),
  pureKernel(
    "SpaceToDepth",
    (node) => {
      const block = blockSize(node);
      return (inputs) => [spaceToDepth(inputAt(inputs, 0), block)];
    },
    { types: { T: tensorTypes } },
  ),
  pureKernel(
    "DepthToSpace",
    (node) => {
      const block = blockSize(node);
      return (inputs) => [depthToSpace(inputAt(inputs, 0), block)];
    },
    { types: { T: dataTypes } },
  ),
];
