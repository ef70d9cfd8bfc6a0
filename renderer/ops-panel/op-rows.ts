/** The rows of the ops panel: categories, and the ops of those that are open. Pure. */
import { CATEGORIES, type Category, type OpEntry, type OpMatch } from "../document/op-entries.js";

export type OpRow =
  | {
      readonly kind: "category";
      readonly category: Category;
      readonly matches: number;
      readonly count: number;
      readonly open: boolean;
      readonly searching: boolean;
    }
  | { readonly kind: "op"; readonly match: OpMatch };

/**
 * While searching, categories with matches are open and come first, best match first; `toggled` then closes them.
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
  const present = CATEGORIES.filter((category) => counts.has(category));
  const order = searching
    ? [...byCategory.keys(), ...present.filter((category) => !byCategory.has(category))]
    : present;
  return order.flatMap((category): OpRow[] => {
    const found = byCategory.get(category) ?? [];
    const open = searching ? found.length > 0 && !toggled.has(category) : toggled.has(category);
    const heading: OpRow = {
      kind: "category",
      category,
      matches: found.length,
      count: counts.get(category) ?? 0,
      open,
      searching,
    };
    return open ? [heading, ...found.map((match): OpRow => ({ kind: "op", match }))] : [heading];
  });
}
