/**
 * The only way to change a document. Every operation contains what it replaces, so it can be reversed, and holds only
 * plain data, so it can be stored or sent.
 */
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { noteChange } from "./differing-keys.js";
import type { Annotation, ClusterConfigRow, GraphDocument, Point, RunConfig, RunConfigs } from "./model.js";
import { followWiring } from "./wiring.js";

/** One node before and after. Without `before` it is added at `index`, without `after` it is removed from there. */
export interface NodeChange {
  readonly before?: NodeDef;
  readonly after?: NodeDef;
  /** Position in the document's order; only used when the node is added or removed. */
  readonly index: number;
}

export interface Move {
  readonly node: string;
  readonly from?: Point;
  readonly to?: Point;
}

export type Operation =
  | { readonly type: "nodes"; readonly changes: readonly NodeChange[] }
  | { readonly type: "layout"; readonly moves: readonly Move[] }
  | { readonly type: "run-config"; readonly before: RunConfig; readonly after: RunConfig }
  | { readonly type: "run-configs"; readonly before: RunConfigs; readonly after: RunConfigs }
  | {
      readonly type: "cluster";
      readonly before: readonly ClusterConfigRow[];
      readonly after: readonly ClusterConfigRow[];
    }
  | {
      readonly type: "annotations";
      readonly before: readonly Annotation[];
      readonly after: readonly Annotation[];
    }
  | { readonly type: "meta-graph"; readonly before: MetaGraphDef; readonly after: MetaGraphDef };

/** Operations that are undone and redone as one step. */
export interface Transaction {
  /** In the imperative, as the menu shows it after "Undo": "Pin 3 nodes to worker/1". */
  readonly label: string;
  readonly operations: readonly Operation[];
  /** Transactions that follow each other with the same key become one step. */
  readonly mergeKey?: string;
  /** Nodes that are selected after the step was done; absent: the selection stays. */
  readonly select?: readonly string[];
  /** The function of the library whose body was edited; absent: the graph itself. */
  readonly within?: string;
  /** Only places and notes in the body of a function differ: nothing that a run computes. */
  readonly keepsValues?: boolean;
}

export function apply(document: GraphDocument, operations: readonly Operation[]): GraphDocument {
  let result = document;
  for (const operation of operations) {
    switch (operation.type) {
      case "nodes":
        result = { ...result, nodes: applyNodes(result.nodes, operation.changes) };
        break;
      case "layout":
        result = { ...result, layout: applyMoves(result.layout, operation.moves) };
        break;
      case "run-config":
        result = { ...result, runConfig: operation.after };
        break;
      case "run-configs":
        result = { ...result, ...operation.after };
        break;
      case "cluster":
        result = { ...result, cluster: operation.after };
        break;
      case "annotations":
        result = { ...result, annotations: operation.after };
        break;
      case "meta-graph":
        result = { ...result, metaGraph: operation.after };
        break;
    }
  }
  return result;
}

type Nodes = ReadonlyMap<string, NodeDef>;

function applyNodes(nodes: Nodes, changes: readonly NodeChange[]): Nodes {
  // Ascending, so that each index counts the nodes put back before it.
  const added = changes.filter(({ before }) => !before).sort((one, other) => one.index - other.index);
  const stayed = nodes.size - changes.filter(({ after }) => !after).length;
  // Copying the map is much faster than rebuilding it, but new entries are then at its end.
  const isCopy =
    changes.every(({ before, after }) => !before || !after || before.name === after.name) &&
    added.every(({ index }, earlier) => index >= stayed + earlier);
  const result = isCopy ? changedCopy(nodes, changes, added) : rebuilt(nodes, changes, added);
  followWiring(nodes, result, rewired(changes));
  const names = changes.flatMap(({ before, after }) => [before, after].flatMap((node) => node?.name ?? []));
  noteChange(nodes, result, names);
  return result;
}

function changedCopy(nodes: Nodes, changes: readonly NodeChange[], added: readonly NodeChange[]): Nodes {
  const copy = new Map(nodes);
  for (const { before, after } of changes) {
    if (before && after) copy.set(after.name, after);
    else if (before) copy.delete(before.name);
  }
  for (const { after } of added) if (after) copy.set(after.name, after);
  return copy;
}

