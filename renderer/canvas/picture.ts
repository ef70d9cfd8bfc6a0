/** Draws nodes and edges on a drawing surface: the rendering of a graph that is too large for DOM elements. */
import type { Point } from "../document/model.js";
import { FRAME_HEAD } from "../document/node-size.js";
import { edgePieceIn, routePieceIn } from "../viewport/edge-path.js";
import { edgeEnds, type GraphMap, type MapItem, nodeRect } from "../viewport/graph-map.js";
import { grown, overlap, type Rect } from "../viewport/rect.js";

/** Edges that are drawn in one way. */
export interface EdgeGroup {
  /** A CSS colour; may name a variable of the style sheet, as all colours here. */
  readonly colour: string;
  /** In pixels at 100 % zoom. */
  readonly width: number;
  readonly edges: readonly number[];
}

export interface NodeLook {
  /** Colour of the node's task. */
  readonly colour: string;
  readonly selected: boolean;
  readonly state: "" | "bad" | "warned";
  /** How far it is dragged from its position. */
  readonly moved: Point | undefined;
}

export interface Picture {
  readonly map: GraphMap;
  /** In the order in which they are drawn. */
  readonly groups: readonly EdgeGroup[];
  /** Empty where nodes are DOM elements. */
  readonly nodes: readonly number[];
  look(index: number): NodeLook;
}

