/**
 * Adapts the scopes of a large graph to an edit in less time than it takes to find them again: nodes that came are in the
 * scope that their name says, those that went are not in theirs. Groups, stacks and folded weights stay as they were. Pure.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { type Scope, type ScopeTree, scopeId, scopeName } from "./scope-tree.js";
import type { Hierarchy } from "./visible-graph.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** @param rewired names of nodes that have other inputs, or that came or went, since `hierarchy` */
export function patchedHierarchy(
  hierarchy: Hierarchy,
  nodes: Nodes,
  rewired: ReadonlySet<string>,
): Hierarchy {
  const { tree, weights } = hierarchy;
  const came = new Map<string, string[]>();
  const went = new Set<string>();
  for (const name of rewired) {
    const isThere = nodes.has(name);
    if (!isThere && tree.scopeOf.has(name)) went.add(name);
    if (!isThere || tree.scopeOf.has(name) || weights.owners.has(name)) continue;
    const scope = innermost(tree, name);
    const names = came.get(scope);
    if (names) names.push(name);
    else came.set(scope, [name]);
  }
  const isSame = came.size === 0 && went.size === 0;
  return { ...hierarchy, isPatched: true, tree: isSame ? tree : patchedTree(tree, came, went) };
}

/** The id of the innermost name scope around a node among those that there are. */
function innermost({ byId }: ScopeTree, name: string): string {
  let path = scopeName(name);
  while (path !== "" && !byId.has(scopeId("scope", path))) path = scopeName(path);
  return scopeId("scope", path);
}

function patchedTree(
  { root }: ScopeTree,
  came: ReadonlyMap<string, readonly string[]>,
  went: ReadonlySet<string>,
): ScopeTree {
  const byId = new Map<string, Scope>();
  const scopeOf = new Map<string, Scope>();
  const copy = (scope: Scope, parent: Scope | undefined): Scope => {
    const children: (Scope | string)[] = [];
    const copied = { ...scope, parent, children, size: 0 };
    const add = (name: string) => {
      children.push(name);
      scopeOf.set(name, copied);
      copied.size++;
    };
    for (const child of scope.children) {
      if (typeof child === "string") {
        if (!went.has(child)) add(child);
        continue;
      }
      const inner = copy(child, copied);
      if (inner.size === 0) continue;
      children.push(inner);
      copied.size += inner.size;
    }
    for (const name of came.get(scope.id) ?? []) add(name);
    if (copied.size > 0 || parent === undefined) byId.set(scope.id, copied);
    return copied;
  };
  return { root: copy(root, undefined), byId, scopeOf };
}
