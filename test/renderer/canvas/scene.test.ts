import { describe, expect, it } from "vitest";
import { drawPicture } from "../../../renderer/canvas/picture.js";
import { sceneOf } from "../../../renderer/canvas/use-scene.js";
import type { GraphDocument, Point } from "../../../renderer/document/model.js";
import type { Scope } from "../../../renderer/document/scope-tree.js";
import { edgePieceIn } from "../../../renderer/viewport/edge-path.js";
import {
  edgeAt,
  edgesIn,
  type MapItem,
  mapFrom,
  mapOf,
  nodeAt,
  nodesIn,
} from "../../../renderer/viewport/graph-map.js";
import { constant, documentOf, lookup, node, type } from "../document/graphs.js";

const FAR = 10_000_000;

/** A chain to the right, one node every 200 pixels, with a control edge from its first node to its last. */
function chain(length: number): GraphDocument {
  const nodes = [constant("n0", "1")];
  for (let index = 1; index < length; index++) {
    const input = index === length - 1 ? [`n${index - 1}`, "^n0"] : [`n${index - 1}`];
    nodes.push(node(`n${index}`, "Neg", input, { T: type("float32") }));
  }
  const layout = new Map(nodes.map(({ name }, index): [string, Point] => [name, { x: index * 200, y: 0 }]));
  return { ...documentOf(nodes), layout };
}

describe("a scene", () => {
  const map = mapOf(chain(50_000), lookup);
  const area = { left: FAR - 2000, top: -500, right: FAR - 1000, bottom: 500 };

  it("is of what lies in view, wherever that is", () => {
    const scene = sceneOf(map, area);
    expect(scene.nodes.map((index) => map.items[index]?.id)).toEqual([
      "n49990",
      "n49991",
      "n49992",
      "n49993",
      "n49994",
    ]);
    expect(scene.nodesInPicture).toBe(false);
    // The edges between neighbours are elements; that from end to end is not.
    expect(scene.edges.length).toBe(6);
    expect(scene.pictureEdges.map((index) => map.edges[index]?.from)).toEqual(["n0"]);
  });

  it("is a picture where there is much in view", () => {
    const scene = sceneOf(map, { ...area, left: 0 });
    expect(scene.nodesInPicture).toBe(true);
    expect(scene.pictureEdges).toBe(scene.edges);
  });

  it("finds the node and the edge at a point, far out too", () => {
    const nodes = nodesIn(map, area);
    expect(map.items[nodeAt(map, nodes, { x: FAR - 1990, y: 10 }) ?? -1]?.id).toBe("n49990");
    expect(nodeAt(map, nodes, { x: FAR - 1990, y: -10 })).toBeUndefined();
    const between = edgeAt(map, edgesIn(map, area), { x: FAR - 1830, y: 33 }, 4);
    expect(map.edges[between ?? -1]).toMatchObject({ from: "n49990", to: "n49991" });
    expect(edgeAt(map, edgesIn(map, area), { x: FAR - 1830, y: 90 }, 4)).toBeUndefined();
  });
});

describe("the piece of an edge in view", () => {
  it("has no coordinate far out of view, and lies on the edge", () => {
    const from = { x: 0, y: 0 };
    const to = { x: FAR, y: 4000 };
    const area = { left: FAR / 2 - 700, top: 1500, right: FAR / 2 + 700, bottom: 2500 };
    const piece = edgePieceIn(from, to, area);
    const [start, , , end] = piece?.points ?? [];
    expect(start?.x).toBeCloseTo(area.left, 0);
    expect(end?.x).toBeCloseTo(area.right, 0);
    expect(start?.y).toBeLessThan(2000);
    expect(end?.y).toBeGreaterThan(2000);
    for (const { x, y } of piece?.points ?? []) {
      expect(x).toBeGreaterThan(area.left - 10);
      expect(x).toBeLessThan(area.right + 10);
      expect(y).toBeGreaterThan(area.top);
      expect(y).toBeLessThan(area.bottom);
    }
  });

  it("is none where the edge passes elsewhere, and the whole where all of it is in view", () => {
    const from = { x: 0, y: 0 };
    const to = { x: 400, y: 200 };
    expect(edgePieceIn(from, to, { left: 300, top: 0, right: 400, bottom: 20 })).toBeUndefined();
    const whole = edgePieceIn(from, to, { left: -10, top: -10, right: 500, bottom: 500 });
    expect(whole).toEqual({ type: "curve", points: [from, { x: 200, y: 0 }, { x: 200, y: 200 }, to] });
  });

  it("of an edge that goes back keeps its lines along the axes", () => {
    const area = { left: 0, top: -100, right: 1000, bottom: 100 };
    const piece = edgePieceIn({ x: 900, y: 0 }, { x: -FAR, y: 0 }, area);
    expect(piece?.points.at(2)).toEqual({ x: 920, y: 56 });
    expect(piece?.points.at(3)).toEqual({ x: 0, y: 56 });
  });
});

