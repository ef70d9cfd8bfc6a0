/** Where the nodes and transfers of a timeline are drawn, in pixels, and what is under the pointer. Pure. */
import type { Transfer } from "../../main/api/runs.js";
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { slicedSort } from "../document/sliced-sort.js";
import type { Bar, Lane, Timeline } from "./lanes.js";
import { drawnSpans, type Spans, spansOf } from "./timeline-spans.js";
import { type TimeWindow, windowMicros } from "./timeline-window.js";

export const AXIS_HEIGHT = 24;
export const BAR_HEIGHT = 20;
const ROW_HEIGHT = 24;
/** Space above and below the bars of a lane for the arrows. */
const LANE_PADDING = 13;
const LEFT = 8;
const RIGHT = 16;
/** No bar is drawn narrower, so what is closer is drawn as one. */
const LEAST_WIDTH = 2;
/** So far from an arrow's line it is still pointed at. */
const REACH = 4.5;

export interface PlacedLane {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
  readonly rows: readonly { readonly bars: readonly Bar[]; readonly spans: Spans }[];
}

interface Route {
  readonly from: PlacedLane;
  readonly to: PlacedLane;
  /** In the order of their starts. */
  readonly transfers: readonly Transfer[];
  readonly spans: Spans;
}

/** The marks that are the same in every part of the time. */
export interface Scene {
  readonly lanes: readonly PlacedLane[];
  readonly routes: readonly Route[];
  readonly height: number;
}

/** A node; or several, of which it is the longest. */
export interface BarMark {
  readonly bar: Bar;
  readonly count: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A transfer, or several that begin close to each other: from one lane to another, through the room between lanes. */
export interface ArrowMark {
  readonly transfer: Transfer;
  readonly count: number;
  readonly startX: number;
  readonly startY: number;
  readonly middleY: number;
  readonly endX: number;
  readonly endY: number;
}

export interface Marks {
  readonly bars: readonly BarMark[];
  readonly arrows: readonly ArrowMark[];
}

/** In slices, as `slicedTimeline`. */
export function* slicedScene({ lanes, transfers }: Timeline): Sliced<Scene> {
  let height = AXIS_HEIGHT;
  const placed: PlacedLane[] = [];
  for (const lane of lanes) {
    const rows = Array.from({ length: lane.rows }, (): Bar[] => []);
    yield* paused(lane.bars, (bar) => rows[bar.row]?.push(bar));
    const top = height;
    const laneHeight = lane.rows * ROW_HEIGHT + 2 * LANE_PADDING;
    height += laneHeight;
    const withSpans: PlacedLane["rows"][number][] = [];
    for (const bars of rows) {
      withSpans.push({ bars, spans: spansOf(bars) });
      yield;
    }
    placed.push({ lane, top, height: laneHeight, rows: withSpans });
  }
  const laneOf = new Map(placed.map((one) => [one.lane.device, one]));
  const groups = new Map<string, Transfer[]>();
  yield* paused(transfers, (transfer) => {
    const key = `${transfer.fromDevice} ${transfer.toDevice}`;
    const group = groups.get(key);
    if (group) group.push(transfer);
    else groups.set(key, [transfer]);
  });
  const routes: Route[] = [];
  for (const group of groups.values()) {
    const [from, to] = [laneOf.get(group[0]?.fromDevice ?? ""), laneOf.get(group[0]?.toDevice ?? "")];
    if (!from || !to || from === to) continue;
    const sorted = yield* slicedSort(group, (one, other) => one.startMicros - other.startMicros);
    routes.push({ from, to, transfers: sorted, spans: spansOf(sorted) });
  }
  return { lanes: placed, routes, height };
}

/** The horizontal place of a time. */
export function xOf(micros: number, shown: TimeWindow, width: number): number {
  return LEFT + (micros - shown.from) / microsPerPixel(shown, width);
}

/** The time at a horizontal place. */
export function microsAt(x: number, shown: TimeWindow, width: number): number {
  return shown.from + (x - LEFT) * microsPerPixel(shown, width);
}

export function microsPerPixel(shown: TimeWindow, width: number): number {
  return windowMicros(shown) / Math.max(1, width - LEFT - RIGHT);
}

/** @param width of the plot, in pixels */
export function marksOf(scene: Scene, shown: TimeWindow, width: number): Marks {
  const scale = microsPerPixel(shown, width);
  // Spans that begin or end in the margins are seen there.
  const seen = { from: shown.from - LEFT * scale, to: shown.to + RIGHT * scale };
  const x = (micros: number) => xOf(micros, shown, width);
  const bars = scene.lanes.flatMap(({ top, rows }) =>
    rows.flatMap(({ bars: all, spans }, row) =>
      drawnSpans(spans, seen, LEAST_WIDTH * scale).flatMap(({ index, count, start, end }): BarMark[] => {
        const bar = all[index];
        const y = top + LANE_PADDING + row * ROW_HEIGHT + 2;
        return bar
          ? [{ bar, count, x: x(start), y, width: Math.max(LEAST_WIDTH, (end - start) / scale - 1) }]
          : [];
      }),
    ),
  );
  // Many routes have fewer arrows each: more lines than pixels would only cover each other.
  const distance = Math.max(LEAST_WIDTH, scene.routes.length / 2) * scale;
  const arrows = scene.routes.flatMap(({ from, to, transfers, spans }) => {
    const down = to.top > from.top;
    const places = {
      startY: down ? from.top + from.height - LANE_PADDING : from.top + LANE_PADDING,
      middleY: down ? from.top + from.height : from.top,
      endY: down ? to.top + LANE_PADDING - 4 : to.top + to.height - LANE_PADDING + 4,
    };
    return drawnSpans(spans, seen, distance).flatMap(({ index, count }): ArrowMark[] => {
      const transfer = transfers[index];
      if (!transfer) return [];
      const { startMicros, durationMicros } = transfer;
      return [{ transfer, count, ...places, startX: x(startMicros), endX: x(startMicros + durationMicros) }];
    });
  });
  return { bars, arrows };
}

/** The mark at a place. */
export function markAt({ bars, arrows }: Marks, x: number, y: number): BarMark | ArrowMark | undefined {
  const isNear = (one: number, other: number, value: number) =>
    value >= Math.min(one, other) - REACH && value <= Math.max(one, other) + REACH;
  return (
    arrows.findLast(
      ({ startX, startY, middleY, endX, endY }) =>
        (isNear(startX, startX, x) && isNear(startY, middleY, y)) ||
        (isNear(startX, endX, x) && isNear(middleY, middleY, y)) ||
        (isNear(endX, endX, x) && isNear(middleY, endY, y)),
    ) ??
    bars.findLast(
      (mark) => x >= mark.x && x < mark.x + mark.width + 1 && y >= mark.y && y < mark.y + BAR_HEIGHT,
    )
  );
}
