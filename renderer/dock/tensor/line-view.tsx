import { type ReactElement, useMemo } from "react";
import type { TensorLines } from "../../../main/api/tensors.js";
import type { Grid } from "../../../worker-runtime/protocol/selection.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { Chart, type ChartSeries } from "../../ui/chart.js";
import textStyles from "../../ui/text.module.css";
import styles from "./line-view.module.css";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

const words = texts.dock.lineView;

interface LineViewProps {
  readonly source: TensorSource;
  readonly view: TensorView;
  /** With a dimension that runs across. */
  readonly grid: Grid;
}

const POINTS = 800;

/** The rows of a part as lines; a long one is drawn between the lowest and the highest element of each point. */
export function LineView({ source, view, grid }: LineViewProps): ReactElement {
  const work = useTensorWork(
    "tensors.lines",
    {
      tensor: source.address,
      selection: [...view.selection],
      ...(grid.columnAxis === undefined ? {} : { columnAxis: grid.columnAxis }),
      points: POINTS,
    },
    source.step,
  );
  const lines = work.result;
  const drawn = useMemo(() => (lines === undefined ? undefined : drawnOf(lines, grid)), [lines, grid]);
  if (lines === undefined || drawn === undefined) return <WorkNote work={work} />;
  return (
    <section className={styles.view} aria-label={words.label({ source: source.name })}>
      <p className={textStyles.muted}>
        {[
          lines.rows === 1 ? "" : words.rows({ shown: lines.lines.length, all: lines.rows }),
          (lines.rows === 1 ? words.elements : words.elementsEach)({ count: lines.columns }),
          lines.elementsPerPoint > 1 ? words.points({ count: lines.elementsPerPoint }) : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <Chart label={words.label({ source: source.name })} xName="index" {...drawn} />
      <WorkNote work={work} />
    </section>
  );
}

const orNull = (value: number) => (Number.isFinite(value) ? value : null);

function drawnOf({ lines, elementsPerPoint, columns }: TensorLines, grid: Grid) {
  const points = Math.ceil(columns / elementsPerPoint);
  const { columnAxis } = grid;
  const isShared = elementsPerPoint > 1;
  // A line through the lowest and the highest element of each point covers all between.
  const xs = Array.from({ length: points }, (_, point) => {
    const index = point * elementsPerPoint;
    const x = columnAxis === undefined ? index : (grid.indicesOf(0, index)[columnAxis] ?? index);
    return isShared ? [x, x] : [x];
  }).flat();
  const series = lines.map(({ low, high }, row): ChartSeries => {
    const indices = grid.indicesOf(row, 0);
    const label =
      grid.rowAxes.length === 0 ? "value" : `[${grid.rowAxes.map((axis) => indices[axis]).join(",")}]`;
    const look = row === 0 ? "main" : "faint";
    const values = isShared ? low.flatMap((value, point) => [value, high[point] ?? Number.NaN]) : low;
    return { label, xs, values: values.map(orNull), look };
  });
  return { series };
}
