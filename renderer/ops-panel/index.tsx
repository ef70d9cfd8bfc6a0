/** The engine's ops: searched, read about, dragged onto the canvas. */
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { LayerName } from "../../worker-runtime/graph/layers/layer-names.js";
import { layerCommands, namedLayerCommands } from "../commands/layer-commands.js";
import { opCommands, opListCommands } from "../commands/op-commands.js";
import type { OpEntry } from "../document/op-entries.js";
import { type OpMatch, searchLayers, searchOps } from "../document/op-search.js";
import { CommandButton, CommandSwitch } from "../parts/command-button.js";
import { dragsOp } from "../parts/op-drag.js";
import { lookupOp } from "../stores/document-store.js";
import { useRunnableOps } from "../stores/op-choice.js";
import { useOps } from "../stores/ops-store.js";
import { useRecentOps } from "../stores/recent-ops.js";
import { useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { SearchField } from "../ui/search-field.js";
import { shortcutText } from "../ui/shortcut.js";
import textStyles from "../ui/text.module.css";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { FunctionList } from "./function-list.js";
import { OpCard } from "./op-card.js";
import { FAVOURITES, groupText, layerRows, listRows, type OpRow, opRows, RECENT } from "./op-rows.js";
import styles from "./ops-panel.module.css";

const words = texts.opsPanel.opsPanel;

const ROW_HEIGHT = 28;

export function OpsPanel(): ReactElement {
  const state = useOps((store) => store.state);
  const problem = useOps((store) => store.problem);
  if (state === "loading") return <p className={styles.note}>{words.reading}</p>;
  if (state === "failed") {
    return (
      <div className={styles.note} role="alert">
        <p>{problem?.message ?? words.unreadable}</p>
        {problem?.remedy ? <p>{problem.remedy}</p> : null}
        <CommandButton command={opListCommands.reload} />
      </div>
    );
  }
  return <OpList />;
}

function OpList(): ReactElement {
  const all = useOps((store) => store.entries);
  const runnable = useRunnableOps();
  const onlyRunnable = useSettings((store) => store.settings.onlyRunnableOps);
  const entries = useMemo(
    () => (runnable && onlyRunnable ? all.filter(({ name }) => runnable(name)) : all),
    [all, runnable, onlyRunnable],
  );
  const favourites = useSettings((store) => store.settings.favouriteOps);
  const recent = useRecentOps((store) => store.ops);
  const source = useOps((store) => store.source);
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [card, setCard] = useState<{ readonly op: string; readonly top: number }>();
  const frame = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const wanted = useDeferredValue(query);
  const matches = useMemo(() => searchOps(entries, wanted), [entries, wanted]);
  const searching = wanted.trim() !== "";
  const rows = useMemo(() => {
    const found = opRows(entries, matches, searching, open);
    if (searching) return [...layerRows(searchLayers(wanted), open), ...found];
    const lists = [
      ...listRows(FAVOURITES, favourites, entries, open),
      ...listRows(RECENT, recent, entries, open),
    ];
    return [...lists, ...found];
  }, [entries, matches, searching, wanted, open, favourites, recent]);
  const view = useVirtualRows(frame, rows.length, ROW_HEIGHT);
  const [active, setActive] = useState<number>();
  const current = active ?? (searching ? firstChoice(rows, wanted.trim().toLowerCase()) : 0);

  const toggle = (category: string) => {
    const next = new Set(open);
    if (!next.delete(category)) next.add(category);
    setOpen(next);
  };
  const go = (index: number) => {
    const next = Math.max(0, Math.min(index, rows.length - 1));
    setActive(next);
    view.reveal(next);
    const row = rows[next];
    if (row?.kind === "op") showCard(row.match.entry.name, next);
    else setCard(undefined);
  };
  const showCard = (op: string, index: number) => {
    const top =
      (frame.current?.getBoundingClientRect().top ?? 0) +
      index * ROW_HEIGHT -
      (frame.current?.scrollTop ?? 0);
    setCard({ op, top });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    if (event.key === "ArrowDown") go(current + 1);
    else if (event.key === "ArrowUp") go(current - 1);
    else if (event.key === "Escape" && (query !== "" || card)) {
      setQuery("");
      setCard(undefined);
    } else if (
      row?.kind === "category" &&
      (event.key === "Enter" || event.key === "ArrowRight" || event.key === "ArrowLeft")
    ) {
      const isOpen = row.open;
      if (event.key === "Enter" || isOpen === (event.key === "ArrowLeft")) toggle(row.category);
    } else if (row?.kind === "op" && event.key === "Enter") opCommands.add.on(row.match.entry.name).run();
    else if (row?.kind === "layer" && event.key === "Enter") namedLayerCommands.add.on(row.layer).run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={panel} className={styles.panel} onPointerLeave={() => setCard(undefined)}>
      <div className={styles.search}>
        <SearchField size="filling">
          <Icon name="search" />
          <input
            aria-label={words.search}
            placeholder={words.searchAll({ count: entries.length })}
            value={query}
            role="combobox"
            aria-expanded="true"
            aria-controls="op-tree"
            aria-activedescendant={rows[current] ? `op-row-${current}` : undefined}
            onChange={(event) => {
              setQuery(event.target.value);
              setActive(undefined);
              setCard(undefined);
              if (frame.current) frame.current.scrollTop = 0;
            }}
            onKeyDown={onKeyDown}
            spellCheck={false}
          />
          {searching ? (
            <span className={styles.found} role="status">
              {words.found({ matches: matches.length, all: entries.length })}
            </span>
          ) : null}
        </SearchField>
        <CommandButton command={layerCommands.add} size="small" variant="ghost" icon />
      </div>
      <div
        ref={frame}
        id="op-tree"
        className={styles.rows}
        role="tree"
        aria-label={words.list({ source })}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={() => setCard(undefined)}
      >
        <div style={{ height: view.height, position: "relative" }}>
          {view.items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Row
                key={rowKey(row)}
                row={row}
                index={index}
                active={index === current}
                onPoint={() =>
                  row.kind === "op" ? showCard(row.match.entry.name, index) : setCard(undefined)
                }
                onChoose={() => {
                  setActive(index);
                  if (row.kind === "category") toggle(row.category);
                }}
                onDragStart={() => setCard(undefined)}
              />
            );
          })}
        </div>
        {searching && rows.length === 0 ? (
          <p className={styles.note}>{words.nothingFound({ wanted: wanted.trim() })}</p>
        ) : null}
      </div>
      <FunctionList />
      {runnable ? (
        <div className={styles.filter}>
          <CommandSwitch command={opListCommands.onlyRunnable} />
        </div>
      ) : null}
      <div className={styles.source}>{source}</div>
      {card ? <OpCard op={card.op} top={card.top} panel={panel} /> : null}
    </div>
  );
}

