/**
 * Places what is drawn of a graph: every open scope is laid out by itself, the inner ones first, and is a cell of the one
 * around it. Routes of edges are joined where they cross the sides of scopes.
 */
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { inSlices, type Yield } from "../document/in-slices.js";
import type { Point } from "../document/model.js";
import { chainFrom, isRoot, type Scope, type ScopeTree } from "../document/scope-tree.js";
import type { VisibleEdge } from "../document/visible-edges.js";
import type { VisibleGraph, VisibleItem } from "../document/visible-graph.js";
import {
  BOUNDARY,
  type Cell,
  type CellEdge,
  type CellEnd,
  type CellGraph,
  type CellLayout,
  type LayoutEngine,
} from "./cells.js";
import { type LayoutMemory, unnamed } from "./same-layouts.js";

export interface Arrangement {
  /** Top left corners of nodes, boxes and frames. */
  readonly places: ReadonlyMap<string, Point>;
  /** Sizes of frames. */
  readonly frames: ReadonlyMap<string, { readonly width: number; readonly height: number }>;
  /** Corners of edges from end to end. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
  /** Where the contents of each open scope begin, by its id. */
  readonly origins: ReadonlyMap<string, Point>;
}

export interface ArrangeOptions {
  readonly engine: LayoutEngine;
  /** Size and ports of a node or a box. */
  readonly cellOf: (item: VisibleItem) => Cell;
  /** Ids of the ports where an edge begins and ends. */
  readonly portsOf: (edge: VisibleEdge) => { readonly output: string; readonly input: string };
  /** Width divided by height of the window. */
  readonly aspect: number;
  /** The least width of the frame of an open scope, so that its title fits. */
  readonly titleWidth: (scope: Scope) => number;
  /** Earlier layouts are taken from here. */
  readonly memory: LayoutMemory;
  readonly signal: AbortSignal;
  /** Waits between slices of what is not computed by the engine. */
  readonly pause: Yield;
}

/** Inside of a frame: its title above, and space for edges on both sides. */
export const FRAME_TOP = 40;
const FRAME_SIDE = 20;
const FRAME_BOTTOM = 16;
/** Contents of a frame run in longer rows than the whole, so that frames stay flat; those of the main one do not. */
const FRAME_ASPECT = 1.8;

/** Rejects with the reason of the signal when it is aborted. */
export async function arrange(graph: VisibleGraph, options: ArrangeOptions): Promise<Arrangement> {
  const { pause, signal } = options;
  const levels = await inSlices(slicedLevels(graph, options), { pause, signal });
  const layouts = new Map<Scope, CellLayout>();
  // Inner scopes come after outer ones in the list of items.
  for (const level of [...levels.values()].reverse()) {
    layouts.set(level.scope, await layOut(level, graph.hierarchy.tree, layouts, options));
  }
  return inSlices(slicedJoin(graph, levels, layouts, options), { pause, signal });
}

/** One open scope, the whole graph among them. */
interface Level {
  readonly scope: Scope;
  readonly items: VisibleItem[];
  /** By a key of the ends, because edges of one end share their way through a side. */
  readonly edges: Map<string, CellEdge>;
}

function* slicedLevels(graph: VisibleGraph, { portsOf }: ArrangeOptions): Sliced<Map<Scope, Level>> {
  const { root } = graph.hierarchy.tree;
  const levels = new Map<Scope, Level>([[root, { scope: root, items: [], edges: new Map() }]]);
  yield* paused(graph.items, (item) => {
    if (item.kind === "frame") levels.set(item.scope, { scope: item.scope, items: [], edges: new Map() });
    levels.get(scopeAround(item, graph))?.items.push(item);
  });
  const chains = yield* slicedChains(graph);
  yield* paused(graph.edges.values(), (edge) => {
    for (const { level, cellEdge } of segments(edge, chains, levels, portsOf(edge))) {
      level.edges.set(cellEdge.id, cellEdge);
    }
  });
  return levels;
}

function scopeAround(item: VisibleItem, { hierarchy: { tree } }: VisibleGraph): Scope {
  return item.kind === "node" ? item.scope : (tree.byId.get(item.scope.parent ?? "") ?? tree.root);
}

/** The scopes around each item, from the innermost on. */
type Chains = ReadonlyMap<string, readonly Scope[]>;

function* slicedChains(graph: VisibleGraph): Sliced<Chains> {
  const { tree } = graph.hierarchy;
  const known = new Map<Scope, readonly Scope[]>();
  const chains = new Map<string, readonly Scope[]>();
  yield* paused(graph.items, (item) => {
    const scope = scopeAround(item, graph);
    const chain = known.get(scope) ?? chainFrom(tree, scope);
    known.set(scope, chain);
    chains.set(item.id, chain);
  });
  return chains;
}

