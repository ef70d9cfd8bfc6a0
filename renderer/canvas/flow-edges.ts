/** The document's edges in React Flow's form, with the results of a traced run. Pure. */
import type { Edge } from "@xyflow/react";
import type { Task } from "../../main/api/cluster.js";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { isArranged } from "../document/arrangement.js";
import { outputType } from "../document/follow-types.js";
import type { GraphDocument, Point } from "../document/model.js";
import type { ProblemMap } from "../document/problems.js";
import { type ShapeMap, shapeText } from "../document/shapes.js";
import type { OpLookup } from "../document/signature.js";
import { tensorName } from "../document/tensor-names.js";
import { type Edge as Wire, wiringOf } from "../document/wiring.js";
import { sentBetweenTasks } from "../stores/device-copies.js";
import type { PlacementPreview } from "../stores/placement-preview.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { bytesText } from "../ui/format.js";
import { crossingWidth } from "../viewport/edge-width.js";
import type { GraphMap, MapEdge } from "../viewport/graph-map.js";
import { microsText, nodeRunOf } from "../viewport/node-text.js";
import { transfersOf } from "../viewport/sent-tensors.js";
import { placeLabels, routeLabels } from "./edge-labels.js";

const words = texts.canvas.flowEdges;

/** Its name for a screen reader, in place of React Flow's own word. */
const AS_EDGE = { "aria-roledescription": words.edge };

export interface GraphEdgeData extends Record<string, unknown> {
  readonly wire: MapEdge;
  /** Corners that it is led through, from end to end; undefined: it is drawn as a curve. */
  readonly route: readonly Point[] | undefined;
  /** CSS colour of the sending task; undefined: the edge stays on one task. */
  readonly colour: string | undefined;
  /** In pixels at 100 % zoom. */
  readonly width: number;
  readonly control: boolean;
  /** "float32 [?,256]", if there is room for it. */
  readonly label: string | undefined;
  /** "98 kB · 1.1 ms" after a traced run; `short` is for edges without the room. */
  readonly badge: { readonly long: string; readonly short: string } | undefined;
  /** The change by a suggested placement: the edge no longer crosses tasks, or crosses them then. */
  readonly change: "stops" | "starts" | undefined;
  readonly problem: boolean;
  /** Tooltip of the edge. */
  readonly tip: string;
}
export type GraphFlowEdge = Edge<GraphEdgeData, "graph">;

export interface EdgeContext {
  readonly document: GraphDocument;
  readonly lookup: OpLookup;
  readonly shapes: ShapeMap;
  /** The nodes of the newest traced step. */
  readonly nodes: readonly NodeRun[];
  readonly transfers: readonly Transfer[];
  readonly taskForDevice: (device: string) => Task | undefined;
  readonly problems: ProblemMap;
  /** A suggested placement that is shown, with the bytes of tensors. */
  readonly preview?:
    | (PlacementPreview & { readonly bytesOf: (node: NodeDef, output: number) => number })
    | undefined;
  readonly selected: ReadonlySet<string>;
  /** The edges passed to React Flow; left out: all. */
  readonly shown?: readonly MapEdge[];
  /** By the ids of edges; see `GraphMap`. */
  readonly routes?: GraphMap["routes"];
  /** The point of the graph that is zero for React Flow. */
  readonly origin?: Point;
}

const PLAIN_WIDTH = 1.5;

export function flowEdges(context: EdgeContext, before: ReadonlyMap<string, GraphFlowEdge>): GraphFlowEdge[] {
  const { document, selected } = context;
  // Collected only if they are needed: after an edit of a large graph that takes long.
  const allEdges = () => wiringOf(document.nodes).edges;
  const labels = isArranged(document)
    ? undefined
    : placeLabels(document, allEdges(), (wire) => edgeLabel(wire, context));
  const badged = new Set<string>();
  const { routes, origin = { x: 0, y: 0 } } = context;
  const onRoutes = routeLabels();
  return (context.shown ?? allEdges()).map((wire) => {
    const route = routes?.get(wire.id)?.map(({ x, y }) => ({ x: x - origin.x, y: y - origin.y }));
    const label = route ? onRoutes(route, shapeLabel(wire, context)) : labels?.get(wire.id);
    const data = edgeData(wire, context, { label, route }, badged);
    const isSelected = selected.has(wire.id);
    const known = before.get(wire.id);
    if (known?.data && known.selected === isSelected && sameData(known.data, data)) return known;
    return {
      id: wire.id,
      type: "graph",
      source: wire.from,
      sourceHandle: wire.output < 0 ? "control-out" : `o${wire.output}`,
      target: wire.to,
      targetHandle: wire.output < 0 ? "control-in" : `i${wire.input}`,
      selected: isSelected,
      data,
      // Screen readers read the wiring in the list view; thousands of edges would only be noise here.
      focusable: false,
      ariaLabel: words.bundle({ from: wire.from, to: wire.to }),
      domAttributes: AS_EDGE,
    };
  });
}

