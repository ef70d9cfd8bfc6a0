/** The rows of the graph as a list, one of which is the current one, and the keys that move between them. */
import { type KeyboardEvent, type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { type OutlineRow, rowOfNode } from "../document/outline.js";
import { type Hierarchy, nodesInScope } from "../document/visible-graph.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { goToNode } from "../viewport/travel.js";
import { revealNode } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./list-view.module.css";
import { OutlineRowView, rowElementId } from "./outline-row.js";
import { goToAnnotation } from "./reveal-annotation.js";

const words = texts.canvas.outlineTree;

const ROW_HEIGHT = 28;

/** Closes the list; the keys go on on the canvas. */
export function closeList(): void {
  useCanvas.setState({ listOpen: false });
  document.querySelector<HTMLElement>("[data-canvas]")?.focus();
}

/** The nodes that a row stands for: none for a line of a node. */
function nodesOfRow(row: OutlineRow, hierarchy: Hierarchy | undefined): readonly string[] {
  if (row.kind === "node") return [row.node.name];
  return row.kind === "scope" && hierarchy ? nodesInScope(row.scope, hierarchy) : [];
}

function expand(ids: readonly string[], open: boolean): void {
  const expanded = new Set(useCanvas.getState().listExpanded);
  for (const id of ids) {
    if (open) expanded.add(id);
    else expanded.delete(id);
  }
  useCanvas.setState({ listExpanded: expanded });
}

interface OutlineTreeProps {
  readonly tree: RefObject<HTMLDivElement | null>;
  readonly rows: readonly OutlineRow[];
  readonly hierarchy: Hierarchy | undefined;
}

export function OutlineTree({ tree, rows, hierarchy }: OutlineTreeProps): ReactElement {
  const selection = useGraph((state) => state.selection);
  const [active, setActive] = useState<string>();
  /** Where the current row was: what comes after a row that was deleted is current next. */
  const lastIndex = useRef(0);
  /** The selection that was made here; another one is followed. */
  const own = useRef<ReadonlySet<string>>(undefined);
  const view = useVirtualRows(tree, rows.length, ROW_HEIGHT);
  const found = rows.findIndex(({ id }) => id === active);
  const current = found >= 0 ? found : Math.max(0, Math.min(lastIndex.current, rows.length - 1));
  const currentRow = rows[current];

  useEffect(() => tree.current?.focus(), [tree]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the user may scroll away from the current row
  useEffect(() => {
    lastIndex.current = current;
    view.reveal(current);
  }, [current]);
  // A selection elsewhere, as on the canvas, is current here.
  useEffect(() => {
    const last = [...selection].at(-1);
    if (selection === own.current || last === undefined || hierarchy === undefined) return;
    own.current = selection;
    const { id, around } = rowOfNode(last, hierarchy);
    const { listExpanded } = useCanvas.getState();
    if (around.some((one) => !listExpanded.has(one))) expand(around, true);
    setActive(id);
  }, [selection, hierarchy]);

  const select = (row: OutlineRow, mode: "replace" | "add" | "toggle") => {
    const names = nodesOfRow(row, hierarchy);
    if (names.length === 0) return;
    documentActions.select(names, mode);
    own.current = useGraph.getState().selection;
    if (row.kind === "node") revealNode(row.node.name);
  };
  const go = (index: number, mode?: "replace" | "add") => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (!row) return;
    setActive(row.id);
    if (mode) select(row, mode);
  };
  const goTo = (row: OutlineRow | undefined) => {
    if (row) go(rows.indexOf(row), "replace");
  };
  const enter = (row: OutlineRow) => {
    if (row.kind === "annotation") goToAnnotation(row.annotation);
    else if (row.kind === "scope") {
      expand([row.id], row.expanded === false);
      return;
    } else if (row.kind === "node") goToNode(row.node.name);
    else {
      // Along the edge, in the list.
      if (useGraph.getState().document.nodes.has(row.other)) documentActions.select([row.other]);
      return;
    }
    closeList();
  };
  const beforeMenu = (row: OutlineRow) => {
    setActive(row.id);
    const names = nodesOfRow(row, hierarchy);
    // An existing selection is kept, so that the menu can apply to several nodes.
    if (!names.every((name) => selection.has(name))) select(row, "replace");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = currentRow;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const target = moves[event.key];
    const withControl = event.ctrlKey || event.metaKey;
    if (target !== undefined) go(target, withControl ? undefined : event.shiftKey ? "add" : "replace");
    else if (event.key === " " && row) select(row, event.shiftKey || withControl ? "toggle" : "replace");
    else if (withControl || !row) return;
    else if (event.key === "ArrowRight") {
      if (row.expanded === false) expand([row.id], true);
      else if (row.expanded) go(current + 1, "replace");
    } else if (event.key === "ArrowLeft") {
      if (row.expanded) expand([row.id], false);
      else goTo(rows.find(({ id }) => id === row.parent));
    } else if (event.key === "Enter") enter(row);
    else if (event.key === "Escape") closeList();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={tree}
      className={styles.rows}
      role="tree"
      tabIndex={0}
      aria-label={words.nodes}
      aria-multiselectable="true"
      aria-activedescendant={currentRow ? rowElementId(currentRow.id) : undefined}
      onKeyDown={onKeyDown}
      onContextMenu={({ target, currentTarget }) => {
        // By key: the tree has the focus.
        if (target === currentTarget && currentRow) beforeMenu(currentRow);
      }}
    >
      <div style={{ height: view.height, position: "relative" }}>
        {view.items.map(({ index, start }) => {
          const row = rows[index];
          return row ? (
            <OutlineRowView
              key={row.id}
              row={row}
              top={start}
              height={ROW_HEIGHT}
              active={index === current}
              selection={selection}
              hierarchy={hierarchy}
              onExpand={() => expand([row.id], row.expanded === false)}
              onChoose={(adding) => {
                setActive(row.id);
                select(row, adding ? "toggle" : "replace");
              }}
              onEnter={() => enter(row)}
              onMenu={() => beforeMenu(row)}
            />
          ) : null;
        })}
      </div>
    </div>
  );
}