/** An edge as its way out of the scopes around its source, across, and into those around its target. */
function segments(
  { from, to }: VisibleEdge,
  chains: Chains,
  levels: ReadonlyMap<Scope, Level>,
  ports: { readonly output: string; readonly input: string },
): { level: Level; cellEdge: CellEdge }[] {
  const outwards = chains.get(from) ?? [];
  const inwards = chains.get(to) ?? [];
  const common = outwards.find((scope) => inwards.includes(scope));
  const way: { scope: Scope; from: CellEnd; to: CellEnd }[] = [];
  // Edges of one output leave and enter scopes at one place.
  const shared = `${from} ${ports.output}`;
  let end: CellEnd = { cell: from, port: ports.output };
  for (const scope of outwards) {
    if (scope === common) break;
    way.push({ scope, from: end, to: { cell: BOUNDARY, port: shared } });
    end = { cell: scope.id, port: shared };
  }
  const inner = inwards.slice(0, common === undefined ? 0 : inwards.indexOf(common)).reverse();
  let scope = common;
  for (const next of inner) {
    if (scope) way.push({ scope, from: end, to: { cell: next.id, port: shared } });
    end = { cell: BOUNDARY, port: shared };
    scope = next;
  }
  if (scope) way.push({ scope, from: end, to: { cell: to, port: ports.input } });
  return way.flatMap(({ scope: at, from: start, to: stop }) => {
    const level = levels.get(at);
    const id = `${start.cell} ${start.port}>${stop.cell} ${stop.port}`;
    return level ? [{ level, cellEdge: { id, from: start, to: stop } }] : [];
  });
}

async function layOut(
  { scope, items, edges }: Level,
  tree: ScopeTree,
  layouts: ReadonlyMap<Scope, CellLayout>,
  { engine, cellOf, titleWidth, aspect, memory, signal }: ArrangeOptions,
): Promise<CellLayout> {
  const cells = items.map((item): Cell => {
    const inner = item.kind === "frame" ? layouts.get(item.scope) : undefined;
    return inner ? frameCell(item, inner, titleWidth) : cellOf(item);
  });
  const graph: CellGraph = {
    cells,
    edges: [...edges.values()],
    aspect: isMain(scope, tree) ? aspect : FRAME_ASPECT,
  };
  const { graph: ofNumbers, key, named } = unnamed(graph);
  const known = memory.get(key);
  if (known) return named(known);
  const layout = await engine.layout(ofNumbers, signal);
  memory.set(key, layout);
  return named(layout);
}

/** Whether a scope is the whole graph, or nearly so. */
function isMain(scope: Scope, { root }: ScopeTree): boolean {
  return isRoot(scope) || scope.size * 4 > root.size * 3;
}

function frameCell(
  { id, scope }: Pick<VisibleItem, "id" | "scope">,
  { width, height, entries, exits }: CellLayout,
  titleWidth: ArrangeOptions["titleWidth"],
): Cell {
  const port = ([key, y]: [string, number]) => ({ id: key, y: y + FRAME_TOP });
  return {
    id,
    width: Math.max(titleWidth(scope), width + 2 * FRAME_SIDE),
    height: height + FRAME_TOP + FRAME_BOTTOM,
    inputs: [...entries].map(port),
    outputs: [...exits].map(port),
  };
}

function* slicedJoin(
  graph: VisibleGraph,
  levels: ReadonlyMap<Scope, Level>,
  layouts: ReadonlyMap<Scope, CellLayout>,
  { portsOf, titleWidth }: ArrangeOptions,
): Sliced<Arrangement> {
  const places = new Map<string, Point>();
  const frames = new Map<string, { width: number; height: number }>();
  const origins = new Map<string, Point>();
  for (const [scope, { items }] of levels) {
    const origin = origins.get(scope.id) ?? { x: 0, y: 0 };
    origins.set(scope.id, origin);
    const layout = layouts.get(scope);
    yield* paused(items, (item) => {
      const { x, y } = layout?.places.get(item.id) ?? { x: 0, y: 0 };
      const place = { x: Math.round(origin.x + x), y: Math.round(origin.y + y) };
      places.set(item.id, place);
      const inner = item.kind === "frame" ? layouts.get(item.scope) : undefined;
      if (!inner) return;
      const { width, height } = frameCell(item, inner, titleWidth);
      frames.set(item.id, { width, height });
      origins.set(item.scope.id, { x: place.x + FRAME_SIDE, y: place.y + FRAME_TOP });
    });
    yield;
  }
  const chains = yield* slicedChains(graph);
  const routes = new Map<string, readonly Point[]>();
  yield* paused(graph.edges.values(), (edge) => {
    const corners: Point[] = [];
    for (const { level, cellEdge } of segments(edge, chains, levels, portsOf(edge))) {
      const origin = origins.get(level.scope.id) ?? { x: 0, y: 0 };
      const route = layouts.get(level.scope)?.routes.get(cellEdge.id) ?? [];
      for (const { x, y } of route) corners.push({ x: origin.x + x, y: origin.y + y });
    }
    if (corners.length > 1) routes.set(edge.id, corners);
  });
  return { places, frames, routes, origins };
}