export interface View {
  /** A point p of the graph is drawn at (p - origin) · zoom + offset. */
  readonly origin: Point;
  readonly offset: Point;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Below this zoom text is unreadable and ports cannot be hit; nodes are then drawn as plain blocks, and no line is
 * dashed.
 */
export const FAR_ZOOM = 0.35;
/** Below this zoom only titles can be read, and are drawn larger. */
export const SMALL_ZOOM = 0.75;
/** The margin that is drawn beyond the sides, in pixels: half of the widest line. */
const OVERLAP = 8;
/** Lines per path. For a software renderer the cost of longer paths grows faster than their length. */
const MAX_BATCH = 32;
/** An edge that bends by fewer pixels is drawn as a line. */
const STRAIGHT = 2;
const CORNER = 6;
const HEAD_HEIGHT = 22;
const FAR_TITLE = 18;
const NEAR_TITLE = 12;
/** Letters smaller than this cannot be read, in pixels. */
const LEAST_LETTER = 5;
const FRAME_CORNER = 8;
const FRAME_TITLE = 13;
/** The title of an open scope that is seen from far away, in pixels of the screen, and the least frame that it is drawn over. */
const FAR_FRAME_TITLE = 11;
const LEAST_FRAME = { width: 48, height: 28 };

export function drawPicture(
  context: CanvasRenderingContext2D,
  picture: Picture,
  view: View,
  css: (colour: string) => string,
): void {
  const { origin, offset, zoom, width, height } = view;
  context.clearRect(0, 0, width, height);
  const at = ({ x, y }: Point): Point => ({
    x: (x - origin.x) * zoom + offset.x,
    y: (y - origin.y) * zoom + offset.y,
  });
  const seen: Rect = {
    left: origin.x - offset.x / zoom,
    top: origin.y - offset.y / zoom,
    right: origin.x + (width - offset.x) / zoom,
    bottom: origin.y + (height - offset.y) / zoom,
  };
  const area = grown(seen, OVERLAP / zoom);
  const inView = picture.nodes.flatMap((index): Drawn[] => {
    const rect = nodeRect(picture.map, index);
    const item = picture.map.items[index];
    return item && overlap(rect, area) ? [{ item, index, rect }] : [];
  });
  const frames = inView.filter(({ item }) => item.kind === "frame");
  for (const frame of frames) drawFrame(context, picture, frame, at, zoom, css);
  for (const { colour, width: lineWidth, edges } of picture.groups) {
    context.strokeStyle = css(colour);
    context.lineWidth = Math.max(0.5, lineWidth * zoom);
    let batched = 0;
    context.beginPath();
    for (const edge of edges) {
      if (!addEdge(context, picture.map, edge, area, at)) continue;
      batched = (batched + 1) % MAX_BATCH;
      if (batched > 0) continue;
      context.stroke();
      context.beginPath();
    }
    context.stroke();
  }
  for (const drawn of inView) {
    if (drawn.item.kind !== "frame") drawNode(context, picture, drawn, at, zoom, css);
  }
  const around = new Set(frames.map(({ item }) => (item.kind === "frame" ? item.scope.parent : undefined)));
  for (const frame of frames) drawFrameTitle(context, frame, !around.has(frame.item.id), at, zoom, css);
}

/** An item that is in view. */
interface Drawn {
  readonly item: MapItem;
  readonly index: number;
  readonly rect: Rect;
}

/** An open scope: an outline behind its nodes and the edges between them. */
function drawFrame(
  context: CanvasRenderingContext2D,
  { look }: Picture,
  { index, rect }: Drawn,
  at: (point: Point) => Point,
  zoom: number,
  css: (colour: string) => string,
): void {
  const { selected, state } = look(index);
  const { x, y } = at({ x: rect.left, y: rect.top });
  context.beginPath();
  const [width, height] = [(rect.right - rect.left) * zoom, (rect.bottom - rect.top) * zoom];
  context.roundRect(x, y, width, height, FRAME_CORNER * zoom);
  context.fillStyle = css("color-mix(in srgb, var(--bg-1) 60%, transparent)");
  context.fill();
  context.strokeStyle = css(selected ? "var(--fg-0)" : state === "bad" ? "var(--err)" : "var(--line-3)");
  context.lineWidth = selected ? 2 : 1;
  context.stroke();
}

/** Above its nodes, or over them where their own titles cannot be read. */
function drawFrameTitle(
  context: CanvasRenderingContext2D,
  { item, rect }: Drawn,
  isInnermost: boolean,
  at: (point: Point) => Point,
  zoom: number,
  css: (colour: string) => string,
): void {
  if (item.kind !== "frame") return;
  const [width, height] = [(rect.right - rect.left) * zoom, (rect.bottom - rect.top) * zoom];
  const far = zoom < FAR_ZOOM;
  const isSmall = width < LEAST_FRAME.width || height < LEAST_FRAME.height;
  if (far && (!isInnermost || isSmall)) return;
  context.font = `600 ${far ? FAR_FRAME_TITLE : FRAME_TITLE * zoom}px ${css("var(--ui)")}`;
  context.textBaseline = "middle";
  const title = cutWithin(context, item.scope.label, width - 8);
  const { x, y } = at({ x: rect.left, y: rect.top });
  const left = far ? x + (width - context.measureText(title).width) / 2 : x + 8 * zoom;
  const middle = far ? y + height / 2 : y + (FRAME_HEAD * zoom) / 2;
  if (far) {
    // Readable over what is below it.
    context.strokeStyle = css("var(--bg-0)");
    context.lineWidth = 4;
    context.strokeText(title, left, middle);
  }
  context.fillStyle = css("var(--fg-0)");
  context.fillText(title, left, middle);
}

/** False for an edge that does not pass through the area. */
function addEdge(
  context: CanvasRenderingContext2D,
  map: GraphMap,
  edge: number,
  area: Rect,
  at: (point: Point) => Point,
): boolean {
  const { from, to } = edgeEnds(map, edge);
  const route = map.routes.get(map.edges[edge]?.id ?? "");
  const piece = route ? routePieceIn(route, area) : edgePieceIn(from, to, area);
  if (!piece) return false;
  const [start, ...rest] = piece.points.map(at);
  if (!start) return false;
  context.moveTo(start.x, start.y);
  const [first, second, last] = rest;
  if (piece.type === "curve" && first && second && last && Math.abs(last.y - start.y) > STRAIGHT) {
    context.bezierCurveTo(first.x, first.y, second.x, second.y, last.x, last.y);
    return true;
  }
  for (const { x, y } of piece.type === "curve" && last ? [last] : rest) context.lineTo(x, y);
  return true;
}

function drawNode(
  context: CanvasRenderingContext2D,
  { look }: Picture,
  { item, index, rect }: Drawn,
  at: (point: Point) => Point,
  zoom: number,
  css: (colour: string) => string,
): void {
  const { colour, selected, state, moved } = look(index);
  const place = at({ x: rect.left + (moved?.x ?? 0), y: rect.top + (moved?.y ?? 0) });
  const width = (rect.right - rect.left) * zoom;
  const height = (rect.bottom - rect.top) * zoom;
  const far = zoom < FAR_ZOOM;
  const tint = state === "bad" ? "var(--err)" : state === "warned" ? "var(--warn)" : undefined;
  const block = tint
    ? `color-mix(in srgb, ${tint} 40%, var(--bg-2))`
    : `color-mix(in srgb, ${colour} calc(var(--mix) * 2), var(--bg-2))`;
  context.beginPath();
  context.roundRect(place.x, place.y, width, height, CORNER * zoom);
  context.fillStyle = css(far ? block : "var(--bg-2)");
  context.fill();
  if (!far) {
    context.fillStyle = css(`color-mix(in srgb, ${colour} var(--mix), var(--bg-2))`);
    context.fillRect(place.x, place.y, width, HEAD_HEIGHT * zoom);
  }
  context.strokeStyle = css(selected ? "var(--fg-0)" : (tint ?? "var(--line-2)"));
  context.lineWidth = selected ? 2 : Math.max(0.5, zoom);
  context.stroke();
  const letters = (far ? FAR_TITLE : NEAR_TITLE) * zoom;
  if (letters < LEAST_LETTER) return;
  context.font = `600 ${letters}px ${css("var(--ui)")}`;
  context.fillStyle = css("var(--fg-0)");
  context.textBaseline = "middle";
  const text = item.kind === "node" ? item.title : item.scope.label;
  const title = cut(context, text, width - 16 * zoom);
  const x = far ? place.x + (width - context.measureText(title).width) / 2 : place.x + 8 * zoom;
  context.fillText(title, x, place.y + (far ? height : HEAD_HEIGHT * zoom) / 2);
}

/** The beginning and the end of a text, which tells repeated names apart. */
function cutWithin(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width;
  if (whole <= width) return text;
  const kept = Math.max(2, Math.floor((text.length * width) / whole) - 2);
  const end = Math.ceil((kept * 2) / 3);
  return `${text.slice(0, kept - end)}…${text.slice(-end)}`;
}

function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width;
  return whole <= width
    ? text
    : `${text.slice(0, Math.max(1, Math.floor((text.length * width) / whole) - 1))}…`;
}
