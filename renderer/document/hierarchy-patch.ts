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
    const isDrawn = tree.scopeIds.has(name);
    if (!isThere && isDrawn) went.add(name);
    if (!isThere || isDrawn || weights.owners.has(name)) continue;
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

/** Only the scopes of these nodes and those around them are other objects than before. */
function patchedTree(
  { root, byId, scopeIds }: ScopeTree,
  came: ReadonlyMap<string, readonly string[]>,
  went: ReadonlySet<string>,
): ScopeTree {
  const concerned = new Set<string>();
  for (const id of [...came.keys(), ...[...went].map((name) => scopeIds.get(name) ?? "")]) {
    for (let one = byId.get(id); one && !concerned.has(one.id); one = byId.get(one.parent ?? "")) {
      concerned.add(one.id);
    }
  }
  const changes: [string, Scope | undefined][] = [];
  const patched = (scope: Scope): Scope => {
    const children = scope.children.flatMap((child): (Scope | string)[] => {
      if (typeof child === "string") return went.has(child) ? [] : [child];
      if (!concerned.has(child.id)) return [child];
      const inner = patched(child);
      return inner.size > 0 ? [inner] : [];
    });
    children.push(...(came.get(scope.id) ?? []));
    const size = children.reduce((sum, child) => sum + (typeof child === "string" ? 1 : child.size), 0);
    const changed = { ...scope, children, size };
    changes.push([scope.id, size > 0 || scope === root ? changed : undefined]);
    return changed;
  };
  const homes = [...came].flatMap(([id, names]) => names.map((name) => [name, id] as const));
  return {
    root: patched(root),
    byId: byId.with(changes),
    scopeIds: scopeIds.with([...[...went].map((name) => [name, undefined] as const), ...homes]),
  };
}
