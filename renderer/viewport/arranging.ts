/** Keeps what the canvas shows arranged: computes layouts as scopes open and close and as the graph changes. */
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import {
  adoptHierarchy,
  isArranged,
  PATCHED_FROM,
  readyHierarchy,
  slicedHierarchy,
} from "../document/arrangement.js";
import { inSlices } from "../document/in-slices.js";
import {
  BOX_HEIGHT,
  BOX_PORT_Y,
  CONTROL_PORT_Y,
  frameTitleWidth,
  NODE_MIN_WIDTH,
  portY,
} from "../document/node-size.js";
import { AllBut } from "../document/open-scopes.js";
import type { Scope } from "../document/scope-tree.js";
import type { VisibleEdge } from "../document/visible-edges.js";
import {
  ENOUGH_NAMES,
  type Openness,
  smallestClosed,
  type VisibleGraph,
  type VisibleItem,
} from "../document/visible-graph.js";
import { wiringOf } from "../document/wiring.js";
import { type Arrangement, arrange } from "../layout/arrange.js";
import type { Cell, CellPort, LayoutEngine } from "../layout/cells.js";
import { elkEngine } from "../layout/elk-engine.js";
import { gridEngine } from "../layout/grid.js";
import { LayoutMemory } from "../layout/same-layouts.js";
import { activeGraph, type DocumentSession, inSession, recordPerGraph } from "../stores/document-session.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import {
  followDocument,
  type GraphViewStore,
  NOT_ARRANGED,
  useGraphView,
} from "../stores/graph-view-store.js";
import { areSame } from "../stores/keep-equal.js";
import { useOps } from "../stores/ops-store.js";
import { nextTask } from "../ui/next-task.js";
import { nodeSize, usedOutputs } from "./graph-map.js";
import { portsOf } from "./ports.js";
import {
  boxSize,
  drawnTitle,
  showVisible,
  slicedMapOfVisible,
  slicedVisibleOf,
  visibleNow,
  visibleOf,
} from "./shown-graph.js";

/** In a worker of the window's own files, as its content security policy demands. */
const inWorker = elkEngine(
  () => new Worker(new URL("../layout/elk-worker.ts", import.meta.url), { type: "module" }),
);

/** Called when a graph is going to be arranged. */
export function prepareArranging(): void {
  inWorker.prepare();
}

interface Work {
  /** The input of the newest layout. */
  of: readonly unknown[];
  abort: AbortController | undefined;
  memory: LayoutMemory;
  generation: number | undefined;
}

const workOf = recordPerGraph(
  (): Work => ({ of: [], abort: undefined, memory: new LayoutMemory(), generation: undefined }),
);

/** Called when a layout is about to be shown and when it is shown, so that the view can follow. */
export interface ArrangingHooks {
  /** Returns what is to be done once it is drawn. */
  beforeShow(): () => void;
  /** Size in pixels of the part of the canvas that the graph is to fill. */
  size(): { readonly width: number; readonly height: number };
  onError(error: unknown): void;
}

/** Follows the open document until the returned function is called. */
export function keepArranged(hooks: ArrangingHooks, engine: LayoutEngine = inWorker): () => void {
  const check = () => follow(hooks, engine);
  const stops = [useGraph.subscribe(check), useGraphView.subscribe(check), useOps.subscribe(check)];
  check();
  return () => {
    for (const stop of stops) stop();
  };
}

/** Shows the graph in rows instead of waiting for the layout. */
export function cancelArranging(): void {
  workOf().abort?.abort(new ArrangingCancelled());
}

class ArrangingCancelled extends Error {}

