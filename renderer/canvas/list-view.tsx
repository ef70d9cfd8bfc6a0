/** The graph as a list: everything that the canvas shows, for keyboard and screen reader. */

import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { findNodes } from "../document/find-nodes.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { PlainIconButton } from "../ui/icon-button.js";
import { SearchField } from "../ui/search-field.js";
import textStyles from "../ui/text.module.css";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { goToNode } from "../viewport/travel.js";
import { revealNode } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./list-view.module.css";
import { useNodeStatus } from "./node-status.js";

const ROW_HEIGHT = 28;

export function ListView(): ReactElement | null {
  const open = useCanvas((state) => state.listOpen);
  return open ? <List /> : null;
}

function close(): void {
  useCanvas.setState({ listOpen: false });
  document.querySelector<HTMLElement>("[data-canvas]")?.focus();
}

function List(): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const selection = useDocument((state) => state.selection);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  const shapes = useDocument((state) => state.shapes);
  const shown = useMemo(() => findNodes(nodes, shapes, query), [nodes, shapes, query]);
  const view = useVirtualRows(tree, shown.length, ROW_HEIGHT);
  const current = Math.max(
    0,
    shown.findIndex(({ name }) => name === active),
  );

  useEffect(() => {
    setActive([...useDocument.getState().selection][0]);
    tree.current?.focus();
  }, []);

  const go = (index: number) => {
    const node = shown[Math.max(0, Math.min(index, shown.length - 1))];
    if (!node) return;
    setActive(node.name);
    view.reveal(shown.indexOf(node));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const node = shown[current];
    if (event.key === "ArrowDown") go(current + 1);
    else if (event.key === "ArrowUp") go(current - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(shown.length - 1);
    else if (event.key === " " && node)
      documentActions.select([node.name], event.shiftKey ? "toggle" : "replace");
    else if (event.key === "Enter" && node) {
      goToNode(node.name);
      document.querySelector<HTMLElement>("[data-inspector] input, [data-inspector] select")?.focus();
    } else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section className={styles.listView} aria-label="Graph as a list">
      <div className={styles.head}>
        <SearchField size="filling" className={styles.search}>
          <Icon name="search" />
          <input
            data-graph-search=""
            aria-label="Find a node"
            placeholder="Name or op, device:, dtype:, shape:, attr:"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              event.stopPropagation();
              if (event.key === "Escape") close();
              if (event.key === "ArrowDown" || event.key === "Enter") tree.current?.focus();
              const node = shown[current];
              if (event.key !== "Enter" || !node) return;
              goToNode(node.name);
            }}
          />
          <span className={styles.count}>
            {query === "" ? nodes.size : `${shown.length} of ${nodes.size}`}
          </span>
        </SearchField>
        <PlainIconButton icon="close" label="Close the list" title="Close the list  L" onClick={close} />
      </div>
      <div
        ref={tree}
        className={styles.rows}
        role="tree"
        tabIndex={0}
        aria-label="Nodes"
        aria-multiselectable="true"
        aria-activedescendant={shown[current] ? rowId(shown[current].name) : undefined}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: view.height, position: "relative" }}>
          {view.items.map(({ index, start }) => {
            const node = shown[index];
            return node ? (
              <Row
                key={node.name}
                node={node}
                top={start}
                position={index + 1}
                count={shown.length}
                active={node.name === shown[current]?.name}
                selected={selection.has(node.name)}
                onChoose={(toggle) => {
                  setActive(node.name);
                  documentActions.select([node.name], toggle ? "toggle" : "replace");
                  revealNode(node.name);
                }}
              />
            ) : null;
          })}
        </div>
      </div>
    </section>
  );
}

function rowId(name: string): string {
  return `graph-row-${name}`;
}

interface RowProps {
  readonly node: NodeDef;
  readonly top: number;
  readonly position: number;
  readonly count: number;
  readonly active: boolean;
  readonly selected: boolean;
  onChoose(toggle: boolean): void;
}

function Row({ node, top, position, count, active, selected, onChoose }: RowProps): ReactElement {
  const status = useNodeStatus(node);
  /**
   * Where the last part of the name begins, which distinguishes it from its neighbours and is truncated last.
   */
  const split = node.name.lastIndexOf("/") + 1;
  const inputs = node.input.filter((input) => input !== "");
  const spoken = [
    node.name,
    node.op,
    status.chip,
    status.problem ?? status.warning ?? status.value,
    status.time,
    inputs.length > 0 ? `inputs ${inputs.join(", ")}` : "no inputs",
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and its keys choose
    <div
      id={rowId(node.name)}
      data-menu-node={node.name}
      role="treeitem"
      tabIndex={-1}
      aria-level={1}
      aria-posinset={position}
      aria-setsize={count}
      aria-selected={selected}
      className={classNames(styles.row, active && styles.active, selected && styles.selected)}
      style={{ top, height: ROW_HEIGHT }}
      onClick={(event) => onChoose(event.ctrlKey || event.metaKey || event.shiftKey)}
    >
      <span className={textStyles.spokenOnly}>{spoken.filter(Boolean).join(", ")}</span>
      <span className={styles.name} aria-hidden="true" title={node.name}>
        <span>{node.name.slice(0, split)}</span>
        <b>{node.name.slice(split)}</b>
      </span>
      <span className={classNames(textStyles.truncated, textStyles.muted)} aria-hidden="true">
        {node.op}
      </span>
      <span className={textStyles.truncated} aria-hidden="true">
        {status.chip}
      </span>
      <span
        aria-hidden="true"
        className={classNames(
          textStyles.truncated,
          status.problem ? textStyles.error : status.warning && textStyles.warning,
        )}
      >
        {status.problem ?? status.warning ?? status.value}
      </span>
      <span className={styles.time} aria-hidden="true">
        {status.time}
      </span>
    </div>
  );
}
