/** The static analysis of a document, recomputed only as far as an edit reaches. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { differingKeys } from "./differing-keys.js";
import type { GraphDocument } from "./model.js";
import { findProblemsAgain, type ProblemMap, slicedProblems } from "./problems.js";
import { inferShapesAgain, type ShapeMap, slicedShapes } from "./shapes.js";
import type { OpLookup } from "./signature.js";
import { wiringOf } from "./wiring.js";

export interface Findings {
  readonly shapes: ShapeMap;
  readonly problems: ProblemMap;
}

const NONE: ReadonlySet<string> = new Set();

type Graph = Pick<GraphDocument, "nodes">;

/** @param opsKnown false while the op list is not there */
export function examineGraph(document: Graph, lookup: OpLookup, opsKnown: boolean): Findings {
  return atOnce(slicedExamination(document, lookup, opsKnown));
}

/** As `examineGraph`, in slices. */
export function* slicedExamination(document: Graph, lookup: OpLookup, opsKnown: boolean): Sliced<Findings> {
  const shapes = yield* slicedShapes(document.nodes, lookup);
  return { shapes, problems: yield* slicedProblems(document, lookup, shapes, opsKnown) };
}

/**
 * The findings after an edit, from those before it and their nodes. The op list must be unchanged.
 *
 * @param calling names of nodes that call functions whose bodies were edited
 */
export function examineAgain(
  document: Graph,
  before: Findings & Graph,
  lookup: OpLookup,
  opsKnown: boolean,
  calling: ReadonlySet<string> = NONE,
): Findings {
  const changed = new Set([...changedNames(before.nodes, document.nodes), ...calling]);
  if (changed.size === 0) return before;
  const touched = withReaders(changed, [before.nodes, document.nodes]);
  const shapes = inferShapesAgain(before.shapes, document.nodes, lookup, touched);
  return {
    shapes,
    problems: findProblemsAgain(before, document, lookup, shapes, opsKnown, {
      changed,
      touched,
      rewired: [...changed].filter(
        (name) => before.nodes.get(name)?.input !== document.nodes.get(name)?.input,
      ),
    }),
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

/** Added and removed nodes, and nodes that differ in more than their pin, on which nothing here depends. */
function changedNames(
  before: ReadonlyMap<string, NodeDef>,
  after: ReadonlyMap<string, NodeDef>,
): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const name of differingKeys(before, after)) {
    const [old, node] = [before.get(name), after.get(name)];
    if (old?.op !== node?.op || old?.attr !== node?.attr || old?.input !== node?.input) changed.add(name);
  }
  return changed;
}