function follow(hooks: ArrangingHooks, engine: LayoutEngine): void {
  followDocument();
  const { document, generation } = useGraph.getState();
  const work = workOf();
  const { openness } = useGraphView.getState();
  const arranged = isArranged(document);
  const isLarge = document.nodes.size >= PATCHED_FROM;
  // After each edit, as what is drawn of a large graph follows from what was drawn before it.
  visibleNow();
  if (!arranged && isLarge) readyHierarchy(document.nodes, openness.weights);
  const of = [wiringOf(document.nodes), openness, arranged && useOps.getState().ops, generation];
  if (areSame(of, work.of)) return;
  work.of = of;
  work.abort?.abort();
  work.abort = undefined;
  if (work.generation !== generation) {
    work.generation = generation;
    work.memory = new LayoutMemory();
  }
  const { shown, arranging } = useGraphView.getState();
  if (!arranged && arranging) useGraphView.setState({ arranging: false });
  if (!arranged && shown?.openness === openness && !isLarge) return;
  const abort = new AbortController();
  work.abort = abort;
  if (!arranged) void draw(activeGraph(), abort.signal, hooks);
  else void compute(activeGraph(), abort.signal, work.memory, hooks, engine);
}

/** Shows what is open of a graph whose nodes have positions, and finds the scopes of a large one. */
async function draw(session: DocumentSession, signal: AbortSignal, hooks: ArrangingHooks): Promise<void> {
  const { nodes } = useGraph.getState().document;
  const { openness, shown } = useGraphView.getState();
  await nextTask();
  try {
    await found(nodes, openness, signal);
  } catch (error) {
    if (!signal.aborted) hooks.onError(error);
    return;
  }
  inSession(session, () => {
    if (shown?.openness === openness) return;
    const after = hooks.beforeShow();
    useGraphView.setState({ shown: { openness, arrangement: NOT_ARRANGED }, next: undefined });
    after();
  });
}

/** Looks for the scopes of a graph and what is drawn of them in slices; `visibleOf` answers with it then. */
async function found(
  nodes: Parameters<typeof visibleOf>[0],
  openness: Openness,
  signal: AbortSignal,
): Promise<void> {
  const { scopes, weights } = openness;
  if (scopes instanceof AllBut && scopes.closed.size === 0) {
    const hierarchy = await inSlices(slicedHierarchy(nodes, weights), { pause: nextTask, signal });
    adoptHierarchy(nodes, weights, hierarchy);
  } else {
    const visible = await inSlices(slicedVisibleOf(nodes, openness), { pause: nextTask, signal });
    showVisible(nodes, openness, visible);
  }
}

async function compute(
  session: DocumentSession,
  signal: AbortSignal,
  memory: LayoutMemory,
  hooks: ArrangingHooks,
  engine: LayoutEngine,
): Promise<void> {
  const { nodes } = useGraph.getState().document;
  const { openness: wanted, shown } = useGraphView.getState();
  useGraphView.setState({ arranging: true });
  // Its cause is shown first.
  await nextTask();
  const size = hooks.size();
  const options = {
    ...{
      cellOf: cellsOf(nodes),
      portsOf: portIds,
      titleWidth: titleWidthOf,
      aspect: size.width / size.height,
    },
    pause: nextTask,
  };
  const arranged = async (openness: Openness): Promise<Arranged> => {
    const visible = await inSlices(slicedVisibleOf(nodes, openness), { pause: nextTask, signal });
    const arrangement = await arrange(visible, { ...options, engine, memory, signal });
    return { visible, shown: { openness, arrangement } };
  };
  let show: Arranged;
  try {
    show = await arranged(wanted);
    const fits = (one: Arranged) => fittingZoom(one.shown.arrangement, size) >= LEAST_FIRST_ZOOM;
    if (!shown && !fits(show)) show = await reduced(show, arranged, fits);
    await inSlices(readyMap(session, show), { pause: nextTask, signal });
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof ArrangingCancelled)) return;
    if (!signal.aborted) hooks.onError(error);
    const inTime = new AbortController().signal;
    const inRows = { ...options, engine: gridEngine, memory: new LayoutMemory(), signal: inTime };
    const visible = visibleOf(nodes, wanted);
    show = { visible, shown: { openness: wanted, arrangement: await arrange(visible, inRows) } };
  }
  inSession(session, () => {
    const after = hooks.beforeShow();
    const { openness } = show.shown;
    const work = workOf();
    // The shown scopes are the wanted ones from now on; this must not begin another layout.
    work.of = work.of.map((part) => (part === wanted ? openness : part));
    showVisible(nodes, openness, show.visible);
    useGraphView.setState({ openness, shown: show.shown, arranging: false, next: undefined });
    after();
  });
}

