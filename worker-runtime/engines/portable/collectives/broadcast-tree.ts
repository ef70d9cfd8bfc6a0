import type { DType } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import { internalError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { Execution } from "./ring.js";

/** Members among which a tensor is passed on along a binary tree. */
interface Tree {
  /** The ranks of its members in the group. */
  readonly ranks: readonly number[];
  /** Where the tensor starts, as an index into `ranks`. */
  readonly source: number;
}

/**
 * Brings the source's tensor to all members, as TensorFlow's HierarchicalTreeBroadcast does, key for key: first one member
 * of each task gets it, then the others of its task get it from there.
 * @param tensor given at the source alone.
 * @returns the tensor with the shape that this member expects.
 * @throws TensorFlowError what `Membership` throws.
 */
export async function treeBroadcast(
  { member, key, signal }: Execution,
  tensor: Tensor | undefined,
  dtype: DType,
  shape: readonly number[],
): Promise<Tensor> {
  const expected = { dtype, count: elementsOfShape(shape) };
  let value = tensor;
  for (const [index, { ranks, source }] of trees(member.tasks, member.sourceRank).entries()) {
    const position = ranks.indexOf(member.rank);
    if (position === -1) {
      continue;
    }
    const parent = parentOf(position, source);
    if (parent !== undefined) {
      value = await member.receive(
        ranks[parent] ?? -1,
        bufKey(key, index, parent, position),
        expected,
        signal,
      );
    }
    const held = value;
    if (held !== undefined) {
      const children = childrenOf(position, source, ranks.length);
      await Promise.all(
        children.map((child) => member.provide(bufKey(key, index, position, child), held, signal)),
      );
    }
  }
  if (value === undefined) {
    throw internalError(`Member ${member.rank} of the broadcast has nobody to receive from.`);
  }
  return value.reshape(shape);
}

function bufKey(key: string, tree: number, from: number, to: number): string {
  return `${key}:${tree}:${from}:${to}`;
}

/** One tree for a single task; otherwise one between the tasks and then one within each. */
function trees(tasks: readonly string[], sourceRank: number): Tree[] {
  const byTask = new Map<string, number[]>();
  for (const [rank, task] of tasks.entries()) {
    byTask.set(task, [...(byTask.get(task) ?? []), rank]);
  }
  const within = [...byTask.values()].map((ranks) => ({
    ranks,
    source: Math.max(0, ranks.indexOf(sourceRank)),
  }));
  if (within.length === 1) {
    return within;
  }
  const heads = within.map(({ ranks, source }) => ranks[source] ?? -1);
  return [{ ranks: heads, source: heads.indexOf(sourceRank) }, ...within];
}

/**
 * The member that passes the tensor on to a member; undefined for the source. If the source is not the first member, it
 * precedes all others in addition to its own position, so that the others count from one.
 */
function parentOf(index: number, source: number): number | undefined {
  if (index === source) {
    return undefined;
  }
  if (source === 0) {
    return Math.floor((index - 1) / 2);
  }
  const parent = Math.floor(index / 2) - 1;
  return parent < 0 ? source : parent;
}

function childrenOf(index: number, source: number, size: number): number[] {
  return Array.from({ length: size }, (_, child) => child).filter(
    (child) => parentOf(child, source) === index,
  );
}
