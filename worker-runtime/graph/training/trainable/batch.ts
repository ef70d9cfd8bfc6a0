/** Which tensors hold the examples of a step, one in each row, so that replicas can divide them. */
import { Graph } from "../../graph.js";
import type { Operation, Output } from "../../operation.js";
import type { Variable } from "../../variable.js";
import { operationsFor, readersWithin } from "./copy-nodes.js";

export interface BatchTensor {
  readonly tensor: Output;
  /** How many rows it has; undefined if that is only known in a run. */
  readonly rows: number | undefined;
  /** Whether it is probably one that holds examples. */
  readonly suggested: boolean;
}

/** Arguments that say how something is computed, and hold no examples. */
const SETTINGS =
  /^(shape|axis|axes|dim|dims|perm|multiples|begin|end|size|strides|paddings|depth|reduction_indices|concat_dim|split_dim|size_splits|.*_sizes|num_segments)$/;

/**
 * The tensors that the loss is computed from besides variables: those of at least one dimension that do not depend on a variable,
 * where they meet what does.
 */
export function batchTensors(loss: Output, variables: readonly Variable[]): BatchTensor[] {
  const needed = operationsFor([loss.op]);
  const handles = new Set(variables.map(({ handle }) => handle));
  const dependent = readersWithin(needed, handles);
  const found = new Set<Output>();
  for (const op of needed) {
    if (!dependent.has(op) || handles.has(op.outputs[0] as Output)) continue;
    for (const [at, input] of op.inputs.entries()) {
      const isData = !dependent.has(input.op) && !handles.has(input) && !isSetting(op, at);
      if (isData && input.shape?.length !== 0) found.add(input);
    }
  }
  const candidates = [...found].map((tensor) => ({ tensor, rows: rowsOf(tensor) }));
  const largest = candidates.reduce<(typeof candidates)[number] | undefined>(
    (best, one) => (best === undefined || weight(one.tensor) > weight(best.tensor) ? one : best),
    undefined,
  );
  return candidates.map((one) => ({
    ...one,
    suggested: one.rows === undefined || largest?.rows === undefined || one.rows === largest.rows,
  }));
}

function isSetting(op: Operation, at: number): boolean {
  // Arguments of ops with lists come in the same order; their settings are the last or the first ones.
  const names = argumentNames(op);
  return SETTINGS.test(names[at] ?? "");
}

function argumentNames(op: Operation): readonly string[] {
  const args = opArguments(op);
  const lists = args.filter(({ isList }) => isList).length;
  if (lists === 0) return args.map(({ name }) => name);
  if (lists > 1) return [];
  const length = op.inputs.length - args.length + 1;
  return args.flatMap(({ name, isList }) => (isList ? Array<string>(length).fill(name) : [name]));
}

function opArguments(op: Operation): readonly { readonly name: string; readonly isList: boolean }[] {
  const { registry } = Graph.of(op);
  return registry.require(op.type).inputArg.map(({ name, numberAttr, typeListAttr }) => ({
    name,
    isList: numberAttr !== "" || typeListAttr !== "",
  }));
}

function rowsOf({ shape }: Output): number | undefined {
  const first = shape?.[0];
  return first === undefined || first < 0 ? undefined : first;
}

/** Examples are what takes most room: a tensor of unknown size, then the largest. */
function weight({ shape }: Output): number {
  if (!shape || (shape[0] ?? 0) < 0) return Number.POSITIVE_INFINITY;
  return shape.reduce((product, size) => product * Math.max(size, 1), 1);
}
