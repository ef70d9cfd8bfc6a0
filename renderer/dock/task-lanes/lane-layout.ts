/** Where the items of a graph lie in lanes: a lane per task, from left to right in the order of execution. Pure. */

/** An item in a lane: a node, or the part of a closed scope that is on the lane's task. */
export interface LaneItem {
  /** The item of the canvas. */
  readonly id: string;
  readonly label: string;
  readonly names: readonly string[];
  /** Its part of the item's nodes is smaller than the whole. */
  readonly isPart: boolean;
}

export interface PlacedItem extends LaneItem {
  readonly lane: number;
  readonly column: number;
  /** Below others of its lane and column. */
  readonly row: number;
}

export interface LaneLayout {
  readonly items: readonly PlacedItem[];
  readonly columns: number;
  /** Rows of each lane, at least 1. */
  readonly rows: readonly number[];
}

/** The items that the canvas draws, without frames. */
export interface LaneGraph {
  readonly items: readonly {
    readonly id: string;
    readonly label: string;
    readonly names: readonly string[];
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** @param laneOf the lane of a node, below `lanes` */
export function layLanes(
  { items, edges }: LaneGraph,
  lanes: number,
  laneOf: (node: string) => number,
): LaneLayout {
  const columnOf = columnsOf(items, edges);
  const filled = Array.from({ length: lanes }, () => new Map<number, number>());
  const placed: PlacedItem[] = [];
  for (const { id, label, names } of items) {
    const byLane = new Map<number, string[]>();
    for (const name of names) {
      const lane = laneOf(name);
      const list = byLane.get(lane);
      if (list) list.push(name);
      else byLane.set(lane, [name]);
    }
    const column = columnOf.get(id) ?? 0;
    for (const [lane, part] of [...byLane].sort(([one], [other]) => one - other)) {
      const row = filled[lane]?.get(column) ?? 0;
      filled[lane]?.set(column, row + 1);
      placed.push({ id, label, names: part, isPart: byLane.size > 1, lane, column, row });
    }
  }
  return {
    items: placed.sort(
      (one, other) => one.lane - other.lane || one.column - other.column || one.row - other.row,
    ),
    columns: 1 + placed.reduce((most, { column }) => Math.max(most, column), 0),
    rows: filled.map((rows) => Math.max(1, ...rows.values())),
  };
}

/** The longest way to each item; items on a circle of closed scopes come after what leads into it. */
function columnsOf(items: LaneGraph["items"], edges: LaneGraph["edges"]): ReadonlyMap<string, number> {
  const ids = items.map(({ id }) => id);
  const known = new Set(ids);
  const readers = new Map<string, string[]>();
  const waiting = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const { from, to } of edges) {
    if (from === to || !known.has(from) || !known.has(to)) continue;
    const list = readers.get(from);
    if (list) list.push(to);
    else readers.set(from, [to]);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const columns = new Map<string, number>(ids.map((id) => [id, 0]));
  const open = ids.filter((id) => waiting.get(id) === 0);
  const done = new Set(open);
  for (let next = 0; next < ids.length; next++) {
    const id = open[next] ?? ids.find((one) => !done.has(one)) ?? "";
    if (next === open.length) {
      done.add(id);
      open.push(id);
    }
    for (const to of readers.get(id) ?? []) {
      if (done.has(to)) continue;
      columns.set(to, Math.max(columns.get(to) ?? 0, (columns.get(id) ?? 0) + 1));
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left > 0) continue;
      done.add(to);
      open.push(to);
    }
  }
  return columns;
}
