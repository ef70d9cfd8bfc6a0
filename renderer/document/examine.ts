/** The static analysis of a document, recomputed only as far as an edit reaches. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { GraphDocument } from "./model.js";
import { findProblems, findProblemsAgain, type ProblemMap } from "./problems.js";
import { inferShapes, inferShapesAgain, type ShapeMap } from "./shapes.js";
import type { OpLookup } from "./signature.js";
import { wiringOf } from "./wiring.js";

export interface Findings {
  readonly shapes: ShapeMap;
  readonly problems: ProblemMap;
}

type Graph = Pick<GraphDocument, "nodes">;

/** @param opsKnown false while the op list is not there */
export function examineGraph(document: Graph, lookup: OpLookup, opsKnown: boolean): Findings {
  const shapes = inferShapes(document.nodes, lookup);
  return { shapes, problems: findProblems(document, lookup, shapes, opsKnown) };
}

/** The findings after an edit, from those before it and the nodes that they were of. Ops mean what they meant. */
export function examineAgain(
  document: Graph,
  before: Findings & Graph,
  lookup: OpLookup,
  opsKnown: boolean,
): Findings {
  const changed = changedNames(before.nodes, document.nodes);
  if (changed.size === 0) return before;
  const touched = withReaders(changed, [before.nodes, document.nodes]);
  const shapes = inferShapesAgain(before.shapes, document.nodes, lookup, touched);
  return {
    shapes,
    problems: findProblemsAgain(before, document, lookup, shapes, opsKnown, { changed, touched }),
  };
}

/** The nodes and what reads them, in any of these states. */
function withReaders(
  names: ReadonlySet<string>,
  states: readonly ReadonlyMap<string, NodeDef>[],
): ReadonlySet<string> {
  const all = new Set(names);
  for (const { outgoing } of states.map(wiringOf)) {
    for (const name of names) for (const { to } of outgoing.get(name) ?? []) all.add(to);
  }
  return all;
}

/** Nodes that differ in more than where they are pinned, which nothing here depends on, and that came or went. */
function changedNames(
  before: ReadonlyMap<string, NodeDef>,
  after: ReadonlyMap<string, NodeDef>,
): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [name, node] of after) {
    const old = before.get(name);
    if (old === node) continue;
    if (old?.op !== node.op || old.attr !== node.attr || old.input !== node.input) changed.add(name);
  }
  for (const name of before.keys()) if (!after.has(name)) changed.add(name);
  return changed;
}
