/** Which tensors of a graph exist only where a Switch sent a value. */
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { inOrder, leadsBack } from "./paths.js";

/** A side of the Switch ops with one predicate: 0 where it is false, 1 where it is true. */
export interface Side {
  readonly predicate: Output;
  readonly side: number;
}

const NONE: readonly Side[] = [];

/** The sides in which a tensor has a value, the outermost first. */
export function branchesOf(graph: Graph): (tensor: Output) => readonly Side[] {
  const known = new Map<Operation, readonly Side[]>();
  const of = (tensor: Output): readonly Side[] => {
    const { op, index } = tensor;
    const outer = known.get(op) ?? NONE;
    const predicate = op.type === "Switch" ? op.inputs[1] : undefined;
    // The Switch of a loop decides about the next iteration, not about a branch.
    if (!predicate || predicate.op.type === "LoopCond") return outer;
    return united([outer, [{ predicate: original(predicate), side: index }]]);
  };
  if (!graph.operations.some(({ type }) => type === "Switch")) return () => NONE;
  for (const op of inOrder(graph)) {
    const inputs = op.inputs.filter((input) => !leadsBack(input, op)).map(of);
    const controls = op.controlInputs.map((control) => known.get(control) ?? NONE);
    known.set(op, op.type === "Merge" ? common(inputs) : united([...inputs, ...controls]));
  }
  return of;
}

/** A cond of TensorFlow reads its predicate in part directly and in part through an Identity. */
function original(predicate: Output): Output {
  let found = predicate;
  while (found.op.type === "Identity" && found.op.inputs[0]) found = found.op.inputs[0];
  return found;
}

function same(a: Side, b: Side): boolean {
  return a.predicate === b.predicate && a.side === b.side;
}

function united(all: readonly (readonly Side[])[]): readonly Side[] {
  const found: Side[] = [];
  for (const side of all.flat()) if (!found.some((one) => same(one, side))) found.push(side);
  return found;
}

/** A Merge has a value whichever of its inputs has one. */
function common(all: readonly (readonly Side[])[]): readonly Side[] {
  const [first = NONE, ...others] = all;
  return first.filter((side) => others.every((sides) => sides.some((one) => same(one, side))));
}