function sameData(one: GraphEdgeData, other: GraphEdgeData): boolean {
  return (
    one.wire === other.wire &&
    sameRoute(one.route, other.route) &&
    one.colour === other.colour &&
    one.width === other.width &&
    one.label === other.label &&
    one.badge?.long === other.badge?.long &&
    one.change === other.change &&
    one.problem === other.problem &&
    one.tip === other.tip
  );
}

function sameRoute(one: GraphEdgeData["route"], other: GraphEdgeData["route"]): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.length === other.length &&
    one.every(({ x, y }, index) => x === other[index]?.x && y === other[index]?.y)
  );
}

/** The total transfer of a tensor to a task in a step; undefined if it is not known for every transfer. */
interface Sent {
  readonly bytes: number | undefined;
  readonly micros: number | undefined;
}

/** How an edge is drawn, depending on the tasks of its ends and on the traced transfers between them. */
interface Stroke extends Pick<GraphEdgeData, "colour" | "width" | "change"> {
  /** The tensor and the receiving task, if the edge crosses tasks. */
  readonly key: string | undefined;
  readonly sent: Sent | undefined;
}

function strokeOf(edge: MapEdge, context: EdgeContext): Stroke {
  if (!edge.wires) return strokeOfWire(edge, context);
  const strokes = edge.wires.map((wire) => strokeOfWire(wire, context));
  // A bundle is drawn as that of its edges that sends most.
  return strokes.reduce((widest, stroke) =>
    stroke.colour !== undefined && (widest.colour === undefined || stroke.width > widest.width)
      ? stroke
      : widest,
  );
}

const STAYS: Stroke = {
  ...{ colour: undefined, width: PLAIN_WIDTH, change: undefined, key: undefined, sent: undefined },
};

/** How an edge is drawn while a suggested placement is shown: by where its ends are now, or would be. */
function previewedStroke(
  wire: Wire,
  preview: NonNullable<EdgeContext["preview"]>,
  { document, taskForDevice }: EdgeContext,
): Stroke | undefined {
  const [from, to] = [preview.places.get(wire.from), preview.places.get(wire.to)];
  const node = document.nodes.get(wire.from);
  if (!from || !to || !node) return undefined;
  const [crosses, wouldCross] = [from.now !== to.now, from.after !== to.after];
  const isAfter = preview.shown === "after";
  const change = isAfter || crosses === wouldCross ? undefined : crosses ? "stops" : "starts";
  if (isAfter ? !wouldCross : !crosses && !wouldCross) return STAYS;
  const isThen = isAfter || !crosses;
  const receiver = isThen ? to.after : to.now;
  const bytes = wire.output < 0 ? undefined : preview.bytesOf(node, wire.output);
  return {
    colour: taskColourVar(taskForDevice(isThen ? from.after : from.now)),
    width: crossingWidth(bytes),
    change,
    // Another one than that of a transfer that was traced.
    key: bytes === undefined ? undefined : `${tensorName(wire.from, wire.output)} ${receiver} ${change}`,
    sent: bytes === undefined ? undefined : { bytes, micros: undefined },
  };
}

function strokeOfWire(wire: Wire, context: EdgeContext): Stroke {
  const { preview } = context;
  const previewed = preview && preview.shown !== "now" ? previewedStroke(wire, preview, context) : undefined;
  if (previewed) return previewed;
  const from = taskOf(wire.from, context);
  const to = taskOf(wire.to, context);
  const crosses = from !== undefined && to !== undefined && from.id !== to.id;
  if (!crosses) return STAYS;
  const tensor = wire.output >= 0 ? tensorName(wire.from, wire.output) : undefined;
  const key = tensor === undefined ? undefined : `${tensor} ${to.id}`;
  const sent = tensor === undefined ? undefined : sentTo(to, tensor, context);
  return {
    ...{ colour: taskColourVar(from), width: crossingWidth(sent?.bytes) },
    ...{ change: undefined, key, sent },
  };
}

/** Colours and widths alone, for edges that are too many to be elements of the page. */
export function edgeStrokes(
  context: EdgeContext,
): (wire: MapEdge) => Pick<GraphEdgeData, "colour" | "width"> {
  return (wire) => strokeOf(wire, context);
}

