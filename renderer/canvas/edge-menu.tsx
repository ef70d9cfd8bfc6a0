/** The list that opens where an edge is dropped in empty space, and where an op is added. */
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import { existingEnds, heldText, insertable, opCandidates } from "../document/candidates.js";
import { searchOps } from "../document/op-search.js";
import { PortMark } from "../parts/port-mark.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { useRunnableOps } from "../stores/op-choice.js";
import { useOps } from "../stores/ops-store.js";
import { useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { SearchField } from "../ui/search-field.js";
import textStyles from "../ui/text.module.css";
import { type CanvasStore, useCanvas } from "../viewport/view-store.js";
import listStyles from "./choice-list.module.css";
import styles from "./edge-menu.module.css";

const words = texts.canvas.edgeMenu;

const MENU_WIDTH = 260;
const MENU_HEIGHT = 340;
const MAX_ENDS = 5;
const MAX_OPS = 60;
/** Ops listed before the user searches; the rest is found by typing. */
const FIRST_OPS = 8;

export function EdgeMenu(): ReactElement | null {
  const menu = useCanvas((state) => state.edgeMenu);
  return menu ? <OpenMenu key={`${menu.screen.x} ${menu.screen.y}`} menu={menu} /> : null;
}

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly kind: "end" | "op";
  choose(): void;
}

function close(): void {
  useCanvas.setState({ edgeMenu: undefined });
  document.querySelector<HTMLElement>("[data-canvas]")?.focus();
}

function OpenMenu({ menu }: { menu: NonNullable<CanvasStore["edgeMenu"]> }): ReactElement {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const graph = useGraph((state) => state.document);
  const shapes = useGraph((state) => state.shapes);
  const entries = useOps((state) => state.entries);
  const runnable = useRunnableOps();
  const onlyRunnable = useSettings((state) => state.settings.onlyRunnableOps);
  const frame = useRef<HTMLDivElement>(null);
  const { from, into, at } = menu;

  const ends = useMemo(() => (from && !into ? existingEnds(graph, lookupOp, from) : []), [graph, from, into]);
  const ops = useMemo(() => {
    const names = entries.map(({ name }) => name).filter((op) => !onlyRunnable || (runnable?.(op) ?? true));
    const found = opCandidates(graph, lookupOp, names, from);
    if (!into) return found;
    const fitting = insertable(graph, lookupOp, found.fitting, into);
    return { fitting, others: found.others + found.fitting.length - fitting.length };
  }, [graph, entries, from, into, runnable, onlyRunnable]);
  const accepts = from ? heldText(graph, lookupOp, shapes, from) : "";

  const choices = useMemo((): Choice[] => {
    const wanted = query.trim().toLowerCase();
    const shownEnds = ends.filter(({ node, port }) => `${node} ${port}`.toLowerCase().includes(wanted));
    const fitting = new Map(ops.fitting.map((candidate) => [candidate.op, candidate]));
    const found =
      wanted === ""
        ? ops.fitting.slice(0, FIRST_OPS)
        : searchOps(entries, wanted).flatMap(({ entry }) => fitting.get(entry.name) ?? []);
    return [
      ...shownEnds.slice(0, MAX_ENDS).map(
        (end): Choice => ({
          id: `end ${end.node} ${end.port}`,
          label: end.node,
          note: end.port,
          kind: "end",
          choose: () => documentActions.connect(end.from, end.to),
        }),
      ),
      ...found.slice(0, MAX_OPS).map(
        ({ op, port }): Choice => ({
          id: `op ${op}`,
          label: op,
          note: port === "" ? "" : words.asPort({ port }),
          kind: "op",
          choose: () =>
            into ? documentActions.insertOnEdge(op, into, at) : documentActions.addNode(op, at, from),
        }),
      ),
    ];
  }, [query, ends, ops, entries, at, from, into]);

  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) {
        useCanvas.setState({ edgeMenu: undefined });
      }
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, []);

  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    choice.choose();
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Enter") take(choices[active]);
    else if (event.key === "ArrowDown") setActive((index) => Math.min(index + 1, choices.length - 1));
    else if (event.key === "ArrowUp") setActive((index) => Math.max(index - 1, 0));
    else return;
    event.preventDefault();
  };

  const firstOp = choices.findIndex(({ kind }) => kind === "op");
  const left = Math.max(8, Math.min(menu.screen.x + 8, window.innerWidth - MENU_WIDTH - 8));
  const top = Math.max(8, Math.min(menu.screen.y - 8, window.innerHeight - MENU_HEIGHT - 8));
  return (
    <div
      ref={frame}
      className={classNames(listStyles.frame, styles.menu)}
      style={{ left, top, width: MENU_WIDTH }}
    >
      <SearchField size="filling" className={styles.search}>
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the menu opens where the user let go and is typed into at once
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="edge-menu-list"
          aria-activedescendant={choices[active] ? `edge-menu-${active}` : undefined}
          aria-label={
            into ? words.placeholders.insert : from ? words.placeholders.connect : words.placeholders.add
          }
          placeholder={
            accepts === ""
              ? words.search
              : from?.type === "output"
                ? words.accepts({ accepts })
                : words.gives({ accepts })
          }
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </SearchField>
      <div
        id="edge-menu-list"
        role="listbox"
        className={styles.choices}
        aria-label={from && !into ? words.where : words.ops}
        tabIndex={-1}
      >
        {choices.map((choice, index) => (
          <div key={choice.id}>
            {index === 0 && choice.kind === "end" ? (
              <div className={listStyles.heading}>
                {from?.type === "output" ? words.existingInputs : words.existingOutputs}
              </div>
            ) : null}
            {index === firstOp && firstOp > 0 ? <div className={listStyles.separator} /> : null}
            {index === firstOp ? (
              <div className={listStyles.heading}>
                {query.trim() === "" ? words.newOps : words.newOpsFound}
              </div>
            ) : null}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the search field above has the focus and its keys choose */}
            <div
              id={`edge-menu-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={classNames(listStyles.choice, index === active && listStyles.active)}
              onPointerMove={() => setActive(index)}
              onClick={() => take(choice)}
            >
              {choice.kind === "end" ? <PortMark shape="circle" /> : null}
              <span className={textStyles.truncated}>{choice.label}</span>
              <span className={listStyles.note}>{choice.note}</span>
            </div>
          </div>
        ))}
        {choices.length === 0 ? <div className={listStyles.message}>{words.nothing}</div> : null}
      </div>
      <div className={listStyles.separator} />
      <div className={listStyles.message}>
        {from
          ? words.fittingOfAll({ fitting: ops.fitting.length, others: ops.others })
          : words.fittingOps({ count: ops.fitting.length })}
      </div>
    </div>
  );
}
