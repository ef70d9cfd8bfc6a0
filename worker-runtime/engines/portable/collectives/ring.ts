import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { itemSize } from "../../../protocol/dtype.js";
import { ringChunkBytes } from "../../../protocol/ring-chunks.js";
import { internalError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { isByteList } from "../../../protocol/tensor-data.js";
import { allocate } from "../kernels/support/allocation.js";
import { copyElements, wordsOf } from "../kernels/support/strided-copy.js";
import type { Membership } from "./collective.js";

/** Which elements of a tensor travel around the ring together. */
interface Chunk {
  readonly index: number;
  readonly start: number;
  readonly count: number;
}

/** The operations of a reduction. */
export interface Reduction {
  /** Merges two vectors of the same size, this member's first. */
  merge(own: Tensor, received: Tensor): Tensor;
  /** Applied at the end, once to each chunk. */
  finish(merged: Tensor): Tensor;
}

/** A member, and the name of the collective's execution, which is the prefix of its buffers' keys. */
export interface Execution {
  readonly member: Membership;
  readonly key: string;
  readonly signal: CancellationSignal;
}

/**
 * Reduces a tensor over all members, as TensorFlow's RingReduce does, key for key: the tensor is cut into as many
 * chunks as there are members; in a first pass each chunk travels around the ring, starting at the member of its
 * number, and each member adds its own elements; in a second pass the result travels around. So all members get the
 * same bits, and each sends and receives less than twice the tensor's size.
 * @throws TensorFlowError what `Membership` throws, and what the reduction does.
 */
export async function ringReduce(
  execution: Execution,
  tensor: Tensor,
  reduction: Reduction,
): Promise<Tensor> {
  const { tasks } = execution.member;
  const chunks = chunksOf(tensor, tasks.length);
  const results = await Promise.all(chunks.map((chunk) => reduceChunk(execution, tensor, chunk, reduction)));
  return joined(tensor, tensor.shape, chunks, results);
}

/**
 * Concatenates the tensors of all members in the order of their ranks, as TensorFlow's RingGather does, key for key:
 * each tensor goes around the ring. All must have the same shape.
 * @returns a tensor whose first dimension is as many times as large; what `Membership` throws.
 */
export async function ringGather(execution: Execution, tensor: Tensor): Promise<Tensor> {
  const { tasks } = execution.member;
  const count = tensor.size;
  const chunks = tasks.map((_, index) => ({ index, start: index * count, count }));
  const results = await Promise.all(chunks.map((chunk) => gatherChunk(execution, tensor, chunk)));
  const [first = 1, ...rest] = tensor.shape;
  return joined(tensor, [first * tasks.length, ...rest], chunks, results);
}

async function reduceChunk(
  execution: Execution,
  tensor: Tensor,
  chunk: Chunk,
  { merge, finish }: Reduction,
): Promise<Tensor> {
  const { rank, tasks } = execution.member;
  const own = slice(tensor, chunk);
  if (chunk.count === 0 || tasks.length === 1) {
    return own;
  }
  const isFirst = rank === chunk.index;
  const isLast = rank === rankBefore(chunk.index, tasks.length);
  const merged = isFirst ? own : merge(own, await receive(execution, 0, chunk, tensor));
  if (isLast) {
    const result = finish(merged);
    await provide(execution, 1, chunk, result);
    return result;
  }
  await provide(execution, 0, chunk, merged);
  const result = await receive(execution, 1, chunk, tensor);
  if (rank !== rankBefore(rankBefore(chunk.index, tasks.length), tasks.length)) {
    await provide(execution, 1, chunk, result);
  }
  return result;
}

async function gatherChunk(execution: Execution, tensor: Tensor, chunk: Chunk): Promise<Tensor> {
  const { rank, tasks } = execution.member;
  const { count } = chunk;
  if (count === 0 || tasks.length === 1) {
    return tensor;
  }
  const result = rank === chunk.index ? tensor.reshape([count]) : await receive(execution, 0, chunk, tensor);
  if (rank !== rankBefore(chunk.index, tasks.length)) {
    await provide(execution, 0, chunk, result);
  }
  return result;
}

function receive(
  { member, key, signal }: Execution,
  pass: number,
  { index, count }: Chunk,
  { dtype }: Tensor,
): Promise<Tensor> {
  const from = rankBefore(member.rank, member.tasks.length);
  return member.receive(from, bufKey(key, pass, index, from), { dtype, count }, signal);
}

function provide(
  { member, key, signal }: Execution,
  pass: number,
  chunk: Chunk,
  tensor: Tensor,
): Promise<void> {
  return member.provide(bufKey(key, pass, chunk.index, member.rank), tensor, signal);
}

function bufKey(key: string, pass: number, chunk: number, source: number): string {
  return `${key}:${pass}:${chunk}:${source}`;
}

function rankBefore(rank: number, size: number): number {
  return (rank + size - 1) % size;
}

/** Chunks of equal size except for the last ones, which may be empty. */
function chunksOf({ dtype, size }: Tensor, count: number): Chunk[] {
  const length = ringChunkBytes(Math.ceil(size / count) * itemSize(dtype)) / itemSize(dtype);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.min(index * length, size);
    return { index, start, count: Math.min(length, size - start) };
  });
}

function slice({ dtype, data }: Tensor, { start, count }: Chunk): Tensor {
  if (isByteList(data)) {
    throw internalError(`Tensors of ${dtype} are not reduced.`);
  }
  return new Tensor(dtype, [count], data.subarray(start, start + count));
}

function joined(
  { dtype }: Tensor,
  shape: readonly number[],
  chunks: readonly Chunk[],
  parts: readonly Tensor[],
): Tensor {
  const data = allocate(dtype, shape);
  const to = wordsOf(dtype, data);
  for (const [index, part] of parts.entries()) {
    copyElements(to, chunks[index]?.start ?? 0, wordsOf(dtype, part.data), 0, part.size);
  }
  return new Tensor(dtype, shape, data);
}
