/** The commands that put the selected nodes and closed scopes in line. */
import type { Point } from "../document/model.js";
import { type Alignment, aligned, type Direction, distributed } from "../viewport/align.js";
import { placeItems, rectsOf } from "../viewport/move-items.js";
import type { Rect } from "../viewport/rect.js";
import { type CommandSpec, defineCommands, type Enabled, unless } from "./command.js";
import { nodesTarget } from "./target-kinds.js";

type Arrange = (rects: ReadonlyMap<string, Rect>) => ReadonlyMap<string, Point>;

/** @param least the number of items for which the command means anything */
function arranging(
  id: string,
  label: string,
  keywords: string,
  least: number,
  arrange: Arrange,
): CommandSpec<readonly string[]> {
  const itemsOf = (names: readonly string[]) => rectsOf(new Set(names));
  const check = (names: readonly string[]): Enabled => {
    const rects = itemsOf(names);
    if (rects.size < least) return { reason: `Select ${least} or more nodes or closed scopes.` };
    return unless(arrange(rects).size > 0 ? undefined : "They are there already.");
  };
  return {
    id,
    group: "Graph",
    label,
    keywords: `${keywords}, line up, tidy`,
    isEnabled: check,
    run: (names) => placeItems(arrange(itemsOf(names)), label),
  };
}

const align = (alignment: Alignment, label: string) =>
  arranging(`graph.align.${alignment}`, label, "align", 2, (rects) => aligned(rects, alignment));

const distribute = (direction: Direction, label: string) =>
  arranging(`graph.distribute.${direction}`, label, "align, space, gaps", 3, (rects) =>
    distributed(rects, direction),
  );

export const alignCommands = defineCommands(nodesTarget, {
  left: align("left", "Align left edges"),
  centre: align("centre", "Align centres"),
  right: align("right", "Align right edges"),
  top: align("top", "Align top edges"),
  middle: align("middle", "Align middles"),
  bottom: align("bottom", "Align bottom edges"),
  across: distribute("across", "Distribute from left to right"),
  down: distribute("down", "Distribute from top to bottom"),
});
