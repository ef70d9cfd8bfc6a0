/** Whether nodes can be taken into a function: what must not lie on both sides of its border, or within it. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import { texts } from "../texts/texts.js";
import { renameInMetaGraph } from "./edits/rename-meta-graph.js";
import type { GraphDocument } from "./model.js";
import { dataInputs, type OpLookup, signatureOf } from "./signature.js";
import { parseInput, parseTensorName } from "./tensor-names.js";
import { type Edge, wiringOf } from "./wiring.js";

const words = texts.document.functionBorder;

/** Undefined when these nodes can become a function; otherwise why not, and what to do. */
export function whyNotFunction(
  document: GraphDocument,
  lookup: OpLookup,
  inside: ReadonlySet<string>,
): string | undefined {
  const nodes = [...inside].flatMap((name) => document.nodes.get(name) ?? []);
  for (const node of nodes) {
    const reason = whyNotNode(document, lookup, node);
    if (reason !== undefined) return reason;
  }
  return (
    cutColocation(document, inside) ??
    cutReference(document, lookup, inside) ??
    cutControlFlow(document, inside) ??
    wayBack(document, inside)
  );
}

/** The kind of a node that a function cannot hold. */
function whyNotNode(document: GraphDocument, lookup: OpLookup, node: NodeDef): string | undefined {
  const { name, op } = node;
  const signature = signatureOf(node, lookup);
  if (!signature) return words.opNotKnown({ node: name, op });
  const count = signature.inputs.length;
  if (
    dataInputs(node)
      .slice(0, count)
      .some((input) => parseInput(input).kind === "missing")
  ) {
    return words.notConnected({ node: name });
  }
  if (op.startsWith("Placeholder") && op !== "PlaceholderWithDefault") {
    return words.placeholder({ node: name });
  }
  if (isFed(document, name)) {
    return words.fed({ node: name });
  }
  const { opDef, outputs } = signature;
  const isResource = opDef.isStateful && outputs.some(({ dtype }) => dtype === DataType.DT_RESOURCE);
  if (isVariable(node) || (isResource && signature.inputs.length === 0)) {
    return words.state({ node: name });
  }
  if (outputs.some(({ isRef }) => isRef)) {
    return words.givesReference({ node: name });
  }
  if (renameInMetaGraph(document.metaGraph, name, `${name}?`) !== document.metaGraph) {
    return words.named({ node: name });
  }
  return undefined;
}

function isFed({ runConfig, otherRuns }: GraphDocument, node: string): boolean {
  return [runConfig, ...otherRuns].some(({ feeds }) =>
    Object.keys(feeds).some((tensor) => parseTensorName(tensor).node === node),
  );
}

function cutColocation({ nodes }: GraphDocument, inside: ReadonlySet<string>): string | undefined {
  for (const { name, attr } of nodes.values()) {
    const other = colocatedNodes(attr).find((one) => nodes.has(one) && inside.has(one) !== inside.has(name));
    if (other !== undefined) {
      return words.colocated({ node: name, other });
    }
  }
  return undefined;
}

/** References to variables are no values: they cannot be arguments. */
function cutReference(
  { nodes }: GraphDocument,
  lookup: OpLookup,
  inside: ReadonlySet<string>,
): string | undefined {
  const { incoming } = wiringOf(nodes);
  for (const name of inside) {
    for (const { from, output } of incoming.get(name) ?? []) {
      const producer = inside.has(from) ? undefined : nodes.get(from);
      const slot = producer && signatureOf(producer, lookup)?.outputs[output];
      if (slot?.isRef) {
        return words.readsReference({ node: name, from });
      }
    }
  }
  return undefined;
}

const BEGINS: ReadonlySet<string> = new Set(["Enter", "RefEnter", "Switch", "RefSwitch", "_SwitchN"]);
const LOOP_BEGINS: ReadonlySet<string> = new Set(["Enter", "RefEnter"]);
const LOOP_ENDS: ReadonlySet<string> = new Set(["Exit", "RefExit"]);
const CONDITION_ENDS: ReadonlySet<string> = new Set(["Merge", "RefMerge", ...LOOP_ENDS]);

/**
 * A loop, or the sides of a condition, belong together: part of it would be called as often, and under the conditions,
 * of the whole.
 */
function cutControlFlow({ nodes }: GraphDocument, inside: ReadonlySet<string>): string | undefined {
  const { outgoing } = wiringOf(nodes);
  for (const { name, op } of nodes.values()) {
    if (!BEGINS.has(op)) continue;
    const isLoop = LOOP_BEGINS.has(op);
    const ends = isLoop ? LOOP_ENDS : CONDITION_ENDS;
    const region = reached(outgoing, [name], (one) => one !== name && ends.has(nodes.get(one)?.op ?? ""));
    const outside = [...region].find((one) => !inside.has(one));
    const within = [...region].find((one) => inside.has(one));
    if (outside !== undefined && within !== undefined) {
      return (isLoop ? words.cutsLoop : words.cutsCondition)({ node: name, within, outside });
    }
  }
  return undefined;
}

/** A node outside that reads from the selection, and that the selection reads: the call would wait for itself. */
function wayBack({ nodes }: GraphDocument, inside: ReadonlySet<string>): string | undefined {
  const { outgoing, incoming } = wiringOf(nodes);
  const readers = [...inside].flatMap((name) =>
    (outgoing.get(name) ?? []).flatMap(({ to }) => (inside.has(to) ? [] : [to])),
  );
  const after = reached(outgoing, readers, (name) => inside.has(name));
  for (const name of inside) {
    const back = (incoming.get(name) ?? []).find(({ from }) => !inside.has(from) && after.has(from));
    if (back) {
      return words.wayBack({ from: back.from, node: name });
    }
  }
  return undefined;
}

/** The nodes that are reached along the edges, up to those that are ends. */
function reached(
  outgoing: { get(name: string): readonly Edge[] | undefined },
  start: readonly string[],
  isEnd: (name: string) => boolean,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (isEnd(name)) continue;
    for (const { to } of outgoing.get(name) ?? []) open.push(to);
  }
  return seen;
}
