import { type ReactElement, useMemo, useState } from "react";
import type { HeatMap as HeatMapCells } from "../../../main/api/tensors.js";
import type { Grid } from "../../../worker-runtime/protocol/selection.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { figureText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import type { CellWindow } from "./cell-blocks.js";
import { type HeatColours, putColour, useHeatColours } from "./colour-scale.js";
import styles from "./heat-map.module.css";
import { Pixels } from "./pixels.js";
import { SavePng } from "./save-png.js";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

const words = texts.dock.heatMap;

interface HeatMapProps {
  readonly source: TensorSource;
  readonly view: TensorView;
  readonly grid: Grid;
  /** The most cells of the picture on each side. */
  readonly side: number;
  /** The part that the grid of values shows; outlined. */
  readonly seen?: CellWindow | undefined;
}

/** A part of a tensor as a picture: each cell, or the mean of those that share a pixel. */
export function HeatMap({ source, view, grid, side, seen }: HeatMapProps): ReactElement {
  const work = useTensorWork(
    "tensors.heatMap",
    {
      tensor: source.address,
      selection: [...view.selection],
      columnAxis: view.columnAxis,
      width: side,
      height: side,
    },
    source.step,
  );
  const colours = useHeatColours();
  const [pointed, setPointed] = useState<{ readonly x: number; readonly y: number }>();
  const map = work.result;
  const picture = useMemo(() => (map === undefined ? undefined : pictureOf(map, colours)), [map, colours]);
  if (map === undefined || picture === undefined) return <WorkNote work={work} />;
  if (map.rows * map.columns === 0) return <p className={textStyles.muted}>{words.empty}</p>;
  const { cells, rgba, largest } = picture;
  const value = pointed && cells[pointed.y * map.width + pointed.x];
  const shared = map.rows > map.height || map.columns > map.width;
  const first = map.range === undefined || map.range.min < 0 ? -largest : 0;
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.head}>
        <b>{shared ? words.heatMapMeans : words.heatMap}</b>
        <span className={textStyles.muted}>
          {numberText(map.rows)} × {numberText(map.columns)}
        </span>
        <span className={textStyles.grow} />
        <SavePng
          name={words.fileName({ source: source.name })}
          width={map.width}
          height={map.height}
          rgba={rgba}
        />
      </figcaption>
      <div className={styles.picture}>
        <Pixels
          width={map.width}
          height={map.height}
          rgba={rgba}
          className={styles.pixels}
          label={words.label({
            source: source.name,
            min: figureText(map.range?.min ?? Number.NaN),
            max: figureText(map.range?.max ?? Number.NaN),
          })}
          onPoint={(x, y) => setPointed({ x, y })}
        />
        {seen ? <Outline seen={seen} map={map} /> : null}
      </div>
      <div className={styles.legend}>
        <span className={classNames(textStyles.muted, textStyles.truncated, textStyles.grow)}>
          {seen ? words.outlineGridView : ""}
        </span>
        {figureText(first)}
        <i className={first < 0 ? styles.scale : styles.positiveScale} />
        {figureText(largest)}
      </div>
      <p className={styles.value}>
        {pointed && value !== undefined
          ? (shared ? words.valueAndNear : words.value)({
              indices: indicesAt(grid, map, pointed).join(", "),
              value: figureText(value, 6),
            })
          : "\u00a0"}
      </p>
      <WorkNote work={work} />
    </figure>
  );
}

interface Picture {
  readonly cells: Float32Array;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  /** The largest absolute value of a cell. */
  readonly largest: number;
}

function pictureOf({ cells: bytes, width, height, range }: HeatMapCells, colours: HeatColours): Picture {
  // The bytes of a message need not be aligned.
  const cells = new Float32Array(Uint8Array.from(bytes).buffer);
  const largest = range ? Math.max(Math.abs(range.min), Math.abs(range.max)) : 0;
  const rgba = new Uint8ClampedArray(4 * width * height);
  cells.forEach((value, cell) => void putColour(rgba, 4 * cell, value, largest, colours));
  return { cells, rgba, largest };
}

function indicesAt(
  grid: Grid,
  map: HeatMapCells,
  { x, y }: { readonly x: number; readonly y: number },
): number[] {
  return grid.indicesOf(Math.floor((y * map.rows) / map.height), Math.floor((x * map.columns) / map.width));
}

function Outline({
  seen,
  map,
}: {
  readonly seen: CellWindow;
  readonly map: HeatMapCells;
}): ReactElement | null {
  const everything =
    seen.lastRow - seen.firstRow >= map.rows && seen.lastColumn - seen.firstColumn >= map.columns;
  if (everything) return null;
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)}%`;
  return (
    <i
      className={styles.outline}
      style={{
        left: percent(seen.firstColumn, map.columns),
        top: percent(seen.firstRow, map.rows),
        width: percent(seen.lastColumn - seen.firstColumn, map.columns),
        height: percent(seen.lastRow - seen.firstRow, map.rows),
      }}
    />
  );
}
