/**
 * Layouts by what they are of but for its names: the blocks of a network that repeat are laid out once, and what an edit
 * leaves as it is, not again. Pure.
 */
import { BOUNDARY, type CellEdge, type CellEnd, type CellGraph, type CellLayout } from "./cells.js";

/** A graph with numbers in place of names, and what they stand for. */
export interface Unnamed {
  readonly graph: CellGraph;
  /** Equal for graphs that differ in names only. */
  readonly key: string;
  /** The layout of the unnamed graph, with the names. */
  named(layout: CellLayout): CellLayout;
}

/** @param named the names of ports need only be different on each side of a cell */
export function unnamed(named: CellGraph): Unnamed {
  const cells = new Map(named.cells.map(({ id }, index) => [id, String(index)]));
  const [entries, exits] = [new Numbers(), new Numbers()];
  const inputs = new Map<string, Numbers>();
  const outputs = new Map<string, Numbers>();
  for (const cell of named.cells) {
    inputs.set(cell.id, new Numbers(cell.inputs.map(({ id }) => id)));
    outputs.set(cell.id, new Numbers(cell.outputs.map(({ id }) => id)));
  }
  const end = ({ cell, port }: CellEnd, boundary: Numbers, ports: ReadonlyMap<string, Numbers>): CellEnd =>
    cell === BOUNDARY
      ? { cell, port: boundary.of(port) }
      : { cell: cells.get(cell) ?? "", port: ports.get(cell)?.of(port) ?? "" };
  const graph: CellGraph = {
    cells: named.cells.map((cell, index) => ({
      ...cell,
      id: String(index),
      inputs: cell.inputs.map(({ y }, port) => ({ id: String(port), y })),
      outputs: cell.outputs.map(({ y }, port) => ({ id: String(port), y })),
    })),
    edges: named.edges.map(
      ({ from, to }, index): CellEdge => ({
        id: String(index),
        from: end(from, entries, outputs),
        to: end(to, exits, inputs),
      }),
    ),
    aspect: named.aspect,
  };
  return {
    graph,
    key: JSON.stringify(graph),
    named: ({ width, height, places, routes, ...layout }) => ({
      ...{ width, height },
      places: renamed(places, (number) => named.cells[number]?.id),
      routes: renamed(routes, (number) => named.edges[number]?.id),
      entries: renamed(layout.entries, (number) => entries.names[number]),
      exits: renamed(layout.exits, (number) => exits.names[number]),
    }),
  };
}

/** Names in the order in which they are first asked for. */
class Numbers {
  readonly #known = new Map<string, string>();
  readonly names: string[] = [];

  constructor(names: readonly string[] = []) {
    for (const name of names) this.of(name);
  }

  of(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const number = String(this.names.length);
    this.#known.set(name, number);
    this.names.push(name);
    return number;
  }
}

function renamed<T>(
  byNumber: ReadonlyMap<string, T>,
  nameOf: (number: number) => string | undefined,
): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const [number, value] of byNumber) {
    const name = nameOf(Number(number));
    if (name !== undefined) byName.set(name, value);
  }
  return byName;
}

/** Places and corners that are kept; the layouts that were used last. */
const MOST_KEPT = 100_000;

/** Layouts of graphs without names, by their keys. */
export class LayoutMemory {
  readonly #layouts = new Map<string, CellLayout>();
  #size = 0;

  get(key: string): CellLayout | undefined {
    const layout = this.#layouts.get(key);
    if (layout === undefined) return undefined;
    // The last is the one that was used last.
    this.#layouts.delete(key);
    this.#layouts.set(key, layout);
    return layout;
  }

  set(key: string, layout: CellLayout): void {
    this.#layouts.set(key, layout);
    this.#size += sizeOf(layout);
    for (const [oldest, old] of this.#layouts) {
      if (this.#size <= MOST_KEPT || oldest === key) break;
      this.#layouts.delete(oldest);
      this.#size -= sizeOf(old);
    }
  }
}

function sizeOf({ places, routes }: CellLayout): number {
  return places.size + routes.size;
}
