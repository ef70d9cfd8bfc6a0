import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { type Operation, Output } from "../operation.js";
import { graphOf, type OpOptions } from "./common.js";

/** An operation that does nothing; useful for its control inputs. */
export function noOp(graph: Graph, options: OpOptions = {}): Operation {
  return graph.op("NoOp", [], {}, options.name ?? "NoOp");
}

/** An operation that completes when all of these have. Operations are first grouped per device, as in tf.group. */
export function group(
  graph: Graph,
  items: readonly (Operation | Output)[],
  options: OpOptions = {},
): Operation {
  const byDevice = new Map<string, Operation[]>();
  for (const item of items) {
    const op = item instanceof Output ? item.op : item;
    const list = byDevice.get(op.device);
    if (list) list.push(op);
    else byDevice.set(op.device, [op]);
  }
  return graph.withNameScope(options.name ?? "group_deps", (scope) => {
    const onDevice = (device: string, ops: readonly Operation[], name: string) =>
      graph.withControlDependencies(ops, () => graph.withDevice(device, () => noOp(graph, { name })));
    const entries = [...byDevice].sort(([a], [b]) => (a < b ? -1 : 1));
    const [only] = entries;
    if (only && entries.length === 1) return onDevice(only[0], only[1], scope);
    const groups = entries.map(([device, ops]) => onDevice(device, ops, "NoOp"));
    return graph.withControlDependencies(groups, () => noOp(graph, { name: scope }));
  });
}

/** Sends a tensor to `whenTrue` or `whenFalse`; the other one is dead, and so are its consumers. */
export function switchOn(
  data: OpValue,
  predicate: OpValue,
  options: OpOptions = {},
): { readonly whenFalse: Output; readonly whenTrue: Output } {
  const op = graphOf(data, predicate).op("Switch", [data, predicate], {}, options.name ?? "Switch");
  return { whenFalse: op.outputAt(0), whenTrue: op.outputAt(1) };
}

/** The first available input, and its index. */
export function merge(
  inputs: readonly OpValue[],
  options: OpOptions = {},
): { readonly value: Output; readonly index: Output } {
  const op = graphOf(inputs).op("Merge", [inputs], {}, options.name ?? "Merge");
  return { value: op.outputAt(0), index: op.outputAt(1) };
}

export interface EnterOptions extends OpOptions {
  /** Names the loop (the frame). */
  readonly frameName: string;
  /** The same value in every iteration. */
  readonly isConstant?: boolean | undefined;
  /** How many iterations may run concurrently; defaults to 10. */
  readonly parallelIterations?: number | undefined;
}

/** Passes a tensor into a loop. */
export function enter(x: OpValue, options: EnterOptions): Output {
  const attrs = {
    frame_name: options.frameName,
    is_constant: options.isConstant ?? false,
    parallel_iterations: options.parallelIterations ?? 10,
  };
  return graphOf(x).op("Enter", [x], attrs, options.name ?? "Enter").output;
}

/** Passes a tensor out of a loop. */
export function exit(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Exit", [x], {}, options.name ?? "Exit").output;
}

/** Passes a tensor to the next iteration of a loop. */
export function nextIteration(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("NextIteration", [x], {}, options.name ?? "NextIteration").output;
}

/** Marks the tensor that decides whether a loop continues. */
export function loopCond(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("LoopCond", [x], {}, options.name ?? "LoopCond").output;
}
