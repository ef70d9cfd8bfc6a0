import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { texts } from "../texts/texts.js";
import styles from "./chart.module.css";
import { nearestIndex, placeOf, type Scale, scaleOf, tickLabels, ticksOf } from "./chart-scale.js";
import { classNames } from "./class-names.js";
import { figureText, numberText } from "./format.js";

const words = texts.ui.chart;

export interface ChartSeries {
  readonly label: string;
  /** Ascending. */
  readonly xs: readonly number[];
  /** One per x; null where there is none. */
  readonly values: readonly (number | null)[];
  /** main: read out first. compared: dashed. faint: behind the others, and only read out if there is no other. */
  readonly look: "main" | "compared" | "faint";
}

/** A filled area between the lowest and the highest value of each x. */
export interface ChartBand {
  readonly xs: readonly number[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

interface ChartProps {
  /** For screen readers. */
  readonly label: string;
  /** The name of the axis across: "step". */
  readonly xName: string;
  readonly series: readonly ChartSeries[];
  readonly band?: ChartBand | undefined;
  /** Values that are not positive are left out. */
  readonly logarithmic?: boolean;
}

/** Room for the numbers at the axes, in pixels; long ones at the left take more. */
const LEAST_LEFT = 46;
const DIGIT_WIDTH = 6.6;
const TICK_GAP = 6;
const BOTTOM = 18;
const TOP = 6;
const RIGHT = 20;
/** Pixels between two numbers at an axis. */
const X_TICK = 50;
const Y_TICK = 28;
/** A shorter drag is a click. */
const LEAST_DRAG = 6;

/**
 * Curves. The pointer and the arrow keys show the values at a place, which are read out; Home and End go to the ends. A
 * drag zooms in across, and a double click or Escape shows everything again.
 */
export function Chart(props: ChartProps): ReactElement {
  const { label, xName, series, band, logarithmic = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const [at, setAt] = useState<number>();
  const [zoom, setZoom] = useState<readonly [from: number, to: number]>();
  const [drag, setDrag] = useState<readonly [from: number, to: number]>();
  const drawn = useMemo(
    () => layOut({ series, band, logarithmic }, zoom, { width, height }),
    [series, band, logarithmic, zoom, width, height],
  );
  const { x, y, left, inner } = drawn;
  const toX = (value: number) => left + (placeOf(x, value) ?? 0) * inner.width;
  const valueAt = (event: PointerEvent<SVGSVGElement>) => {
    const place = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return x.min + (Math.max(0, Math.min(inner.width, place)) / inner.width) * (x.max - x.min);
  };
  /** Whose places the cursor goes to. */
  const leading = series.find(({ look }) => look === "main") ?? series[0] ?? { xs: [] };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && zoom) {
      event.preventDefault();
      setZoom(undefined);
      return;
    }
    const { xs } = leading;
    const last = xs.length - 1;
    const now = at === undefined ? last : nearestIndex(xs, at);
    const page = Math.max(1, Math.round(xs.length / 20));
    const to = {
      ...{
        ArrowLeft: now - 1,
        ArrowRight: now + 1,
        PageUp: now - page,
        PageDown: now + page,
        Home: 0,
        End: last,
      },
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(xs[Math.max(0, Math.min(last, to))]);
  };
  const read = series.some(({ look }) => look !== "faint")
    ? series.filter(({ look }) => look !== "faint")
    : series;
  const readingAt = ({ xs, values }: ChartSeries) => (at === undefined ? null : values[nearestIndex(xs, at)]);
  const reading = (one: ChartSeries) => {
    const value = readingAt(one);
    return `${one.label} ${value === undefined || value === null ? "–" : figureText(value, 5)}`;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a figure has no keys of its own
    <div className={styles.chart} role="group" aria-label={words.name({ label })} onKeyDown={onKeyDown}>
      <div
        ref={frame}
        className={styles.plot}
        role="img"
        aria-label={words.plot({ label })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move a cursor in it
        tabIndex={0}
      >
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          onPointerMove={(event) => {
            const value = valueAt(event);
            if (drag) setDrag([drag[0], value]);
            setAt(leading.xs[nearestIndex(leading.xs, value)]);
          }}
          onPointerDown={(event) => {
            if (event.button === 0) setDrag([valueAt(event), valueAt(event)]);
          }}
          onPointerUp={() => {
            if (drag && Math.abs(toX(drag[1]) - toX(drag[0])) >= LEAST_DRAG) {
              setZoom([Math.min(...drag), Math.max(...drag)]);
            }
            setDrag(undefined);
          }}
          onPointerLeave={() => {
            setDrag(undefined);
            setAt(undefined);
          }}
          onDoubleClick={() => setZoom(undefined)}
        >
          <g className={styles.axes}>
            {drawn.yTicks.map((tick, index) => {
              const top = TOP + (1 - (placeOf(y, tick) ?? 0)) * inner.height;
              return (
                <g key={tick}>
                  <path d={`M${left} ${top}H${left + inner.width}`} />
                  <text x={left - TICK_GAP} y={top + 3.5} textAnchor="end">
                    {drawn.yLabels[index]}
                  </text>
                </g>
              );
            })}
            {drawn.xTicks.map((tick) => (
              <text key={tick} x={toX(tick)} y={height - 4} textAnchor="middle">
                {numberText(tick)}
              </text>
            ))}
          </g>
          <svg x={left} y={TOP} width={inner.width} height={inner.height} aria-hidden="true">
            {drawn.band ? <path className={styles.band} d={drawn.band} /> : null}
            {drawn.lines.map(({ label: name, look, path, dots }) => (
              <g
                key={name}
                className={classNames(
                  styles.line,
                  look === "compared" && styles.compared,
                  look === "faint" && styles.faint,
                )}
              >
                <path d={path} />
                {dots.map(([cx, cy]) => (
                  <circle key={cx} cx={cx} cy={cy} r={1.75} />
                ))}
              </g>
            ))}
            {at === undefined ? null : (
              <g className={styles.cursor}>
                <path d={`M${toX(at) - left} 0V${inner.height}`} />
                {read.map((one) => {
                  const top = placeOf(y, readingAt(one));
                  return top === undefined ? null : (
                    <circle key={one.label} cx={toX(at) - left} cy={(1 - top) * inner.height} r={3.5} />
                  );
                })}
              </g>
            )}
            {drag ? (
              <rect
                className={styles.drag}
                x={toX(Math.min(...drag)) - left}
                width={Math.abs(toX(drag[1]) - toX(drag[0]))}
                height={inner.height}
              />
            ) : null}
          </svg>
        </svg>
      </div>
      <p className={styles.reading} aria-live="polite">
        {at === undefined ? "\u00a0" : `${xName} ${numberText(at)}: ${read.map(reading).join(", ")}`}
      </p>
    </div>
  );
}

interface Line {
  readonly label: string;
  readonly look: ChartSeries["look"];
  readonly path: string;
  /** Values without a neighbour, which a line does not show. */
  readonly dots: readonly (readonly [left: number, top: number])[];
}

interface Drawn {
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  readonly yLabels: readonly string[];
  /** Where the curves begin. */
  readonly left: number;
  /** The room that is left for the curves. */
  readonly inner: Size;
  readonly lines: readonly Line[];
  readonly band: string | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type Drawable = Required<Pick<ChartProps, "series" | "logarithmic">> & Pick<ChartProps, "band">;

function layOut(
  { series, band, logarithmic }: Drawable,
  zoom: readonly [number, number] | undefined,
  size: Size,
): Drawn {
  const x: Scale = zoom
    ? { min: zoom[0], max: zoom[1], logarithmic: false }
    : (scaleOf(series.flatMap(({ xs }) => [xs[0], xs.at(-1)])) ?? { min: 0, max: 1, logarithmic: false });
  const inView = (value: number | undefined) => value !== undefined && value >= x.min && value <= x.max;
  const edges = band ? [band.low, band.high].map((values) => ({ xs: band.xs, values })) : [];
  const lists: readonly Pick<ChartSeries, "xs" | "values">[] = [...series, ...edges];
  const seen = lists.flatMap(({ xs, values }) => values.filter((_, index) => inView(xs[index])));
  const y = scaleOf(seen, { logarithmic, room: 0.04 }) ?? { min: 0, max: 1, logarithmic: false };
  const height = Math.max(1, size.height - TOP - BOTTOM);
  const yTicks = ticksOf(y, height / Y_TICK);
  const yLabels = tickLabels(yTicks);
  const longest = Math.max(0, ...yLabels.map(({ length }) => length));
  const left = Math.max(LEAST_LEFT, Math.ceil(longest * DIGIT_WIDTH) + TICK_GAP);
  const width = Math.max(1, size.width - left - RIGHT);
  const points = (xs: readonly number[], values: readonly (number | null)[]) =>
    xs.map((value, index): readonly [number, number] | undefined => {
      const top = placeOf(y, values[index]);
      const across = placeOf(x, value) ?? 0;
      return top === undefined ? undefined : [round(across * width), round((1 - top) * height)];
    });
  const order = { faint: 0, compared: 1, main: 2 };
  const lines = series
    .map(({ label, look, xs, values }) => ({ label, look, ...lineOf(points(xs, values)) }))
    .sort((a, b) => order[a.look] - order[b.look]);
  return {
    x,
    y,
    xTicks: ticksOf(x, width / X_TICK).filter(Number.isInteger),
    yTicks,
    yLabels,
    left,
    inner: { width, height },
    lines,
    band: band ? areaOf(points(band.xs, band.low), points(band.xs, band.high)) : undefined,
  };
}

type Point = readonly [left: number, top: number];

const round = (value: number) => Math.round(value * 10) / 10;

function lineOf(points: readonly (Point | undefined)[]): Pick<Line, "path" | "dots"> {
  let path = "";
  const dots: Point[] = [];
  points.forEach((point, index) => {
    if (point === undefined) return;
    const joined = points[index - 1] !== undefined;
    path += `${joined ? "L" : "M"}${point[0]} ${point[1]}`;
    if (!joined && points[index + 1] === undefined) dots.push(point);
  });
  return { path, dots };
}

function areaOf(low: readonly (Point | undefined)[], high: readonly (Point | undefined)[]): string {
  const both = low.flatMap((point, index) => {
    const other = high[index];
    return point && other ? [[point, other] as const] : [];
  });
  if (both.length === 0) return "";
  const text = (points: readonly Point[]) => points.map((point) => point.join(" ")).join("L");
  return `M${text(both.map(([, top]) => top))}L${text(both.map(([bottom]) => bottom).toReversed())}Z`;
}

function useSize(element: { readonly current: HTMLElement | null }) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const update = () => setSize({ width: current.clientWidth, height: current.clientHeight });
    update();
    const observer = new ResizeObserver(update);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
