import { type ReactElement, useEffect, useRef, useState } from "react";
import { type Grid, gridOf } from "../../worker-runtime/protocol/selection.js";
import { menuEntry } from "../commands/menu-entry.js";
import { tensorCommands } from "../commands/tensor-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import {
  type Digits,
  isNumeric,
  modesOf,
  type TensorMode,
  tensorViewActions,
  useTensorView,
} from "../stores/tensor-tabs.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { EmptyText } from "../ui/empty-text.js";
import { stepText, timeText } from "../ui/format.js";
import { Menu } from "../ui/menu.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import { SelectInput } from "../ui/text-input.js";
import { TabBar } from "./tab-bar.js";
import { AxisControls } from "./tensor/axis-controls.js";
import type { CellWindow } from "./tensor/cell-blocks.js";
import { type Cell, CellGrid } from "./tensor/cell-grid.js";
import { ClassView } from "./tensor/class-view.js";
import { HeatMap } from "./tensor/heat-map.js";
import { ImageView } from "./tensor/image-view.js";
import { LineView } from "./tensor/line-view.js";
import { StatisticsPanel, useStatistics } from "./tensor/statistics-panel.js";
import { type TensorSource, useTensorSource } from "./tensor/tensor-source.js";
import { TextView } from "./tensor/text-view.js";
import styles from "./tensor-tab.module.css";

const words = texts.dock.tensorTab;

const MODE_NAMES: Readonly<Record<TensorMode, string>> = {
  values: words.values,
  image: words.image,
  "heat-map": words.heatMap,
  line: words.line,
  histogram: words.histogram,
  classes: words.classes,
  text: words.text,
};

/** Widths of the tab from which the panels beside the values have room. */
const FIGURES_FROM = 860;
const HEAT_MAP_FROM = 1240;
/** The most cells of a heat map on each side, in a panel and as a mode. */
const SMALL_MAP = 256;
const LARGE_MAP = 768;

/** One tensor: the part that is looked at, as values or as a picture, and its figures. */
export default function TensorTab({ name }: { readonly name: string }): ReactElement {
  const source = useTensorSource(name);
  if (source === undefined) return <EmptyText>{words.notFetched({ name })}</EmptyText>;
  return <OpenTensor source={source} />;
}

function OpenTensor({ source }: { readonly source: TensorSource }): ReactElement {
  const beforeEdit = useBeforeEdit();
  const old = source.readAt === undefined && !source.isOfKeptRun && beforeEdit;
  const view = useTensorView(source);
  const { mode } = view;
  const body = useRef<HTMLDivElement>(null);
  const width = useWidth(body);
  const numeric = isNumeric(source.dtype);
  const hasFigures = numeric && (width >= FIGURES_FROM || mode === "histogram");
  const statistics = useStatistics(source, view, numeric);
  const modes = modesOf(source).map((id) => ({ id, label: MODE_NAMES[id] }));
  return (
    <>
      <TabBar>
        <Segmented
          label={words.showAs}
          options={modes}
          selected={mode}
          onSelect={(id) => tensorViewActions.setMode(source, id)}
        />
        <span className={textStyles.muted}>
          {source.readAt === undefined
            ? stepText(source.step)
            : words.readAt({ time: timeText(source.readAt) })}
          {old ? ` · ${words.beforeEdit}` : ""}
        </span>
        <span className={textStyles.grow} />
        <Menu
          trigger={
            <Button size="small" variant="ghost" icon="copy">
              {words.copy}
            </Button>
          }
          entries={() =>
            [tensorCommands.copyTable, tensorCommands.copyPython].map((command) =>
              menuEntry(command.on(source), "short"),
            )
          }
        />
        <Menu
          trigger={
            <Button size="small" variant="ghost" icon="download">
              {words.save}
            </Button>
          }
          entries={() =>
            [tensorCommands.saveNpy, tensorCommands.saveCsv].map((command) =>
              menuEntry(command.on(source), "short"),
            )
          }
        />
        <CommandButton command={tensorCommands.close} target={source} size="small" variant="ghost" icon />
      </TabBar>
      <div className={styles.body} ref={body}>
        <AxisControls source={source} view={view} />
        <div className={styles.main}>
          <Viewer source={source} statistics={statistics} wide={width >= HEAT_MAP_FROM} old={old} />
        </div>
        {hasFigures && mode !== "histogram" ? (
          <div className={styles.side}>
            <StatisticsPanel source={source} view={view} ofPart={statistics} old={old} />
          </div>
        ) : null}
      </div>
    </>
  );
}

