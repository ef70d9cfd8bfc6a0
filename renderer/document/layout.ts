/**
 * A layered layout: a node stands right of everything it depends on, columns are ordered to keep edges short, and rows
 * are moved towards their neighbours. Linear in the size of the graph but for the sorting of each column.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { closesLoop } from "../../worker-runtime/graph/structural-ops.js";
import type { Point } from "./model.js";
import { nodeWidth, roughHeight } from "./node-size.js";
import { type Edge, slicedWiring, wiringOf } from "./wiring.js";

export const COLUMN_GAP = 112;
export const ROW_GAP = 32;
const ORIGIN: Point = { x: 48, y: 64 };
/** Sweeps over the columns, alternately forwards and backwards. More hardly changes the result. */
const SWEEPS = 6;
/** Nodes in one column before it is broken into several, so that a wide graph stays readable. */
const MAX_COLUMN = 40;

/** Positions of all nodes. Those in `fixed` stay; the others are laid out and, if any are fixed, set below them. */
export function layeredLayout(
  nodes: ReadonlyMap<string, NodeDef>,
  fixed?: ReadonlyMap<string, Point>,
): Map<string, Point> {
  return atOnce(slicedLayeredLayout(nodes, fixed));
}

/** As `layeredLayout`, in slices. */
export function* slicedLayeredLayout(
  nodes: ReadonlyMap<string, NodeDef>,
  fixed: ReadonlyMap<string, Point> = new Map(),
): Sliced<Map<string, Point>> {
  const free = new Map([...nodes].filter(([name]) => !fixed.has(name)));
  yield* slicedWiring(free);
  const columns = breakLong(yield* orderColumns(free, yield* layersOf(free)));
  const placed = yield* placeColumns(free, columns);
  if (fixed.size === 0) return placed;
  const bottom = Math.max(
    ...[...fixed].map(([name, { y }]) => {
      const node = nodes.get(name);
      return y + (node ? roughHeight(node) : 0);
    }),
  );
  const left = Math.min(...[...fixed.values()].map(({ x }) => x));
  const result = new Map(fixed);
  for (const [name, { x, y }] of placed) {
    result.set(name, { x: x - ORIGIN.x + left, y: y - ORIGIN.y + bottom + ROW_GAP * 2 });
  }
  return result;
}

/** Length of the longest path to each node. Edges that close a circle (loops of TensorFlow 1) do not count. */
function* layersOf(nodes: ReadonlyMap<string, NodeDef>): Sliced<Map<string, number>> {
  const wiring = wiringOf(nodes);
  const layer = new Map<string, number>();
  const onPath = new Set<string>();
  for (const start of nodes.keys()) {
    if (layer.size % STEPS_AT_ONCE === 0) yield;
    const stack: { name: string; next: number }[] = layer.has(start) ? [] : [{ name: start, next: 0 }];
    onPath.add(start);
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const incoming = wiring.incoming.get(frame.name) ?? [];
      const edge = incoming[frame.next];
      if (edge) {
        frame.next++;
        if (layer.has(edge.from) || onPath.has(edge.from) || goesRound(nodes, edge)) continue;
        onPath.add(edge.from);
        stack.push({ name: edge.from, next: 0 });
        continue;
      }
      let depth = 0;
      for (const edge of incoming) {
        if (!goesRound(nodes, edge)) depth = Math.max(depth, (layer.get(edge.from) ?? -1) + 1);
      }
      layer.set(frame.name, depth);
      onPath.delete(frame.name);
      stack.pop();
    }
  }
  pullSources(nodes, layer);
  return layer;
}

/** The edge that leads back to the start of a loop of TensorFlow 1. */
function goesRound(nodes: ReadonlyMap<string, NodeDef>, { from, to }: Edge): boolean {
  return closesLoop(nodes.get(from)?.op ?? "", nodes.get(to)?.op ?? "");
}

/**
 * Constants, placeholders and variables, and nodes computed from constants and variables only, are just left of what
 * first uses them, not all in the first columns.
 */
