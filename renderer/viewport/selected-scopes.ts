/** The scopes that the selection is about. */
import { isRoot, type Scope, scopeOf } from "../document/scope-tree.js";
import { scopesAround } from "../document/visible-graph.js";
import { useGraph } from "../stores/document-store.js";
import { isGraphArranged, readyScopes } from "../stores/graph-view-store.js";
import { visibleNow } from "./shown-graph.js";

/** The closed scopes with selected nodes in them. */
export function selectedBoxes(): readonly Scope[] {
  const { selection } = useGraph.getState();
  const visible = selection.size === 0 ? undefined : visibleNow();
  if (!visible) return [];
  const ids = new Set<string>();
  for (const name of selection) {
    const id = visible.itemOf(name);
    if (id !== undefined) ids.add(id);
  }
  const { byId } = visible.hierarchy.tree;
  return [...ids].flatMap((id) => byId.get(id) ?? []);
}

/** The open scopes around what is selected, from the outermost on; of the whole graph none. */
export function openScopesAround(): readonly Scope[] {
  const { selection } = useGraph.getState();
  if (selection.size === 0) return [];
  const visible = visibleNow();
  // Nothing is drawn of an arranged graph before its first layout.
  const hierarchy = visible?.hierarchy ?? (isGraphArranged() ? undefined : readyScopes());
  if (!hierarchy) return [];
  const { tree, weights } = hierarchy;
  let common: readonly Scope[] | undefined;
  for (const name of selection) {
    const [owner = name] = weights.owners.get(name) ?? [];
    const direct = scopeOf(tree, name) ?? scopeOf(tree, owner);
    const box = tree.byId.get(visible?.itemOf(name) ?? "");
    const around = scopesAround(tree, box ? tree.byId.get(box.parent ?? "") : direct);
    common = common === undefined ? around : common.filter((scope) => around.includes(scope));
    if (common.length === 0) break;
  }
  return common ?? [];
}

/** The innermost open scope around everything that is selected. */
export function openScopeAround(): Scope | undefined {
  const scope = openScopesAround().at(-1);
  return scope && !isRoot(scope) ? scope : undefined;
}
