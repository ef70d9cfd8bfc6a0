// biome-ignore-all lint/a11y/useSemanticElements: the cells are positioned, which takes their roles from the elements of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { numberOfText } from "../../../worker-runtime/protocol/element-text.js";
import type { Grid } from "../../../worker-runtime/protocol/selection.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { numberText } from "../../ui/format.js";
import type { CellWindow } from "./cell-blocks.js";
import styles from "./cell-grid.module.css";
import { cellText, tintOf } from "./cell-text.js";
import type { TensorSource } from "./tensor-source.js";
import { useCells } from "./use-cells.js";
import { useScrollWindow } from "./use-scroll-window.js";

const words = texts.dock.cellGrid;

const ROW_HEIGHT = 22;
const NUMBER_WIDTH = 68;
const STRING_WIDTH = 240;
const LABEL_WIDTH = 64;

export interface Cell {
  readonly row: number;
  readonly column: number;
}

interface CellGridProps {
  readonly source: TensorSource;
  readonly view: TensorView;
  readonly grid: Grid;
  /** The largest absolute value, which gets the strongest tint; undefined: no tint. */
  readonly largest: number | undefined;
  readonly active: Cell;
  readonly old: boolean;
  onActive(cell: Cell): void;
  /** The full text of the active cell, as soon as it is there. */
  onRead(text: string | undefined): void;
  onSeen(window: CellWindow): void;
}

/** A part of a tensor as a grid. Only the visible cells are drawn and fetched. */
export function CellGrid(props: CellGridProps): ReactElement {
  const { source, view, grid, largest, active, old, onActive, onRead, onSeen } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const isText = source.dtype === "string";
  const columnWidth = isText ? STRING_WIDTH : NUMBER_WIDTH;
  const shown = useScrollWindow(frame, {
    rows: grid.rows,
    columns: grid.columns,
    rowHeight: ROW_HEIGHT,
    columnWidth,
    left: LABEL_WIDTH,
    top: ROW_HEIGHT,
  });
  const cells = useCells(source, view, shown);
  const { seen } = shown;
  const seenKey = JSON.stringify(seen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the cells in view
  useEffect(() => onSeen(seen), [seenKey]);
  const read = cells(active.row, active.column);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the text matters
  useEffect(() => onRead(read), [read]);
  const [focused, setFocused] = useState(false);
  const rows = range(shown.firstRow, shown.lastRow);
  const columns = range(shown.firstColumn, shown.lastColumn);
  const choose = (row: number, column: number) => {
    const cell = {
      row: Math.max(0, Math.min(grid.rows - 1, row)),
      column: Math.max(0, Math.min(grid.columns - 1, column)),
    };
    onActive(cell);
    shown.reveal(cell.row, cell.column);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, seen.lastRow - seen.firstRow - 1);
    const { row, column } = active;
    const all = event.ctrlKey || event.metaKey;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [row - page, column],
      Home: [all ? 0 : row, 0],
      End: [all ? grid.rows - 1 : row, grid.columns - 1],
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    choose(...move);
  };
  const cellId = ({ row, column }: Cell) => `${id}-${row}-${column}`;
  const width = { width: columnWidth };
  return (
    <div
      ref={frame}
      role="grid"
      className={styles.frame}
      aria-label={words.label({ source: source.name })}
      aria-rowcount={grid.rows + 1}
      aria-colcount={grid.columns + 1}
      aria-activedescendant={focused ? cellId(active) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <div role="rowgroup" style={{ width: shown.width, height: shown.height, position: "relative" }}>
        <div role="row" aria-rowindex={1} className={styles.head} style={{ height: ROW_HEIGHT }}>
          <span
            role="columnheader"
            aria-colindex={1}
            className={styles.corner}
            style={{ width: LABEL_WIDTH }}
          >
            {grid.columnAxis === undefined ? "" : `d${grid.columnAxis}`}
            <span className={styles.hidden}>{words.index}</span>
          </span>
          {columns.map((column) => (
            <span
              key={column}
              role="columnheader"
              aria-colindex={column + 2}
              style={{ ...width, left: LABEL_WIDTH + column * columnWidth }}
            >
              {columnLabel(grid, column)}
            </span>
          ))}
        </div>
        {rows.map((row) => (
          <div
            key={row}
            role="row"
            aria-rowindex={row + 2}
            className={styles.row}
            style={{ top: shown.topOf(row), height: ROW_HEIGHT, width: shown.width }}
          >
            <span role="rowheader" aria-colindex={1} className={styles.label} style={{ width: LABEL_WIDTH }}>
              {rowLabel(grid, row)}
            </span>
            {columns.map((column) => {
              const value = cells(row, column);
              const isActive = row === active.row && column === active.column;
              return (
                <span
                  key={column}
                  id={cellId({ row, column })}
                  role="gridcell"
                  aria-colindex={column + 2}
                  aria-selected={isActive}
                  title={value}
                  className={classNames(
                    styles.cell,
                    isText && styles.text,
                    isActive && styles.active,
                    old && styles.old,
                  )}
                  style={{
                    ...width,
                    left: LABEL_WIDTH + column * columnWidth,
                    ...(largest === undefined || value === undefined ? {} : tintStyle(value, largest)),
                  }}
                  onClick={() => choose(row, column)}
                >
                  {value === undefined ? "…" : cellText(source.dtype, value, view.digits, largest)}
                </span>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function tintStyle(value: string, largest: number): CSSProperties {
  const tint = tintOf(numberOfText(value), largest);
  if (tint === 0) return {};
  const colour = tint < 0 ? "--hn" : "--hp";
  return { background: `color-mix(in srgb, var(${colour}) ${Math.abs(tint)}%, transparent)` };
}

function columnLabel(grid: Grid, column: number): string {
  const { columnAxis } = grid;
  return columnAxis === undefined ? "value" : numberText(grid.indicesOf(0, column)[columnAxis] ?? column);
}

/** The indices of the dimensions that run down: "1,8". */
function rowLabel(grid: Grid, row: number): string {
  const indices = grid.indicesOf(row, 0);
  return grid.rowAxes.length === 0 ? "value" : grid.rowAxes.map((axis) => indices[axis]).join(",");
}
