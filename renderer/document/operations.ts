/**
 * The only way a document changes. Every operation carries what it replaces, so that it can be turned round, and holds
 * plain data only, so that it can be stored or sent.
 */
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { ClusterConfigRow, GraphDocument, Point, RunConfig } from "./model.js";
import { keepWiring } from "./wiring.js";

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
  | {
      readonly type: "cluster";
      readonly before: readonly ClusterConfigRow[];
      readonly after: readonly ClusterConfigRow[];
    }
  | { readonly type: "meta-graph"; readonly before: MetaGraphDef; readonly after: MetaGraphDef };

/** What is undone and redone as one step. */
export interface Transaction {
  /** In the imperative, as the menu shows it after "Undo": "Pin 3 nodes to worker/1". */
  readonly label: string;
  readonly operations: readonly Operation[];
  /** Transactions that follow each other with the same key become one step. */
  readonly mergeKey?: string;
  /** Nodes that are selected after the step was done; absent: the selection stays. */
  readonly select?: readonly string[];
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
      case "cluster":
        result = { ...result, cluster: operation.after };
        break;
      case "meta-graph":
        result = { ...result, metaGraph: operation.after };
        break;
    }
  }
  return result;
}

function applyNodes(
  nodes: ReadonlyMap<string, NodeDef>,
  changes: readonly NodeChange[],
): ReadonlyMap<string, NodeDef> {
  const inPlace = changes.every((change) => change.before && change.after?.name === change.before.name);
  if (inPlace) {
    const copy = new Map(nodes);
    for (const { after } of changes) if (after) copy.set(after.name, after);
    if (changes.every(({ before, after }) => before?.input === after?.input)) keepWiring(nodes, copy);
    return copy;
  }
  const byName = new Map<string, NodeChange>();
  const added: NodeChange[] = [];
  for (const change of changes) {
    if (change.before) byName.set(change.before.name, change);
    else added.push(change);
  }
  const list: NodeDef[] = [];
  for (const [name, node] of nodes) {
    const change = byName.get(name);
    if (!change) list.push(node);
    else if (change.after) list.push(change.after);
  }
  // Ascending, so that each index counts the nodes put back before it.
  added.sort((one, other) => one.index - other.index);
  for (const { after, index } of added) if (after) list.splice(Math.min(index, list.length), 0, after);
  return new Map(list.map((node) => [node.name, node]));
}

function applyMoves(layout: ReadonlyMap<string, Point>, moves: readonly Move[]): ReadonlyMap<string, Point> {
  const copy = new Map(layout);
  for (const { node, to } of moves) {
    if (to) copy.set(node, to);
    else copy.delete(node);
  }
  return copy;
}

/** The operations that take back `operations`. */
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
    case "cluster":
      return { type: "cluster", before: operation.after, after: operation.before };
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

/** One step of two that follow each other. Layout alone is folded, so that a long drag does not pile up moves. */
export function mergeTransactions(first: Transaction, second: Transaction): Transaction {
  const all = [...first.operations, ...second.operations];
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

/** Changes of existing nodes, for edits that neither add nor take away. */
export function replaceNodes(pairs: Iterable<readonly [before: NodeDef, after: NodeDef]>): Operation[] {
  const changes = [...pairs]
    .filter(([before, after]) => before !== after)
    .map(([before, after]): NodeChange => ({ before, after, index: 0 }));
  return changes.length > 0 ? [{ type: "nodes", changes }] : [];
}
