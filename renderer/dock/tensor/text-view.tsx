import type { ReactElement } from "react";
import { type Grid, gridOf } from "../../../worker-runtime/protocol/selection.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import textStyles from "../../ui/text.module.css";
import { ScrollRegion } from "../scroll-region.js";
import type { TensorSource } from "./tensor-source.js";
import styles from "./text-view.module.css";
import { useCells } from "./use-cells.js";

const words = texts.dock.textView;

interface TextViewProps {
  readonly source: TensorSource;
  readonly view: TensorView;
}

/** More strings are looked at in the grid. */
const MOST = 200;

/** Strings as text, with their line breaks. */
export function TextView({ source, view }: TextViewProps): ReactElement {
  const grid = gridOf(source.shape, view.selection, null);
  const count = Math.min(MOST, grid.rows);
  const window = { firstRow: 0, lastRow: count, firstColumn: 0, lastColumn: 1 };
  const cells = useCells(source, { selection: view.selection, columnAxis: null }, window);
  return (
    <ScrollRegion label={words.label({ source: source.name })}>
      <ol className={styles.texts}>
        {Array.from({ length: count }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an element is its place
          <li key={row}>
            <span className={styles.place}>{placeText(grid, row)}</span>
            <pre className={styles.text}>{cells(row, 0) ?? "…"}</pre>
          </li>
        ))}
      </ol>
      {grid.rows > count ? (
        <p className={textStyles.muted}>{words.more({ count: grid.rows - count })}</p>
      ) : null}
    </ScrollRegion>
  );
}

function placeText(grid: Grid, row: number): string {
  const indices = grid.indicesOf(row, 0);
  return grid.rowAxes.length === 0 ? "" : grid.rowAxes.map((axis) => indices[axis]).join(",");
}