function pullSources(nodes: ReadonlyMap<string, NodeDef>, layer: Map<string, number>): void {
  const wiring = wiringOf(nodes);
  const steady = new Set<string>();
  const names = [...nodes.keys()].sort((one, other) => (layer.get(one) ?? 0) - (layer.get(other) ?? 0));
  for (const name of names) {
    const incoming = wiring.incoming.get(name) ?? [];
    if (incoming.every(({ from }) => steady.has(from) && nodes.get(from)?.op !== "Placeholder"))
      steady.add(name);
  }
  for (const name of names.reverse()) {
    const users = wiring.outgoing.get(name) ?? [];
    if (users.length === 0 || !steady.has(name)) continue;
    const first = users.reduce(
      (least, { to }) => Math.min(least, layer.get(to) ?? 0),
      Number.POSITIVE_INFINITY,
    );
    layer.set(name, Math.max(layer.get(name) ?? 0, first - 1));
  }
}

function* orderColumns(
  nodes: ReadonlyMap<string, NodeDef>,
  layer: ReadonlyMap<string, number>,
): Sliced<string[][]> {
  const wiring = wiringOf(nodes);
  const columns: string[][] = [];
  for (const [name, depth] of layer) {
    const column = columns[depth];
    if (column) column.push(name);
    else columns[depth] = [name];
  }
  const rank = new Map<string, number>();
  const number = (column: readonly string[]) => {
    column.forEach((name, index) => {
      rank.set(name, (index + 0.5) / column.length);
    });
  };
  for (let depth = 0; depth < columns.length; depth++) {
    const column = columns[depth] ?? [];
    columns[depth] = column;
    number(column);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forwards = sweep % 2 === 0;
    const order = forwards ? columns : columns.toReversed();
    for (const column of order) {
      yield;
      const weight = new Map<string, number>();
      for (const name of column) {
        const neighbours = forwards
          ? (wiring.incoming.get(name) ?? []).map((edge) => rank.get(edge.from) ?? 0)
          : (wiring.outgoing.get(name) ?? []).map((edge) => rank.get(edge.to) ?? 0);
        weight.set(name, neighbours.length > 0 ? mean(neighbours) : (rank.get(name) ?? 0));
      }
      column.sort((one, other) => (weight.get(one) ?? 0) - (weight.get(other) ?? 0));
      number(column);
    }
  }
  return columns;
}

function breakLong(columns: readonly string[][]): string[][] {
  return columns.flatMap((column) => {
    if (column.length <= MAX_COLUMN) return [column];
    const parts = Math.ceil(column.length / MAX_COLUMN);
    const size = Math.ceil(column.length / parts);
    return Array.from({ length: parts }, (_, part) => column.slice(part * size, (part + 1) * size));
  });
}

function* placeColumns(
  nodes: ReadonlyMap<string, NodeDef>,
  columns: readonly (readonly string[])[],
): Sliced<Map<string, Point>> {
  const wiring = wiringOf(nodes);
  const positions = new Map<string, Point>();
  const middle = new Map<string, number>();
  let x = ORIGIN.x;
  for (const column of columns) {
    yield;
    let width = 0;
    let y = ORIGIN.y;
    const rows: { name: string; top: number; height: number }[] = [];
    const shifts: number[] = [];
    for (const name of column) {
      const node = nodes.get(name);
      if (!node) continue;
      width = Math.max(width, nodeWidth(name, node.op));
      const height = roughHeight(node);
      const before = (wiring.incoming.get(name) ?? []).flatMap(({ from }) => middle.get(from) ?? []);
      // At the mean position of its inputs, but never over the node above it.
      const wanted = before.length > 0 ? mean(before) - height / 2 : undefined;
      const top = wanted === undefined || rows.length === 0 ? (wanted ?? y) : Math.max(y, wanted);
      if (wanted !== undefined) shifts.push(wanted - top);
      rows.push({ name, top, height });
      y = top + height + ROW_GAP;
    }
    // Nodes pushed down make way to both sides.
    const shift = shifts.length > 0 ? mean(shifts) : 0;
    for (const { name, top, height } of rows) {
      const snapped = Math.round((top + shift) / 4) * 4;
      positions.set(name, { x, y: snapped });
      middle.set(name, snapped + height / 2);
    }
    x += width + COLUMN_GAP;
  }
  return raised(positions);
}

/** Moves everything so that the highest node is at the origin. */
function raised(positions: ReadonlyMap<string, Point>): Map<string, Point> {
  const top = Math.min(...[...positions.values()].map(({ y }) => y));
  return new Map([...positions].map(([name, { x, y }]) => [name, { x, y: y - top + ORIGIN.y }]));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
