/**
 * Units of a graph: nodes that must be on one task. Besides what `_class` and reference or resource edges demand of every
 * master, loops of TensorFlow 1 stay whole, whose every round would otherwise go over the network, and so do variants,
 * which many engines cannot send.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { DisjointSets } from "../../worker-runtime/graph/disjoint-sets.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import { isResource } from "../document/resources.js";
import { dataInputs, type OpLookup, type Slot, signatureOf } from "../document/signature.js";
import { parseInput } from "../document/tensor-names.js";
import { wiringOf } from "../document/wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** Nodes that must be together, the first in the document's order first. */
export interface Unit {
  readonly members: readonly string[];
}

export interface Units {
  readonly list: readonly Unit[];
  /** The number of each node's unit. */
  readonly of: ReadonlyMap<string, number>;
}

/** The pairs of nodes of a graph that must be together. */
function* bondsOf(nodes: Nodes, lookup: OpLookup): Generator<readonly [string, string]> {
  for (const node of nodes.values()) yield* bondsOfNode(node, nodes, lookup);
  yield* loopBonds(nodes);
}

/** The pairs of a node and those that it must be with, as every master demands. */
export function* bondsOfNode(
  node: NodeDef,
  nodes: Nodes,
  lookup: OpLookup,
): Generator<readonly [string, string]> {
  for (const name of colocatedNodes(node.attr)) {
    if (name !== node.name && nodes.has(name)) yield [node.name, name];
  }
  const inputs = signatureOf(node, lookup)?.inputs ?? [];
  if (!inputs.some(staysOnTask)) return;
  const texts = dataInputs(node);
  const callsFunction = [...node.attr.values()].some(
    ({ value }) => value?.$case === "func" || (value?.$case === "list" && value.value.func.length > 0),
  );
  for (const slot of inputs) {
    const source = staysOnTask(slot) ? parseInput(texts[slot.index] ?? "") : undefined;
    if (source?.kind !== "data" || !nodes.has(source.node)) continue;
    yield [node.name, source.node];
    // A function may use variables of several tasks; it runs on the task of the first one.
    if (callsFunction) return;
  }
}

function staysOnTask(slot: Slot): boolean {
  return isResource(slot) || slot.dtype === DataType.DT_VARIANT;
}

/** Follows the values that entered a loop to everything that is computed from them until they leave it. */
function* loopBonds(nodes: Nodes): Generator<readonly [string, string]> {
  const { outgoing } = wiringOf(nodes);
  const open = [...nodes.values()].filter(({ op }) => roleOf(op) === "enter").map(({ name }) => name);
  const seen = new Set(open);
  const frames = new Map<string, string>();
  for (const name of open) {
    const frame = nodes.get(name)?.attr.get("frame_name")?.value;
    const key = frame?.$case === "s" ? frame.value.join() : "";
    const known = frames.get(key);
    if (known === undefined) frames.set(key, name);
    else yield [name, known];
  }
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (roleOf(nodes.get(name)?.op ?? "") === "exit") continue;
    for (const { to } of outgoing.get(name) ?? []) {
      yield [name, to];
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
}

export function unitsOf(nodes: Nodes, lookup: OpLookup): Units {
  const indexOf = new Map([...nodes.keys()].map((name, index) => [name, index]));
  const sets = new DisjointSets(nodes.size);
  for (const [one, other] of bondsOf(nodes, lookup)) {
    sets.join(indexOf.get(one) ?? 0, indexOf.get(other) ?? 0);
  }
  const numbers = new Map<number, number>();
  const of = new Map<string, number>();
  const members: string[][] = [];
  for (const [name, index] of indexOf) {
    const root = sets.find(index);
    const unit = numbers.get(root) ?? members.length;
    if (unit === members.length) {
      numbers.set(root, unit);
      members.push([]);
    }
    members[unit]?.push(name);
    of.set(name, unit);
  }
  return { list: members.map((names) => ({ members: names })), of };
}