function edgeData(
  wire: MapEdge,
  context: EdgeContext,
  { label, route }: Pick<GraphEdgeData, "label" | "route">,
  badged: Set<string>,
): GraphEdgeData {
  const { colour, width, change, key, sent } = strokeOf(wire, context);
  // A tensor is sent to a task once, however many ops there read it.
  const first = sent !== undefined && key !== undefined && !badged.has(key);
  if (first) badged.add(key);
  return {
    wire,
    route,
    colour,
    width,
    control: wiresOf(wire).every(({ output }) => output < 0),
    label: first ? undefined : label,
    badge: first ? badgeOf(sent, change) : undefined,
    change,
    problem: hasProblem(wire, context.problems),
    tip: edgeTip(wire, context),
  };
}

/** The edges of the graph that an edge of the drawing stands for. */
export function wiresOf(edge: MapEdge): readonly Wire[] {
  return edge.wires ?? [edge];
}

/** Whether an input that an edge leads to cannot take what it carries. */
export function hasProblem(edge: MapEdge, problems: ProblemMap): boolean {
  return (
    problems.size > 0 &&
    wiresOf(edge).some((wire) => problems.get(wire.to)?.some(({ input }) => input === wire.input))
  );
}

/** Tensors that the tooltip of a bundle names. */
const MAX_NAMED = 4;

/** The tooltip of an edge. */
export function edgeTip(edge: MapEdge, context: Pick<EdgeContext, "document" | "lookup" | "shapes">): string {
  const [wire = edge, ...others] = wiresOf(edge);
  if (others.length > 0) {
    const all = wiresOf(edge);
    const named = all
      .slice(0, MAX_NAMED)
      .map((one) => words.tensor({ tensor: tensorName(one.from, one.output), to: one.to }));
    const more = all.length > MAX_NAMED ? [words.more({ count: all.length - MAX_NAMED })] : [];
    return [words.edges({ count: all.length }), ...named, ...more].join("\n");
  }
  if (wire.output < 0) return words.control({ to: wire.to, from: wire.from });
  return words.tensorWithType({
    tensor: tensorName(wire.from, wire.output),
    to: wire.to,
    type: edgeLabel(wire, context) ?? words.typeNotKnown,
  });
}

function badgeOf({ bytes, micros }: Sent, change: Stroke["change"]): NonNullable<GraphEdgeData["badge"]> {
  const size = bytes === undefined ? words.sizeNotKnown : bytesText(bytes);
  const short =
    change === undefined ? size : change === "stops" ? words.saves({ size }) : words.sends({ size });
  return { short, long: micros === undefined ? short : `${short} · ${microsText(micros)}` };
}

/** The task that a node ran on, otherwise the one it is pinned to. */
function taskOf(name: string, { document, nodes, taskForDevice }: EdgeContext): Task | undefined {
  const pinned = document.nodes.get(name)?.device ?? "";
  const device = pinned !== "" ? pinned : (nodeRunOf(nodes, name)?.device ?? "");
  return device === "" ? undefined : taskForDevice(device);
}

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

/** The bytes of a tensor that went to a task in the traced step. */
function sentTo(task: Task, tensor: string, { transfers, taskForDevice }: EdgeContext): Sent | undefined {
  const sent = sentBetweenTasks(transfersOf(transfers, tensor)).filter(
    ({ toDevice }) => taskForDevice(toDevice)?.id === task.id,
  );
  if (sent.length === 0) return undefined;
  return sent.reduce<Sent>(
    (sum, { bytes, durationMicros, timed }) => ({
      bytes: plus(sum.bytes, bytes),
      micros: plus(sum.micros, timed ? durationMicros : undefined),
    }),
    { bytes: 0, micros: 0 },
  );
}

/** "[?,48,48,24]" of an edge that carries one tensor. */
function shapeLabel(edge: MapEdge, { shapes }: EdgeContext): string | undefined {
  const [first, ...others] = wiresOf(edge);
  if (!first || first.output < 0) return undefined;
  if (others.some(({ from, output }) => from !== first.from || output !== first.output)) return undefined;
  const shape = shapeText(shapes.outputs.get(first.from)?.[first.output]);
  return shape === "" ? undefined : shape;
}

export function edgeLabel(
  wire: Wire,
  { document, lookup, shapes }: Pick<EdgeContext, "document" | "lookup" | "shapes">,
): string | undefined {
  if (wire.output < 0) return undefined;
  const dtype = outputType(document.nodes, lookup, wire.from, wire.output);
  if (dtype === DataType.DT_INVALID) return undefined;
  const shape = shapeText(shapes.outputs.get(wire.from)?.[wire.output]);
  return shape === "" ? dtypeName(dtype) : `${dtypeName(dtype)} ${shape}`;
}
