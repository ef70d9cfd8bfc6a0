/** The graph as a tree of scopes and nodes: everything that the canvas shows, for keyboard and screen reader. */
import { type ReactElement, useMemo, useRef, useState } from "react";
import { findNodes } from "../document/find-nodes.js";
import { flatRows } from "../document/outline.js";
import { useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { PlainIconButton } from "../ui/icon-button.js";
import { SearchField } from "../ui/search-field.js";
import { goToNode } from "../viewport/travel.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./list-view.module.css";
import { closeList, OutlineTree } from "./outline-tree.js";
import { useOutline } from "./use-outline.js";

const words = texts.canvas.listView;

export function ListView(): ReactElement | null {
  const open = useCanvas((state) => state.listOpen);
  return open ? <List /> : null;
}

function List(): ReactElement {
  const nodes = useGraph((state) => state.document.nodes);
  const shapes = useGraph((state) => state.shapes);
  const [query, setQuery] = useState("");
  const tree = useRef<HTMLDivElement>(null);
  const isSearch = query.trim() !== "";
  const found = useMemo(
    () => (isSearch ? findNodes(nodes, shapes, query) : undefined),
    [isSearch, nodes, shapes, query],
  );
  const outline = useOutline();
  const rows = useMemo(() => (found ? flatRows(found) : outline.rows), [found, outline.rows]);
  return (
    <section className={styles.listView} aria-label={words.graphAsList}>
      <div className={styles.head}>
        <SearchField size="filling" className={styles.search}>
          <Icon name="search" />
          <input
            data-graph-search=""
            aria-label={words.findNode}
            placeholder={words.placeholder}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              event.stopPropagation();
              if (event.key === "Escape") closeList();
              if (event.key === "ArrowDown" || event.key === "Enter") tree.current?.focus();
              const [first] = found ?? [];
              if (event.key === "Enter" && first) goToNode(first.name);
            }}
          />
          <span className={styles.count} aria-live="polite">
            {found ? words.found({ found: found.length, all: nodes.size }) : nodes.size}
          </span>
        </SearchField>
        <PlainIconButton icon="close" label={words.closeList} title={words.closeTitle} onClick={closeList} />
      </div>
      <OutlineTree tree={tree} rows={rows} hierarchy={outline.hierarchy} />
    </section>
  );
}
