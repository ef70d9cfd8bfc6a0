/**
 * The name scopes of a graph as a tree: "block_1/conv/Conv2D" lies in the scope "conv" of the scope "block_1". A scope
 * with a single child is left out, and one with many is divided further (sibling-groups.ts). Pure.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { LayeredMap } from "./layered-map.js";
import { type Part, partsOf } from "./sibling-groups.js";
import type { Wiring } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/**
 * scope: a name scope of the graph. group: siblings whose names begin alike, "block_1" of "block_1_conv" and
 * "block_1_bn". stack: scopes that follow each other and are built alike.
 */
export type ScopeKind = "scope" | "group" | "stack";

export interface Scope {
  /** Unique, never the name of a node, and the same after edits elsewhere. */
  readonly id: string;
  readonly kind: ScopeKind;
  /** The part that its name adds to that of the scope around it: "block_1", "block_4–5". */
  readonly label: string;
  /** The whole name: "model/block_1"; "" for the whole graph. */
  readonly path: string;
  /**
   * The id of the scope around it; undefined for the whole graph. No reference, so that an edit leaves the scopes beside
   * those that it changes as they are.
   */
  readonly parent: string | undefined;
  /** Scopes, and nodes by their names, in the document's order. */
  readonly children: readonly (Scope | string)[];
  /** Number of drawn nodes inside, in inner scopes too. */
  readonly size: number;
}

export interface ScopeTree {
  readonly root: Scope;
  readonly byId: LayeredMap<Scope>;
  /** The id of the scope that a drawn node lies in directly. */
  readonly scopeIds: LayeredMap<string>;
}

/** The scope that a drawn node lies in directly. */
export function scopeOf({ byId, scopeIds }: ScopeTree, name: string): Scope | undefined {
  return byId.get(scopeIds.get(name) ?? "");
}

/** A scope and those around it, from the innermost on; the whole graph is the last. */
export function chainFrom({ byId }: ScopeTree, scope: Scope | undefined): Scope[] {
  const chain: Scope[] = [];
  for (let one = scope; one; one = byId.get(one.parent ?? "")) chain.push(one);
  return chain;
}

export interface TreeOptions {
  /** False for nodes that are not drawn. A scope of such nodes alone does not exist. */
  readonly isShown: (name: string) => boolean;
  /** Equal for nodes that compute the same on tensors of the same shapes. */
  readonly structureOf: (node: NodeDef) => string;
}

/** Names of nodes contain no colon, so no scope is mistaken for a node. */
export function scopeId(kind: ScopeKind, path: string): string {
  return `${kind}:${path}`;
}

/** Whether it is the whole graph. */
export function isRoot({ parent }: Scope): boolean {
  return parent === undefined;
}

export function* scopeTree(nodes: Nodes, wiring: Wiring, options: TreeOptions): Sliced<ScopeTree> {
  const top = yield* branchesOf(nodes, options.isShown);
  const links = yield* linksOf(top, wiring, options.isShown);
  return yield* new TreeBuilder(nodes, links, options).build(top);
}

/** A scope while the tree is built. */
interface Branch {
  readonly path: string;
  parent: Branch | undefined;
  depth: number;
  /** Number of the first node in it, by which children are ordered. */
  first: number;
  readonly children: Child[];
}

type Child = Branch | Leaf;

interface Leaf {
  readonly node: string;
  readonly parent: Branch;
  readonly first: number;
}

function isLeaf(child: Child): child is Leaf {
  return "node" in child;
}

function* branchesOf(nodes: Nodes, isShown: (name: string) => boolean): Sliced<Branch> {
  const top: Branch = { path: "", parent: undefined, depth: 0, first: 0, children: [] };
  const byPath = new Map<string, Branch>([["", top]]);
  const branchAt = (path: string, first: number): Branch => {
    const known = byPath.get(path);
    if (known) return known;
    const branch: Branch = { path, parent: undefined, depth: 0, first, children: [] };
    byPath.set(path, branch);
    branchAt(scopeName(path), first).children.push(branch);
    return branch;
  };
  const shown: [name: string, number: number][] = [];
  let number = 0;
  yield* paused(nodes.keys(), (name) => {
    if (isShown(name)) shown.push([name, number]);
    number++;
  });
  yield* paused(shown, ([name, first]) => branchAt(scopeName(name), first));
  yield* paused(shown, ([name, first]) => {
    // A node with the name of a scope lies in it: "conv" beside "conv/kernel".
    const parent = byPath.get(name) ?? branchAt(scopeName(name), first);
    parent.children.push({ node: name, parent, first });
  });
  yield* compress(top);
  return top;
}

