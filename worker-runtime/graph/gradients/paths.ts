/** Which tensors depend on which, as far as gradients pass. */
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { isComplex } from "./complex.js";
import { isFloating } from "./math.js";

/** Whether a gradient passes through a tensor: values, lists of them, or handles of variables. */
export function carriesGradient(x: Output): boolean {
  if (x.dataType === undefined) return false;
  const { dtype } = x;
  return isFloating(dtype) || isComplex(dtype) || dtype === "resource" || dtype === "variant";
}

/** The tensors that a gradient of this one may reach, itself included. */
export function dependencies(tensor: Output): ReadonlySet<Output> {
  const found = new Set(carriesGradient(tensor) ? [tensor] : []);
  for (const { op } of found) for (const input of op.inputs) if (carriesGradient(input)) found.add(input);
  return found;
}

/** Whether an edge leads back to the beginning of a loop. */
export function leadsBack(input: Output, reader: Operation): boolean {
  return input.op.type === "NextIteration" && reader.type === "Merge";
}

/** The operations of a graph with each behind those that it waits for, except where a loop begins again. */
export function inOrder(graph: Graph): readonly Operation[] {
  const done = new Set<Operation>();
  const entered = new Set<Operation>();
  for (const root of graph.operations) {
    const open = [root];
    for (let op = open.at(-1); op; op = open.at(-1)) {
      if (entered.has(op)) {
        open.pop();
        done.add(op);
        continue;
      }
      entered.add(op);
      const reader = op;
      const sources = op.inputs.filter((input) => !leadsBack(input, reader)).map((input) => input.op);
      open.push(...[...sources, ...op.controlInputs].filter((source) => !entered.has(source)));
    }
  }
  return [...done];
}

/**
 * The operations through which `ys` depend on `xs`, both included.
 * @param ignores whether an input of an operation does not count
 */
export function operationsBetween(
  xs: readonly Output[],
  ys: readonly Output[],
  ignores: (input: Output, reader: Operation) => boolean,
): ReadonlySet<Operation> {
  const behind = new Set(ys.map((y) => y.op));
  const consumers = new Map<Output, Operation[]>();
  for (const op of behind) {
    for (const input of op.inputs) {
      if (ignores(input, op)) continue;
      behind.add(input.op);
      const known = consumers.get(input);
      if (known) known.push(op);
      else consumers.set(input, [op]);
    }
  }
  const reached = new Set(xs.map((x) => x.op).filter((op) => behind.has(op)));
  for (const op of reached) {
    for (const output of op.outputs) {
      if (carriesGradient(output)) for (const consumer of consumers.get(output) ?? []) reached.add(consumer);
    }
  }
  // No gradient passes where only a shape or another integer of a tensor leads on.
  const between = new Set(ys.map((y) => y.op).filter((op) => reached.has(op)));
  for (const op of between) {
    for (const input of op.inputs) if (reached.has(input.op) && !ignores(input, op)) between.add(input.op);
  }
  return between;
}