/** The row that Enter chooses while the user types: the op or the layer of that name, the first op, or the first layer. */
function firstChoice(rows: readonly OpRow[], wanted: string): number {
  const choices = [
    rows.findIndex((row) => row.kind === "op" && row.match.entry.lower === wanted),
    rows.findIndex((row) => row.kind === "layer" && row.layer.toLowerCase() === wanted),
    ...(["op", "layer"] as const).map((kind) => rows.findIndex((row) => row.kind === kind)),
  ];
  return choices.find((index) => index >= 0) ?? -1;
}

function rowKey(row: OpRow): string {
  if (row.kind === "category") return row.category;
  return `${row.category} ${row.kind === "op" ? row.match.entry.name : row.layer}`;
}

interface RowProps {
  readonly row: OpRow;
  readonly index: number;
  readonly active: boolean;
  onPoint(): void;
  onChoose(): void;
  onDragStart(): void;
}

function rowStyle(index: number): CSSProperties {
  return { top: index * ROW_HEIGHT, height: ROW_HEIGHT };
}

function Row({ row, index, active, onPoint, onChoose, onDragStart }: RowProps): ReactElement {
  if (row.kind === "category") {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree and the search field have the focus and their keys choose
      <div
        id={`op-row-${index}`}
        role="treeitem"
        tabIndex={-1}
        aria-level={1}
        aria-expanded={row.open}
        aria-selected={active}
        className={classNames(styles.group, active && styles.active)}
        style={rowStyle(index)}
        onClick={onChoose}
        onPointerEnter={onPoint}
      >
        <Icon name={row.open ? "chevron-down" : "chevron-right"} />
        <b>{groupText(row.category)}</b>
        <span className={styles.count}>
          {row.searching ? words.matches({ matches: row.matches, count: row.count }) : row.count}
        </span>
      </div>
    );
  }
  if (row.kind === "layer") {
    return (
      <LayerLine layer={row.layer} index={index} active={active} onPoint={onPoint} onChoose={onChoose} />
    );
  }
  return (
    <OpLine
      match={row.match}
      index={index}
      active={active}
      onPoint={onPoint}
      onChoose={onChoose}
      onDragStart={onDragStart}
    />
  );
}

interface LayerLineProps extends Omit<RowProps, "row" | "onDragStart"> {
  readonly layer: LayerName;
}

function LayerLine({ layer, index, active, onPoint, onChoose }: LayerLineProps): ReactElement {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree and the search field have the focus and their keys choose
    <div
      id={`op-row-${index}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={2}
      aria-selected={active}
      className={classNames(styles.op, styles.layer, active && styles.active)}
      style={rowStyle(index)}
      onClick={() => {
        onChoose();
        namedLayerCommands.add.on(layer).run();
      }}
      onPointerEnter={onPoint}
    >
      <Icon name="plus" />
      <span>{layer}</span>{" "}
      <span className={classNames(textStyles.truncated, styles.arguments)}>{words.asLayer}</span>
      {active ? <kbd>{shortcutText("Enter")}</kbd> : null}
    </div>
  );
}

interface OpLineProps extends Omit<RowProps, "row"> {
  readonly match: OpMatch;
}

function OpLine({ match, index, active, onPoint, onChoose, onDragStart }: OpLineProps): ReactElement {
  const { entry } = match;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current ? dragsOp(element.current, entry.name) : undefined), [entry.name]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree and the search field have the focus and their keys choose
    <div
      id={`op-row-${index}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={2}
      aria-selected={active}
      ref={element}
      className={classNames(styles.op, active && styles.active)}
      style={rowStyle(index)}
      onClick={onChoose}
      onDoubleClick={() => void opCommands.add.on(entry.name).run()}
      onPointerEnter={onPoint}
      onDragStart={onDragStart}
    >
      <Icon name="grip" />
      <span className={textStyles.truncated}>
        <Highlighted match={match} />
      </span>
      <span className={classNames(textStyles.monospace, textStyles.truncated, styles.arguments)}>
        {inputNames(entry)}
      </span>
      {active ? <kbd>{shortcutText("Enter")}</kbd> : null}
    </div>
  );
}

function inputNames(entry: OpEntry): string {
  return (
    lookupOp(entry.name)
      ?.inputArg.map(({ name }) => name)
      .join(", ") ?? ""
  );
}

function Highlighted({ match }: { match: OpMatch }): ReactElement {
  const { entry, ranges } = match;
  const parts: ReactElement[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at) continue;
    if (start > at) parts.push(<span key={at}>{entry.name.slice(at, start)}</span>);
    parts.push(<mark key={start}>{entry.name.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(<span key="rest">{entry.name.slice(at)}</span>);
  return <>{parts}</>;
}