function rebuilt(nodes: Nodes, changes: readonly NodeChange[], added: readonly NodeChange[]): Nodes {
  const byName = new Map(
    changes.flatMap((change) => (change.before ? [[change.before.name, change] as const] : [])),
  );
  const list: NodeDef[] = [];
  for (const [name, node] of nodes) {
    const change = byName.get(name);
    if (!change) list.push(node);
    else if (change.after) list.push(change.after);
  }
  for (const { after, index } of added) if (after) list.splice(Math.min(index, list.length), 0, after);
  return new Map(list.map((node) => [node.name, node]));
}

/** Names of nodes whose inputs are others now, and of nodes that came or went. */
function rewired(changes: readonly NodeChange[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { before, after } of changes) {
    if (before?.name === after?.name && before?.input === after?.input) continue;
    for (const node of [before, after]) if (node) names.add(node.name);
  }
  return names;
}

function applyMoves(layout: ReadonlyMap<string, Point>, moves: readonly Move[]): ReadonlyMap<string, Point> {
  const copy = new Map(layout);
  for (const { node, to } of moves) {
    if (to) copy.set(node, to);
    else copy.delete(node);
  }
  const names = moves.map(({ node }) => node);
  noteChange(layout, copy, names);
  return copy;
}

/** The operations that undo `operations`. */
export function invert(operations: readonly Operation[]): Operation[] {
  return operations.toReversed().map(inverse);
}

function inverse(operation: Operation): Operation {
  switch (operation.type) {
    case "nodes":
      return { type: "nodes", changes: operation.changes.map(invertChange) };
    case "layout":
      return { type: "layout", moves: operation.moves.map(invertMove) };
    case "run-config":
      return { type: "run-config", before: operation.after, after: operation.before };
    case "run-configs":
      return { type: "run-configs", before: operation.after, after: operation.before };
    case "cluster":
      return { type: "cluster", before: operation.after, after: operation.before };
    case "annotations":
      return { type: "annotations", before: operation.after, after: operation.before };
    case "meta-graph":
      return { type: "meta-graph", before: operation.after, after: operation.before };
  }
}

function invertChange({ before, after, index }: NodeChange): NodeChange {
  return { ...(after ? { before: after } : {}), ...(before ? { after: before } : {}), index };
}

function invertMove({ node, from, to }: Move): Move {
  return { node, ...(to ? { from: to } : {}), ...(from ? { to: from } : {}) };
}

/**
 * Merges two consecutive steps into one. Only layout is merged, and that of a function's body, so that a long drag does
 * not accumulate moves.
 */
export function mergeTransactions(first: Transaction, second: Transaction): Transaction {
  const all = [...first.operations, ...second.operations];
  const [begin, end] = [all[0], all.at(-1)];
  if (begin?.type === "meta-graph" && end?.type === "meta-graph" && all.length === 2) {
    return { ...second, operations: [{ ...end, before: begin.before }] };
  }
  if (!all.every((operation) => operation.type === "layout")) return { ...second, operations: all };
  const moves = new Map<string, Move>();
  for (const operation of all) {
    for (const move of operation.moves) {
      const earlier = moves.get(move.node);
      const from = earlier ? earlier.from : move.from;
      moves.set(move.node, {
        node: move.node,
        ...(from ? { from } : {}),
        ...(move.to ? { to: move.to } : {}),
      });
    }
  }
  return { ...second, operations: [{ type: "layout", moves: [...moves.values()] }] };
}

/** Changes of existing nodes, for edits that neither add nor remove. */
export function replaceNodes(pairs: Iterable<readonly [before: NodeDef, after: NodeDef]>): Operation[] {
  const changes = [...pairs]
    .filter(([before, after]) => before !== after)
    .map(([before, after]): NodeChange => ({ before, after, index: 0 }));
  return changes.length > 0 ? [{ type: "nodes", changes }] : [];
}