/** A drawing surface that remembers what is called and set. */
function recording() {
  const calls: [string, unknown[]][] = [];
  const record = (name: string | symbol, ...values: unknown[]) => {
    calls.push([String(name), values]);
    return { width: 1 };
  };
  const handler: ProxyHandler<object> = {
    get:
      (_, name) =>
      (...values: unknown[]) =>
        record(name, ...values),
    set: (_, name, value) => record(name, value) !== undefined,
  };
  return { context: new Proxy({}, handler) as CanvasRenderingContext2D, calls };
}

describe("the picture", () => {
  it("dashes nothing and draws nothing far outside of its surface", () => {
    const map = mapOf(chain(50_000), lookup);
    const zoom = 0.05;
    const view = { origin: { x: FAR, y: 0 }, offset: { x: 700, y: 400 }, zoom, width: 1400, height: 800 };
    const { nodes, pictureEdges } = sceneOf(map, {
      left: FAR - 14_000,
      top: -8000,
      right: FAR,
      bottom: 8000,
    });
    const { context, calls } = recording();
    const look = () => ({ colour: "red", selected: false, state: "" as const, moved: undefined });
    const groups = [{ colour: "grey", width: 1, edges: pictureEdges }];
    drawPicture(context, { map, groups, nodes, look }, view, (colour) => colour);
    expect(calls.filter(([name]) => name === "moveTo").length).toBe(pictureEdges.length);
    expect(calls.filter(([name]) => name === "roundRect").length).toBe(nodes.length);
    expect(calls.some(([name]) => name === "setLineDash")).toBe(false);
    for (const value of calls.flatMap(([, values]) => values)) {
      if (typeof value === "number") expect(Math.abs(value)).toBeLessThan(2000);
    }
  });

  it("has open scopes as outlines behind their nodes, with the titles of the innermost over them", () => {
    const scope = (path: string, parent: string): Scope => ({
      ...{ id: `scope:${path}`, kind: "scope", path, label: path, parent, children: [], size: 1 },
    });
    const items: MapItem[] = [
      { kind: "frame", id: "scope:outer", scope: scope("outer", "") },
      { kind: "frame", id: "scope:inner", scope: scope("inner", "scope:outer") },
      { kind: "node", id: "n0", node: constant("n0", "1"), title: "n0" },
    ];
    const sides = Float64Array.from([0, 0, 2000, 1000, 100, 100, 1900, 900, 200, 200, 400, 260]);
    const map = mapFrom(items, sides, [], new Map());
    const view = { origin: { x: 0, y: 0 }, offset: { x: 0, y: 0 }, zoom: 0.1, width: 400, height: 300 };
    const { context, calls } = recording();
    const look = () => ({ colour: "red", selected: false, state: "" as const, moved: undefined });
    drawPicture(context, { map, groups: [], nodes: [0, 1, 2], look }, view, (colour) => colour);
    expect(calls.filter(([name]) => name === "fillText").map(([, [text]]) => text)).toEqual(["inner"]);
    const fills = calls.flatMap(([name, [value]]) => (name === "fillStyle" ? [String(value)] : []));
    expect(fills.slice(0, 3).map((fill) => fill.includes("red"))).toEqual([false, false, true]);
  });
});