interface ViewerProps {
  readonly source: TensorSource;
  readonly statistics: ReturnType<typeof useStatistics>;
  /** There is room for a heat map beside the values. */
  readonly wide: boolean;
  readonly old: boolean;
}

function Viewer({ source, statistics, wide, old }: ViewerProps): ReactElement {
  const view = useTensorView(source);
  const { mode, selection, columnAxis } = view;
  const grid = gridOf(source.shape, selection, columnAxis);
  // A row of elements, also where the values run down.
  const rowsAcross = grid.columnAxis === undefined ? gridOf(source.shape, selection) : grid;
  const key = JSON.stringify([selection, columnAxis]);
  switch (mode) {
    case "image":
      return <ImageView source={source} view={view} />;
    case "heat-map":
      return <HeatMap source={source} view={view} grid={grid} side={LARGE_MAP} />;
    case "line":
      return <LineView source={source} view={view} grid={rowsAcross} />;
    case "classes":
      return <ClassView source={source} view={view} grid={rowsAcross} />;
    case "histogram":
      return <StatisticsPanel source={source} view={view} ofPart={statistics} large old={old} />;
    case "text":
      return <TextView source={source} view={view} />;
    case "values":
      return <Values key={key} source={source} grid={grid} statistics={statistics} wide={wide} old={old} />;
  }
}

const DIGITS: readonly (readonly [id: string, label: string, digits: Digits])[] = [
  ["auto", words.fourDigits, "auto"],
  ["all", words.allDigits, "all"],
  ["1", "0.1", 1],
  ["2", "0.01", 2],
  ["3", "0.001", 3],
  ["4", "0.0001", 4],
];

function Values({
  source,
  grid,
  statistics,
  wide,
  old,
}: ViewerProps & { readonly grid: Grid }): ReactElement {
  const view = useTensorView(source);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const [text, setText] = useState<string>();
  const [seen, setSeen] = useState<CellWindow>();
  const finite = statistics.result?.finite;
  const largest = finite && Math.max(Math.abs(finite.min), Math.abs(finite.max));
  const drawn = seen && `${seen.lastRow - seen.firstRow} × ${seen.lastColumn - seen.firstColumn}`;
  const withMap = wide && isNumeric(source.dtype) && grid.rows > 1 && grid.columns > 1;
  return (
    <div className={styles.values}>
      <div className={styles.gridSide}>
        <div className={styles.head}>
          <b>{words.values}</b>
          <span className={textStyles.muted}>
            {words.drawn({ drawn: drawn ?? "", rows: grid.rows, columns: grid.columns })}
          </span>
          <span className={textStyles.grow} />
          <span className={styles.activeCell} aria-live="polite">
            {text === undefined ? "" : `[${grid.indicesOf(active.row, active.column).join(", ")}] = ${text}`}
          </span>
          {/float/.test(source.dtype) ? (
            <SelectInput
              aria-label={words.digits}
              className={styles.digits}
              value={String(view.digits)}
              onChange={({ target: { value } }) => {
                const chosen = DIGITS.find(([id]) => id === value);
                if (chosen) tensorViewActions.change(source, { digits: chosen[2] });
              }}
            >
              {DIGITS.map(([id, label]) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </SelectInput>
          ) : null}
        </div>
        <CellGrid
          source={source}
          view={view}
          grid={grid}
          largest={largest}
          active={active}
          old={old}
          onActive={setActive}
          onRead={setText}
          onSeen={setSeen}
        />
      </div>
      {withMap ? (
        <div className={styles.side}>
          <HeatMap source={source} view={view} grid={grid} side={SMALL_MAP} seen={seen} />
        </div>
      ) : null}
    </div>
  );
}

/** The width of an element in CSS pixels. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
