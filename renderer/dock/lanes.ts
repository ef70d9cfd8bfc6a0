/** A trace laid out as lanes: one per device, its nodes as bars in as few rows as do not overlap. Times in µs. */
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { slicedSort } from "../document/sliced-sort.js";
import { texts } from "../texts/texts.js";

const units = texts.ui.format;

export interface Bar extends NodeRun {
  /** 0 is the uppermost row of the lane. */
  readonly row: number;
}

export interface Lane {
  readonly device: string;
  readonly bars: readonly Bar[];
  /** At least 1. */
  readonly rows: number;
  /** Time in which at least one node of the device ran. */
  readonly busyMicros: number;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly transfers: readonly Transfer[];
  /** End of the last bar or transfer. */
  readonly endMicros: number;
}

/** Rows of a lane; more would not be read, so what overlaps further is drawn over the last. */
const MOST_ROWS = 4;

/** In slices: a step may have hundreds of thousands of events. */
export function* slicedTimeline(nodes: readonly NodeRun[], transfers: readonly Transfer[]): Sliced<Timeline> {
  const devices = new Map<string, NodeRun[]>();
  let endMicros = 1;
  const ends = ({ startMicros, durationMicros }: Pick<NodeRun, "startMicros" | "durationMicros">) => {
    endMicros = Math.max(endMicros, startMicros + durationMicros);
  };
  yield* paused(nodes, (node) => {
    ends(node);
    const list = devices.get(node.device);
    if (list) list.push(node);
    else devices.set(node.device, [node]);
  });
  yield* paused(transfers, (transfer) => {
    ends(transfer);
    for (const device of [transfer.fromDevice, transfer.toDevice])
      if (!devices.has(device)) devices.set(device, []);
  });
  const sorted = [...devices].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
  const lanes: Lane[] = [];
  for (const [device, runs] of sorted) lanes.push(yield* slicedLane(device, runs));
  return { lanes, transfers, endMicros };
}

function* slicedLane(device: string, runs: readonly NodeRun[]): Sliced<Lane> {
  const sorted = yield* slicedSort(runs, (one, other) => one.startMicros - other.startMicros);
  const rowEnds: number[] = [];
  const bars: Bar[] = [];
  yield* paused(sorted, (run) => {
    let row = rowEnds.findIndex((end) => end <= run.startMicros);
    if (row < 0) row = Math.min(rowEnds.length, MOST_ROWS - 1);
    rowEnds[row] = Math.max(rowEnds[row] ?? 0, run.startMicros + run.durationMicros);
    bars.push({ ...run, row });
  });
  return { device, bars, rows: Math.max(1, rowEnds.length), busyMicros: unionMicros(sorted) };
}

/** Length of the union of intervals that are sorted by their start. */
function unionMicros(sorted: readonly NodeRun[]): number {
  let total = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { startMicros, durationMicros } of sorted) {
    const end = startMicros + durationMicros;
    total += Math.max(0, end - Math.max(reached, startMicros));
    reached = Math.max(reached, end);
  }
  return total;
}

/** Round distances between ticks, about `wanted` of them up to the end. */
export function tickMicros(endMicros: number, wanted: number): number {
  const rough = endMicros / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  return factor * power;
}

/** "12 ms" or "350 µs", depending on the distance between ticks, so all labels of an axis use one unit. */
export function tickText(micros: number, tick: number): string {
  if (tick < 100) return units.microseconds({ value: round(micros) });
  return tick < 1_000_000
    ? units.milliseconds({ value: round(micros / 1000) })
    : units.seconds({ value: round(micros / 1_000_000) });
}

function round(value: number): string {
  return String(Number(value.toFixed(3)));
}
