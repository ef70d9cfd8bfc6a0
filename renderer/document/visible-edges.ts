/** The edges between what is drawn: those of what is in a box are bundled, one per pair of ends. Pure. */
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import type { Edge, Rewiring } from "./wiring.js";

/**
 * An edge of the drawing: from an output to an input, or to or from a box, which has one of each. Its output is -1 where it
 * ends at the control port of a node.
 */
export interface VisibleEdge extends Edge {
  /** The edges that it stands for; at least one. */
  readonly wires: readonly Edge[];
}

/** By id. */
export type VisibleEdges = ReadonlyMap<string, VisibleEdge>;

/** The node or the box that shows a node of the graph; undefined for one that is not drawn. */
export type ShownAs = (name: string) => string | undefined;

/** The output and input of a box. */
const BOX_PORT = 0;

/** In the order of the wires. */
export function* bundled(wires: readonly Edge[], shownAs: ShownAs): Sliced<VisibleEdges> {
  const bundles = new Map<string, Edge & { readonly wires: Edge[] }>();
  yield* paused(wires, (wire) => {
    const end = drawnEnds(wire, shownAs);
    if (!end) return;
    const known = bundles.get(end.id);
    if (known) known.wires.push(wire);
    else bundles.set(end.id, { ...end, wires: [wire] });
  });
  return bundles;
}

/**
 * The edges after an edit, new ones at the end. What shows a node must be the same before and after it, except for nodes
 * that came or went.
 */
export function rebundled(
  edges: VisibleEdges,
  { went, came }: Pick<Rewiring, "went" | "came">,
  before: ShownAs,
  after: ShownAs,
): VisibleEdges {
  const changed = new Map(edges);
  const gone = new Set(went.map(({ id }) => id));
  for (const wire of went) {
    const id = drawnEnds(wire, before)?.id ?? "";
    const edge = changed.get(id);
    if (!edge) continue;
    const wires = edge.wires.filter((one) => !gone.has(one.id));
    if (wires.length > 0) changed.set(id, { ...edge, wires });
    else changed.delete(id);
  }
  for (const wire of came) {
    const end = drawnEnds(wire, after);
    if (end) changed.set(end.id, { ...end, wires: [...(changed.get(end.id)?.wires ?? []), wire] });
  }
  return changed;
}

/** The edge that shows a wire; undefined for one that is not drawn, or that is inside a box. */
function drawnEnds(wire: Edge, shownAs: ShownAs): Edge | undefined {
  const from = shownAs(wire.from);
  const to = from === undefined ? undefined : shownAs(wire.to);
  if (from === undefined || to === undefined) return undefined;
  const fromNode = from === wire.from;
  const toNode = to === wire.to;
  if (fromNode && toNode) return wire;
  if (from === to) return undefined;
  // Between boxes a control edge is one of the bundle; at a node it has a port of its own.
  const output = fromNode || (toNode && wire.output < 0) ? wire.output : BOX_PORT;
  const input = toNode ? wire.input : BOX_PORT;
  const id = `${from} ${output}>${to} ${output < 0 ? "control" : input}`;
  return { id, from, output, to, input };
}
