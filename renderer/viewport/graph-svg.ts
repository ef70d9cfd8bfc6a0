/** The graph as an SVG document: what the canvas draws, with colours that need no style sheet. Pure. */
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { FRAME_HEAD, portY } from "../document/node-size.js";
import type { Scope } from "../document/scope-tree.js";
import { edgePath, routePath } from "./edge-path.js";
import { edgeEnds, type GraphMap, type MapEdge, type MapItem, nodeRect } from "./graph-map.js";
import { opTitle } from "./node-text.js";
import type { Rect } from "./rect.js";
import { repeatText } from "./shown-graph.js";

/** The texts of an item besides its name. */
export interface ItemTexts {
  /** The task's colour, or as chosen; a CSS colour that may name a variable of the style sheet, as all colours here. */
  readonly colour: string;
  /** The place of a node, or how much is in a scope. */
  readonly place: string;
  /** The value of a node. */
  readonly value: string;
  readonly time: string;
  /** It is drawn with a dashed border, as nothing pins it. */
  readonly unpinned: boolean;
  /** Inputs and outputs that are drawn as ports. */
  readonly inputs: number;
  readonly outputs: number;
}

export interface Drawing {
  readonly map: GraphMap;
  /** Numbers of what is drawn. */
  readonly items: readonly number[];
  readonly edges: readonly number[];
  textsOf(item: MapItem): ItemTexts;
  strokeOf(edge: MapEdge): { readonly colour: string; readonly width: number; readonly label: string };
  /** A CSS colour or font as SVG programs understand it. */
  css(value: string): string;
  /** For screen readers and as the title of the file. */
  readonly title: string;
}

export interface SvgPicture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** Space around the graph, in pixels. */
const MARGIN = 24;
/** Mean widths of letters, in parts of the font's size. */
const LETTER = 0.58;
const HEAD_HEIGHT = 22;

export function* graphSvg(drawing: Drawing): Sliced<SvgPicture> {
  const { map, items, edges, css, title } = drawing;
  const area = boundsOf(map, items);
  const width = Math.ceil(area.right - area.left + 2 * MARGIN);
  const height = Math.ceil(area.bottom - area.top + 2 * MARGIN);
  const left = Math.floor(area.left - MARGIN);
  const top = Math.floor(area.top - MARGIN);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${css("var(--bg-0)")}"/>`,
    `<g font-family="${escaped(css("var(--ui)"))}" font-size="11">`,
  ];
  const isFrame = (index: number) => map.items[index]?.kind === "frame";
  const add = (index: number) => {
    const item = map.items[index];
    if (item) parts.push(itemSvg(drawing, item, nodeRect(map, index)));
  };
  yield* paused(items.filter(isFrame), add);
  yield* paused(edges, (index) => parts.push(edgeSvg(drawing, index)));
  yield* paused(
    items.filter((index) => !isFrame(index)),
    add,
  );
  parts.push("</g>", "</svg>");
  return { svg: parts.join("\n"), width, height };
}

/** Around these items; where all are drawn, around the routes of their edges too. */
function boundsOf(map: GraphMap, items: readonly number[]): Rect {
  if (items.length === map.items.length && map.bounds) return map.bounds;
  const area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const index of items) {
    const rect = nodeRect(map, index);
    area.left = Math.min(area.left, rect.left);
    area.top = Math.min(area.top, rect.top);
    area.right = Math.max(area.right, rect.right);
    area.bottom = Math.max(area.bottom, rect.bottom);
  }
  return area;
}

function edgeSvg({ map, strokeOf, css }: Drawing, index: number): string {
  const edge = map.edges[index];
  if (!edge) return "";
  const { from, to } = edgeEnds(map, index);
  const route = map.routes.get(edge.id);
  const { path, middle, straight } = route ? routePath(route) : { ...edgePath(from, to), straight: 0 };
  const { colour, width, label } = strokeOf(edge);
  const dashes = edge.output < 0 ? ' stroke-dasharray="3 4"' : "";
  const line = `<path d="${path}" fill="none" stroke="${css(colour)}" stroke-width="${width}"${dashes}/>`;
  const half = (label.length * 6.1 + 6) / 2;
  if (label === "" || straight < 2 * half + 8) return line;
  const back = `<rect x="${middle.x - half}" y="${middle.y - 7}" width="${2 * half}" height="14" rx="3" fill="${css("var(--bg-0)")}"/>`;
  const text = `<text x="${middle.x}" y="${middle.y + 3.5}" text-anchor="middle" font-family="${escaped(css("var(--mono)"))}" font-size="10" fill="${css("var(--fg-2)")}">${escaped(label)}</text>`;
  return line + back + text;
}

function itemSvg(drawing: Drawing, item: MapItem, rect: Rect): string {
  const texts = drawing.textsOf(item);
  if (item.kind === "node") return nodeSvg(drawing, item, rect, texts);
  return item.kind === "box"
    ? boxSvg(drawing, item.scope, rect, texts)
    : frameSvg(drawing, item.scope.label, rect, texts);
}

interface TextStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly anchor?: "end";
  readonly colour?: string;
}

