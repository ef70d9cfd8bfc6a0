/** A graph as the rows of a tree: scopes, their nodes, and the inputs, readers and weights of each node. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { Annotation } from "./model.js";
import { type Scope, scopeOf } from "./scope-tree.js";
import { parseInput } from "./tensor-names.js";
import { type Hierarchy, scopesAround } from "./visible-graph.js";
import type { Wiring } from "./wiring.js";

export interface OutlineSource {
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly hierarchy: Hierarchy;
  readonly wiring: Pick<Wiring, "outgoing">;
  readonly annotations: readonly Annotation[];
}

/** The subject of a row. */
export type OutlineSubject =
  | { readonly kind: "scope"; readonly scope: Scope }
  | { readonly kind: "node"; readonly node: NodeDef }
  /** An input of a node. `other` is the node that it is read from; the graph may lack it. */
  | { readonly kind: "input"; readonly other: string; readonly output: number; readonly number: number }
  /** A node that reads an output of a node; the number is -1 for a control edge. */
  | { readonly kind: "reader"; readonly other: string; readonly output: number }
  | { readonly kind: "annotation"; readonly annotation: Annotation };

export type OutlineRow = OutlineSubject & {
  /** Unique; of a node its name, of a scope its id. */
  readonly id: string;
  /** The row that it is a child of; undefined at the top. */
  readonly parent: string | undefined;
  /** From 1 on. */
  readonly level: number;
  /** Among its siblings, from 1 on, and how many they are. */
  readonly position: number;
  readonly siblings: number;
  /** Undefined for a row without children. */
  readonly expanded: boolean | undefined;
};

interface Entry {
  readonly id: string;
  readonly subject: OutlineSubject;
}

/**
 * The rows of what is expanded, from top to bottom.
 *
 * @param expanded ids of rows
 */
export function outlineRows(source: OutlineSource, expanded: ReadonlySet<string>): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const add = (entries: readonly Entry[], parent: string | undefined, level: number): void => {
    entries.forEach(({ id, subject }, index) => {
      const children = childrenOf(subject, source);
      const isOpen = children.length > 0 ? expanded.has(id) : undefined;
      const place = { id, parent, level, position: index + 1, siblings: entries.length, expanded: isOpen };
      rows.push({ ...subject, ...place });
      if (isOpen) add(children, id, level + 1);
    });
  };
  const annotations = source.annotations.map(
    (annotation): Entry => ({
      id: `annotation:${annotation.id}`,
      subject: { kind: "annotation", annotation },
    }),
  );
  add([...annotations, ...inScope(source.hierarchy.tree.root, source)], undefined, 1);
  return rows;
}

/** Nodes alone, one below the other, as a search finds them. */
export function flatRows(nodes: readonly NodeDef[]): readonly OutlineRow[] {
  return nodes.map((node, index) => ({
    ...{ kind: "node", node, id: node.name, parent: undefined, level: 1 },
    ...{ position: index + 1, siblings: nodes.length, expanded: undefined },
  }));
}

/** The row of a node, and the ids of those around it, from the outermost on. */
export function rowOfNode(
  name: string,
  { tree, weights }: Hierarchy,
): { readonly id: string; readonly around: readonly string[] } {
  const own = scopeOf(tree, name);
  const [owner] = own ? [] : (weights.owners.get(name) ?? []);
  const scopes = scopesAround(tree, own ?? (owner === undefined ? undefined : scopeOf(tree, owner)));
  const around = scopes.map(({ id }) => id);
  return owner === undefined
    ? { id: name, around }
    : { id: weightId(owner, name), around: [...around, owner] };
}

function inScope({ children }: Scope, source: OutlineSource): readonly Entry[] {
  return children.flatMap((child): Entry[] =>
    typeof child === "string"
      ? nodeEntry(child, source)
      : [{ id: child.id, subject: { kind: "scope", scope: child } }],
  );
}

function nodeEntry(name: string, { nodes }: OutlineSource, id = name): Entry[] {
  const node = nodes.get(name);
  return node ? [{ id, subject: { kind: "node", node } }] : [];
}

function weightId(owner: string, name: string): string {
  return `weight:${owner}:${name}`;
}

function childrenOf(subject: OutlineSubject, source: OutlineSource): readonly Entry[] {
  if (subject.kind === "scope") return inScope(subject.scope, source);
  if (subject.kind !== "node") return [];
  const { name, input } = subject.node;
  const inputs = input.flatMap((text, number): Entry[] => {
    const reference = parseInput(text);
    if (reference.kind === "missing") return [];
    const output = reference.kind === "data" ? reference.output : -1;
    return [
      { id: `input:${name}:${number}`, subject: { kind: "input", other: reference.node, output, number } },
    ];
  });
  const readers = (source.wiring.outgoing.get(name) ?? []).map(
    ({ id, to, output }): Entry => ({
      id: `reader:${name}:${id}`,
      subject: { kind: "reader", other: to, output },
    }),
  );
  const { weights, isShown } = source.hierarchy;
  const folded = (weights.folded.get(name) ?? []).filter((one) => !isShown(one));
  // A weight that several nodes use stands at each.
  const weightsOf = folded.flatMap((one) => nodeEntry(one, source, weightId(name, one)));
  return [...inputs, ...readers, ...weightsOf];
}
