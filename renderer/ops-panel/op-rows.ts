/** The rows of the ops panel: categories, and the ops of those that are open. Pure. */
import type { LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import { CATEGORIES, type Category, categoryText, type OpEntry } from "../document/op-entries.js";
import type { OpMatch } from "../document/op-search.js";
import { texts } from "../texts/texts.js";

/** Lists above the categories. */
export const FAVOURITES = "favourites";
export const RECENT = "recentlyUsed";
const LAYERS = "layers";

type OwnGroup = typeof FAVOURITES | typeof RECENT | typeof LAYERS;
export type OpGroup = Category | OwnGroup;

/** "Recently used", "Linear algebra", as the panel shows it. */
export function groupText(group: OpGroup): string {
  return isOwn(group) ? texts.opsPanel.opRows[group] : categoryText(group);
}

function isOwn(group: OpGroup): group is OwnGroup {
  return group === FAVOURITES || group === RECENT || group === LAYERS;
}

export type OpRow =
  | {
      readonly kind: "category";
      readonly category: OpGroup;
      readonly matches: number;
      readonly count: number;
      readonly open: boolean;
      readonly searching: boolean;
    }
  | { readonly kind: "op"; readonly category: OpGroup; readonly match: OpMatch }
  | { readonly kind: "layer"; readonly category: OpGroup; readonly layer: LayerName };

/** Rows of an own list of ops, which is open at first; none for an empty list. */
export function listRows(
  category: typeof FAVOURITES | typeof RECENT,
  ops: readonly string[],
  entries: readonly OpEntry[],
  toggled: ReadonlySet<string>,
): OpRow[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const found = ops.flatMap((op) => byName.get(op) ?? []);
  if (found.length === 0) return [];
  const open = !toggled.has(category);
  const count = found.length;
  const heading: OpRow = { kind: "category", category, matches: count, count, open, searching: false };
  const rows = found.map((entry): OpRow => ({ kind: "op", category, match: { entry, ranges: [] } }));
  return open ? [heading, ...rows] : [heading];
}

/** The layers that were found, under a heading of their own; none if there are none. */
export function layerRows(layers: readonly LayerName[], toggled: ReadonlySet<string>): OpRow[] {
  if (layers.length === 0) return [];
  const open = !toggled.has(LAYERS);
  const count = layers.length;
  const heading: OpRow = {
    kind: "category",
    category: LAYERS,
    matches: count,
    count,
    open,
    searching: false,
  };
  const rows = layers.map((layer): OpRow => ({ kind: "layer", category: LAYERS, layer }));
  return open ? [heading, ...rows] : [heading];
}

/**
 * While searching, only categories with matches are listed, open, best match first; `toggled` then closes them.
 * Otherwise `toggled` opens them.
 */
export function opRows(
  entries: readonly OpEntry[],
  matches: readonly OpMatch[],
  searching: boolean,
  toggled: ReadonlySet<string>,
): OpRow[] {
  const counts = new Map<Category, number>();
  for (const { category } of entries) counts.set(category, (counts.get(category) ?? 0) + 1);
  const byCategory = new Map<Category, OpMatch[]>();
  for (const match of matches) {
    const list = byCategory.get(match.entry.category);
    if (list) list.push(match);
    else byCategory.set(match.entry.category, [match]);
  }
  const order = searching ? [...byCategory.keys()] : CATEGORIES.filter((category) => counts.has(category));
  return order.flatMap((category): OpRow[] => {
    const found = byCategory.get(category) ?? [];
    const open = toggled.has(category) !== searching;
    const heading: OpRow = {
      kind: "category",
      category,
      matches: found.length,
      count: counts.get(category) ?? 0,
      open,
      searching,
    };
    return open ? [heading, ...found.map((match): OpRow => ({ kind: "op", category, match }))] : [heading];
  });
}