/** Where everything is drawn, unless that changes before it is shown. */
function readyMap(session: DocumentSession, { visible, shown }: Arranged): Sliced<void> {
  const { document } = useGraph.of(session).getState();
  const { moved } = useGraphView.of(session).getState();
  return slicedMapOfVisible(visible, shown.arrangement, document, moved);
}

interface Arranged {
  readonly visible: VisibleGraph;
  readonly shown: NonNullable<GraphViewStore["shown"]>;
}

/** Smaller scopes that are tried in place of those that do not fit. */
const MOST_TRIED = 6;

/**
 * The first view of a graph with too much open: no more is open than can be read when all of it is in view. In place
 * of a large scope smaller ones are opened, until there is enough to be read.
 */
async function reduced(
  first: Arranged,
  arranged: (openness: Openness) => Promise<Arranged>,
  fits: (one: Arranged) => boolean,
): Promise<Arranged> {
  const { openness } = first.shown;
  const dropped = new Set<string>();
  const open = openness.scopes instanceof AllBut ? [] : [...openness.scopes];
  let result = first;
  while (open.length > 0 && !fits(result)) {
    dropped.add(open.pop() ?? "");
    result = await arranged({ ...openness, scopes: new Set(open) });
  }
  for (const { id } of smallestClosed(result.visible).slice(0, MOST_TRIED)) {
    if (result.visible.items.length >= ENOUGH_NAMES) break;
    if (dropped.has(id)) continue;
    const wider = await arranged({ ...openness, scopes: new Set([...open, id]) });
    if (!fits(wider)) continue;
    open.push(id);
    result = wider;
  }
  return result;
}

/** Below this zoom too few names can be read. */
const LEAST_FIRST_ZOOM = 0.48;

/** The zoom at which all of an arrangement is in view. */
function fittingZoom(
  { places, frames }: Arrangement,
  { width, height }: { readonly width: number; readonly height: number },
): number {
  let [right, bottom] = [1, 1];
  for (const [id, { x, y }] of places) {
    const size = frames.get(id) ?? { width: NODE_MIN_WIDTH, height: BOX_HEIGHT };
    right = Math.max(right, x + size.width);
    bottom = Math.max(bottom, y + size.height);
  }
  return Math.min(width / right, height / bottom);
}

/** The nodes and boxes of a graph for a layout. */
function cellsOf(nodes: Parameters<typeof visibleOf>[0]): (item: VisibleItem) => Cell {
  const { outgoing } = wiringOf(nodes);
  return (item) => {
    const node = item.kind === "node" ? nodes.get(item.id) : undefined;
    if (item.kind !== "node") {
      const port = [{ id: BOX_PORT_ID, y: BOX_PORT_Y }];
      return { id: item.id, ...boxSize(item.scope), inputs: port, outputs: port };
    }
    if (!node) return { id: item.id, width: 0, height: 0, inputs: [], outputs: [] };
    const { inputs, outputs } = portsOf(node, lookupOp, usedOutputs(outgoing.get(item.id)));
    const control: CellPort = { id: CONTROL_ID, y: CONTROL_PORT_Y };
    const data = (_: unknown, index: number): CellPort => ({ id: String(index), y: portY(index) });
    return {
      id: item.id,
      ...nodeSize(node, drawnTitle(item.scope, node), lookupOp, outgoing.get(item.id)),
      inputs: [control, ...inputs.map(data)],
      outputs: [control, ...outputs.map(data)],
    };
  };
}

function titleWidthOf({ label }: Scope): number {
  return frameTitleWidth(label);
}

const BOX_PORT_ID = "box";
const CONTROL_ID = "control";

function portIds({ from, output, to, input }: VisibleEdge): { output: string; input: string } {
  const isBox = (id: string) => id.includes(":");
  return {
    output: isBox(from) ? BOX_PORT_ID : output < 0 ? CONTROL_ID : String(output),
    input: isBox(to) ? BOX_PORT_ID : output < 0 ? CONTROL_ID : String(input),
  };
}
