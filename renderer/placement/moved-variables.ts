/** Which variables an edit of pins may take to another task. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { COLOCATION_ATTR, colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { ASKING } from "../document/asking-ops.js";
import { differingKeys } from "../document/differing-keys.js";
import type { OpLookup } from "../document/signature.js";
import { variablesOf } from "../document/variables.js";
import { bondsOfNode } from "./units.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** The nodes of both graphs that are pinned to another device, or follow other nodes. */
function replaced(before: Nodes, after: Nodes): readonly string[] {
  return differingKeys(before, after).filter((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    if (!one || !other || ASKING.has(other.op)) return false;
    return one.device !== other.device || followed(one) !== followed(other);
  });
}

const followed = ({ attr }: NodeDef): string => colocatedNodes(attr).toSorted().join(" ");

/** Variables that a node's pin moves, because it is one of them or must be with one. */
export function variablesMovedBetween(before: Nodes, after: Nodes, lookup: OpLookup): readonly string[] {
  const changed = replaced(before, after);
  if (changed.length === 0) return [];
  const withChanged = withBonded(changed, after, lookup);
  const isChanged = new Set(changed);
  return variablesOf(after)
    .map(({ name }) => name)
    .filter(
      (name) =>
        before.has(name) &&
        (withChanged.has(name) ||
          [...withBonded([name], after, lookup)].some((other) => isChanged.has(other))),
    );
}

/** Nodes, and those that they must be with. */
function withBonded(names: readonly string[], nodes: Nodes, lookup: OpLookup): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) {
    const node = nodes.get(name);
    if (node) for (const [, other] of bondsOfNode(node, nodes, lookup)) found.add(other);
  }
  return found;
}

/** The nodes whose pins moved some variables: they are these, or must be with them. */
export function moversOf(
  before: Nodes,
  after: Nodes,
  variables: readonly string[],
  lookup: OpLookup,
): readonly string[] {
  const bonded = withBonded(variables, after, lookup);
  return replaced(before, after).filter(
    (name) =>
      bonded.has(name) || variables.some((variable) => withBonded([name], after, lookup).has(variable)),
  );
}

/** A graph with the pins that another one has. @param names of the nodes whose pins may differ; left out: all */
export function withPinsOf(before: Nodes, after: Nodes, names = replaced(before, after)): Nodes {
  const nodes = new Map(after);
  for (const name of names) {
    const [one, other] = [before.get(name), after.get(name)];
    if (!one || !other) continue;
    const attr = new Map(other.attr);
    const group = one.attr.get(COLOCATION_ATTR);
    if (group) attr.set(COLOCATION_ATTR, group);
    else attr.delete(COLOCATION_ATTR);
    nodes.set(name, { ...other, device: one.device, attr });
  }
  return nodes;
}
