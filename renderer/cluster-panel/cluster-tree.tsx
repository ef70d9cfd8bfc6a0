import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Machine } from "../../main/api/cluster.js";
import { pinCounts } from "../actions/graph-tasks.js";
import { blockedRoutes } from "../cluster/routes.js";
import { taskName } from "../cluster/task-name.js";
import { useDocument } from "../stores/document-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import styles from "./cluster-tree.module.css";
import { AddRow, BlockedRow, ProblemRow } from "./extra-rows.js";
import { MachineHead } from "./machine-head.js";
import { type PanelRow, panelRows } from "./panel-rows.js";
import { TaskRow } from "./task-row.js";

const words = texts.clusterPanel.clusterTree;

/** Heights before a row was measured, in pixels. */
const ESTIMATES: Readonly<Record<PanelRow["kind"], number>> = {
  machine: 84,
  task: 62,
  add: 34,
  problem: 72,
  blocked: 72,
};
/** Rows rendered beyond both ends of the visible part. */
const OVERSCAN = 6;

const noCounts: ReadonlyMap<string, number> = new Map();

interface ClusterTreeProps {
  readonly machines: readonly Machine[];
  /** The element that scrolls and holds the tree. */
  readonly frame: HTMLElement | null;
}

/**
 * Machines and tasks. Only the rows in view are in the page: with 64 machines and 256 tasks the samples of a second would
 * otherwise draw a thousand sparklines.
 */
export function ClusterTree({ machines, frame }: ClusterTreeProps): ReactElement {
  const routes = useReachability((store) => store.state?.routes);
  const blocked = useMemo(() => blockedRoutes(routes ?? []), [routes]);
  const rows = useMemo(() => panelRows(machines, blocked), [machines, blocked]);
  const nodes = useDocument((store) => store.document.nodes);
  const counts = useMemo(() => (nodes.size === 0 ? noCounts : pinCounts(nodes)), [nodes]);
  const [current, setCurrent] = useState<string>();
  const known = rows.findIndex(({ key }) => key === current);
  const focusable = Math.max(0, known);
  const tree = useRef<HTMLDivElement>(null);
  /** The row that the focus is on its way to while the page does not have it yet. */
  const heading = useRef<string>(undefined);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame,
    estimateSize: (index) => ESTIMATES[rows[index]?.kind ?? "task"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    // A row that has the focus, or would get it with Tab, stays in the page however far it is scrolled away.
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const shown = defaultRangeExtractor(range);
        if (shown.includes(focusable) || focusable >= range.count) return shown;
        return [...shown, focusable].sort((one, other) => one - other);
      },
      [focusable],
    ),
  });

  const focusRow = (index: number) => {
    const row = rows[index];
    if (row === undefined) return;
    setCurrent(row.key);
    virtual.scrollToIndex(index);
    heading.current = row.key;
    const focus = () => {
      // A key that was pressed since leads elsewhere.
      if (heading.current !== row.key) return;
      const item = tree.current?.querySelector<HTMLElement>(
        `[data-row="${CSS.escape(row.key)}"] [role="treeitem"]`,
      );
      if (!item) return;
      heading.current = undefined;
      item.focus({ preventScroll: true });
    };
    focus();
    // A row that comes into view is in the page with the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = rowOf(event);
    if (row === undefined || openRowMenu(event)) return;
    const at = heading.current ?? row.closest<HTMLElement>("[data-row]")?.dataset.row;
    const from = rows.findIndex(({ key }) => key === at);
    const to = targetOf(event.key, rows, from);
    if (to === undefined) return;
    event.preventDefault();
    focusRow(to);
  };

  const machineCount = machines.length;
  const place = new Map(
    rows.filter(({ kind }) => kind === "machine").map(({ machine }, index) => [machine.id, index + 1]),
  );
  return (
    <div
      ref={tree}
      className={styles.tree}
      role="tree"
      aria-label={words.cluster}
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (row === undefined) return null;
        return (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            data-row={row.key}
            role="none"
            className={classNames(
              styles.row,
              row.kind === "machine" && styles.machine,
              row.kind === "machine" && item.index > 0 && styles.ruled,
              row.last && styles.last,
            )}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {content(row, {
              focusable: item.index === focusable,
              onFocus: () => {
                heading.current = undefined;
                setCurrent(row.key);
              },
              nodes: row.kind === "task" ? (counts.get(taskName(row.task)) ?? 0) : 0,
              position: place.get(row.machine.id) ?? 1,
              machineCount,
            })}
          </div>
        );
      })}
    </div>
  );
}

interface RowContext {
  readonly focusable: boolean;
  readonly nodes: number;
  /** Place of the machine among all, from 1. */
  readonly position: number;
  readonly machineCount: number;
  onFocus(): void;
}

function content(
  row: PanelRow,
  { focusable, nodes, position, machineCount, onFocus }: RowContext,
): ReactNode {
  switch (row.kind) {
    case "machine":
      return (
        <MachineHead
          machine={row.machine}
          mark={row.mark}
          focusable={focusable}
          position={position}
          machineCount={machineCount}
          onFocus={onFocus}
        />
      );
    case "task":
      return (
        <TaskRow
          task={row.task}
          machine={row.machine}
          nodes={nodes}
          focusable={focusable}
          onFocus={onFocus}
        />
      );
    case "add":
      return <AddRow machine={row.machine} focusable={focusable} onFocus={onFocus} />;
    case "problem":
      return (
        <ProblemRow machine={row.machine} problem={row.problem} focusable={focusable} onFocus={onFocus} />
      );
    case "blocked":
      return <BlockedRow route={row.route} problem={row.problem} focusable={focusable} onFocus={onFocus} />;
  }
}

/** The row that a key leads to: arrows up and down, Home and End, left to the machine, right to its first task. */
function targetOf(key: string, rows: readonly PanelRow[], from: number): number | undefined {
  const row = (at: number) => (at >= 0 && at < rows.length ? at : undefined);
  const machine = rows[from]?.machine.id;
  switch (key) {
    case "ArrowDown":
      return row(from + 1);
    case "ArrowUp":
      return row(from - 1);
    case "Home":
      return row(0);
    case "End":
      return row(rows.length - 1);
    case "ArrowLeft":
      return rows[from]?.kind !== "machine"
        ? rows.findIndex((row) => row.kind === "machine" && row.machine.id === machine)
        : undefined;
    case "ArrowRight": {
      if (rows[from]?.kind !== "machine") return undefined;
      const first = rows.findIndex((row) => row.kind === "task" && row.machine.id === machine);
      return first < 0 ? undefined : first;
    }
    default:
      return undefined;
  }
}

function rowOf({ target }: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  return target instanceof HTMLElement && target.getAttribute("role") === "treeitem" ? target : undefined;
}

/** Opens the menu of the row that has the focus. Returns whether the key is one of those that do. */
export function openRowMenu(event: KeyboardEvent<HTMLElement>): boolean {
  if (event.key !== "Enter" && event.key !== " " && event.key !== "ContextMenu") return false;
  const menu = rowOf(event)?.querySelector<HTMLElement>("[data-row-menu]");
  // Without one it is a button, and the key is its own.
  if (menu) {
    event.preventDefault();
    openMenu(menu);
  }
  return true;
}

/** The menu's own key handler opens it and moves the focus into it. */
function openMenu(menu: HTMLElement): void {
  menu.focus();
  menu.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}