/** A line of text, cut where it has no room. */
function line(css: Drawing["css"], text: string, x: number, y: number, room: number, style: TextStyle = {}) {
  const { size = 11, bold, anchor, colour = "var(--fg-1)" } = style;
  const most = Math.floor(room / (size * (bold ? LETTER * 1.06 : LETTER)));
  if (text === "" || most < 2) return "";
  const shown = text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  const more = `${bold ? ' font-weight="600"' : ""}${anchor ? ` text-anchor="${anchor}"` : ""}`;
  return `<text x="${x}" y="${y}" font-size="${size}"${more} fill="${css(colour)}">${escaped(shown)}</text>`;
}

function nodeSvg(
  { css }: Drawing,
  { node, title }: Extract<MapItem, { kind: "node" }>,
  { left, top, right, bottom }: Rect,
  { colour, place, value, time, unpinned, inputs, outputs }: ItemTexts,
): string {
  const width = right - left;
  const room = width - 16;
  const titleWidth = Math.min(room, title.length * 12 * LETTER * 1.06);
  const opRoom = room - titleWidth - 6;
  const head = css(`color-mix(in srgb, ${colour} var(--mix), var(--bg-2))`);
  const border = `stroke="${css("var(--line-2)")}"${unpinned ? ' stroke-dasharray="4 3"' : ""}`;
  const ports = [
    ...Array.from({ length: inputs }, (_, index) => [left, top + portY(index)] as const),
    ...Array.from({ length: outputs }, (_, index) => [right, top + portY(index)] as const),
  ];
  return [
    `<g><title>${escaped(`${node.name} (${opTitle(node)})`)}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${bottom - top}" rx="6" fill="${css("var(--bg-2)")}" ${border}/>`,
    `<path d="M${left + 0.5} ${top + HEAD_HEIGHT}V${top + 6}Q${left + 0.5} ${top + 0.5} ${left + 6} ${top + 0.5}H${right - 6}Q${right - 0.5} ${top + 0.5} ${right - 0.5} ${top + 6}V${top + HEAD_HEIGHT}z" fill="${head}"/>`,
    line(css, title, left + 8, top + 15, room, { size: 12, bold: true, colour: "var(--fg-0)" }),
    line(css, opTitle(node), right - 8, top + 15, opRoom, { anchor: "end" }),
    `<rect x="${left + 10}" y="${top + 29}" width="8" height="8" rx="2" ${unpinned ? `fill="none" stroke="${css(colour)}" stroke-dasharray="2 2"` : `fill="${css(colour)}"`}/>`,
    line(css, place, left + 23, top + 36.5, width - 33, { colour }),
    line(css, value, left + 10, top + 54, width - 20 - time.length * 6.4, {
      size: 12,
      bold: true,
      colour: "var(--fg-0)",
    }),
    line(css, time, right - 8, top + 54, 60, { anchor: "end" }),
    ...ports.map(
      ([x, y]) =>
        `<circle cx="${x}" cy="${y}" r="3.5" fill="${css("var(--bg-2)")}" stroke="${css("var(--line-3)")}"/>`,
    ),
    "</g>",
  ].join("");
}

function boxSvg(
  { css }: Drawing,
  scope: Scope,
  { left, top, right, bottom }: Rect,
  { colour, place, time }: ItemTexts,
): string {
  const size = `width="${right - left}" height="${bottom - top}" rx="6"`;
  const stroke = `stroke="${css("var(--line-2)")}"`;
  const repeat = repeatText(scope);
  const behind = repeat === "" ? [] : [6, 3];
  const room = right - left - 16 - (repeat === "" ? 0 : 12 + repeat.length * 8);
  return [
    `<g><title>${escaped(scope.path)}</title>`,
    ...behind.map(
      (by) => `<rect x="${left + by}" y="${top + by}" ${size} fill="${css("var(--bg-2)")}" ${stroke}/>`,
    ),
    `<rect x="${left}" y="${top}" ${size} fill="${css(`color-mix(in srgb, ${colour} var(--mix), var(--bg-2))`)}" ${stroke}/>`,
    line(css, scope.label, left + 8, top + 18, room, { size: 15, bold: true, colour: "var(--fg-0)" }),
    line(css, repeat, right - 8, top + 17, 60, { bold: true, anchor: "end", colour: "var(--fg-0)" }),
    line(css, place, left + 8, top + 36, right - left - 16 - time.length * 6.4),
    line(css, time, right - 8, top + 36, 60, { anchor: "end" }),
    "</g>",
  ].join("");
}

function frameSvg(
  { css }: Drawing,
  label: string,
  { left, top, right, bottom }: Rect,
  { place }: ItemTexts,
): string {
  const name = line(css, label, left + 10, top + FRAME_HEAD - 9, right - left - 20, {
    size: 13,
    bold: true,
    colour: "var(--fg-0)",
  });
  const used = label.length * 13 * LETTER * 1.06 + 20;
  return [
    `<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" rx="8" fill="${css("var(--bg-1)")}" fill-opacity="0.6" stroke="${css("var(--line-2)")}"/>`,
    name,
    line(css, place, left + used, top + FRAME_HEAD - 9, right - left - used - 10, { colour: "var(--fg-2)" }),
  ].join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text of a graph may hold any character; control characters, which XML does not allow, are left out. */
function escaped(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]/gu, "").replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