/** The path of the scope that a node of this name is in: "a/b" of "a/b/c". */
export function scopeName(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

/** Puts the child of a scope that has only one in its place, and brings children into the document's order. */
function* compress(branch: Branch): Sliced<void> {
  for (const [index, child] of branch.children.entries()) {
    if (isLeaf(child)) continue;
    yield* compress(child);
    const [only, second] = child.children;
    if (only !== undefined && second === undefined) branch.children[index] = only;
  }
  yield;
  branch.children.sort((one, other) => one.first - other.first);
  branch.children.forEach((child, index) => {
    if (isLeaf(child)) branch.children[index] = { ...child, parent: branch };
    else child.parent = branch;
  });
}

/** Pairs of children with edges between them, or between what they contain, by the scope that both lie in. */
function* linksOf(
  top: Branch,
  wiring: Wiring,
  isShown: (name: string) => boolean,
): Sliced<ReadonlyMap<Branch, [number, number][]>> {
  const leaves = new Map<string, Leaf>();
  const numbers = new Map<Child, number>();
  function* visit(branch: Branch, depth: number): Sliced<void> {
    branch.depth = depth;
    for (const [index, child] of branch.children.entries()) {
      numbers.set(child, index);
      if (isLeaf(child)) leaves.set(child.node, child);
      else yield* visit(child, depth + 1);
    }
    yield;
  }
  yield* visit(top, 0);
  const links = new Map<Branch, [number, number][]>();
  yield* paused(wiring.edges, ({ from, to }) => {
    if (!isShown(from) || !isShown(to)) return;
    let one: Child | undefined = leaves.get(from);
    let other: Child | undefined = leaves.get(to);
    if (!one || !other) return;
    while (one.parent && other.parent && one.parent !== other.parent) {
      if (one.parent.depth >= other.parent.depth) one = one.parent;
      else other = other.parent;
    }
    const { parent } = one;
    if (!parent || one === other) return;
    const pair: [number, number] = [numbers.get(one) ?? 0, numbers.get(other) ?? 0];
    const list = links.get(parent);
    if (list) list.push(pair);
    else links.set(parent, [pair]);
  });
  return links;
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };
type OpenScope = Mutable<Scope> & { readonly children: (Scope | string)[] };

class TreeBuilder {
  readonly #nodes: Nodes;
  readonly #links: ReadonlyMap<Branch, [number, number][]>;
  readonly #options: TreeOptions;
  readonly #byId = new Map<string, Scope>();
  readonly #scopeIds = new Map<string, string>();
  readonly #structures = new Map<Branch, string>();

  constructor(nodes: Nodes, links: ReadonlyMap<Branch, [number, number][]>, options: TreeOptions) {
    this.#nodes = nodes;
    this.#links = links;
    this.#options = options;
  }

  *build(top: Branch): Sliced<ScopeTree> {
    const root = this.#open("scope", "", "", undefined);
    yield* this.#measure(top);
    yield* this.#fill(root, top);
    return { root, byId: LayeredMap.of(this.#byId), scopeIds: LayeredMap.of(this.#scopeIds) };
  }

  #open(kind: ScopeKind, path: string, label: string, parent: Scope | undefined): OpenScope {
    const id = scopeId(kind, path);
    const scope: OpenScope = { id, kind, label, path, parent: parent?.id, children: [], size: 0 };
    this.#byId.set(scope.id, scope);
    return scope;
  }

  *#fill(scope: OpenScope, branch: Branch): Sliced<void> {
    const parts = partsOf({
      names: branch.children.map((child) => below(branch, isLeaf(child) ? child.node : child.path)),
      links: this.#links.get(branch) ?? [],
      structureOf: (index) => this.#structureAt(branch, index),
      isScope: (index) => {
        const child = branch.children[index];
        return child !== undefined && !isLeaf(child);
      },
    });
    yield;
    for (const part of parts) yield* this.#add(scope, branch, part);
  }

  *#add(scope: OpenScope, branch: Branch, part: Part): Sliced<void> {
    if (typeof part === "number") {
      const child = branch.children[part];
      if (child) yield* this.#addChild(scope, branch, child);
      return;
    }
    const path = branch.path === "" ? part.name : `${branch.path}/${part.name}`;
    const group = this.#open(part.kind, path, part.name, scope);
    for (const member of part.members) yield* this.#add(group, branch, member);
    scope.children.push(group);
    scope.size += group.size;
  }

  *#addChild(scope: OpenScope, branch: Branch, child: Child): Sliced<void> {
    if (isLeaf(child)) {
      scope.children.push(child.node);
      scope.size += 1;
      this.#scopeIds.set(child.node, scope.id);
      return;
    }
    const inner = this.#open("scope", child.path, layerName(below(branch, child.path)), scope);
    yield* this.#fill(inner, child);
    scope.children.push(inner);
    scope.size += inner.size;
  }

  /** Finds out how every scope is built, the inner ones first, so that none takes long. */
  *#measure(branch: Branch): Sliced<void> {
    for (const child of branch.children) if (!isLeaf(child)) yield* this.#measure(child);
    this.#structure(branch);
    yield;
  }

  #structureAt(branch: Branch, index: number): string {
    const child = branch.children[index];
    return child === undefined ? "" : this.#structure(child);
  }

  #structure(child: Child): string {
    if (isLeaf(child)) {
      const node = this.#nodes.get(child.node);
      return node ? this.#options.structureOf(node) : "";
    }
    const known = this.#structures.get(child);
    if (known !== undefined) return known;
    const inner = child.children.map((one) => this.#structure(one)).sort();
    const structure = `${inner.length} ${hash(inner.join("|"))}`;
    this.#structures.set(child, structure);
    return structure;
  }
}

/** The name by which a drawn node is told from others in its scope: "conv" of the only node in "block_1/conv". */
export function labelIn(scope: Scope | undefined, name: string): string {
  const path = scope ? namePath(scope) : "";
  // A node with the name of its scope: "conv" in "block_1/conv".
  if (path === name) return name.slice(name.lastIndexOf("/") + 1);
  return layerName(below({ path }, name));
}

/** The path of the name scope that a scope is or lies in: groups and stacks are no part of the names of nodes. */
function namePath({ kind, path, label }: Scope): string {
  return kind === "scope" ? path : path.slice(0, Math.max(0, path.length - label.length - 1));
}

/** The outer name tells more: that of "bn_1/batchnorm", which stands for a scope with a single child. */
function layerName(name: string): string {
  const slash = name.indexOf("/");
  return slash < 0 ? name : name.slice(0, slash);
}

/** A name without that of the scope around it. */
function below({ path }: { readonly path: string }, name: string): string {
  return path !== "" && name.startsWith(`${path}/`) ? name.slice(path.length + 1) : name;
}

/** 53 bits of a text, after cyrb53: texts of scopes are long, and only compared. */
function hash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
