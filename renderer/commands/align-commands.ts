/** The commands that put the selected nodes and closed scopes in line. */
import type { Point } from "../document/model.js";
import { texts } from "../texts/texts.js";
import { type Alignment, aligned, type Direction, distributed } from "../viewport/align.js";
import { placeItems, rectsOf } from "../viewport/move-items.js";
import type { Rect } from "../viewport/rect.js";
import { type CommandSpec, defineCommands, type Enabled, unless } from "./command.js";
import { nodesTarget } from "./target-kinds.js";

const words = texts.commands.align;

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
    if (rects.size < least) return { reason: words.selectMore({ least }) };
    return unless(arrange(rects).size > 0 ? undefined : words.thereAlready);
  };
  return {
    id,
    group: "Graph",
    label,
    keywords,
    isEnabled: check,
    run: (names) => placeItems(arrange(itemsOf(names)), label),
  };
}

const align = (alignment: Alignment, label: string) =>
  arranging(`graph.align.${alignment}`, label, words.alignKeywords, 2, (rects) => aligned(rects, alignment));

const distribute = (direction: Direction, label: string) =>
  arranging(`graph.distribute.${direction}`, label, words.distributeKeywords, 3, (rects) =>
    distributed(rects, direction),
  );

export const alignCommands = defineCommands(nodesTarget, {
  left: align("left", words.left),
  centre: align("centre", words.centre),
  right: align("right", words.right),
  top: align("top", words.top),
  middle: align("middle", words.middle),
  bottom: align("bottom", words.bottom),
  across: distribute("across", words.across),
  down: distribute("down", words.down),
});
