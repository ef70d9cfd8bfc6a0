import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { hierarchyFor, NO_WEIGHTS } from "../../../renderer/document/arrangement.js";
import type { Point } from "../../../renderer/document/model.js";
import { chainFrom } from "../../../renderer/document/scope-tree.js";
import {
  firstOpen,
  type VisibleGraph,
  type VisibleItem,
  visibleGraph,
} from "../../../renderer/document/visible-graph.js";
import { type Arrangement, arrange } from "../../../renderer/layout/arrange.js";
import type { Cell, CellGraph, LayoutEngine } from "../../../renderer/layout/cells.js";
import { elkEngine } from "../../../renderer/layout/elk-engine.js";
import { gridEngine } from "../../../renderer/layout/grid.js";
import { type Box, foldedRows } from "../../../renderer/layout/rows.js";
import { LayoutMemory, unnamed } from "../../../renderer/layout/same-layouts.js";
import fc from "../../support/seeded-check.js";
import { frozenNetwork } from "../document/real-graphs.js";

/** ELK itself, which takes the place of a worker where there are none. */
const { Worker: ElkWorker }: { Worker: new () => Worker } = createRequire(import.meta.url)(
  "elkjs/lib/elk-worker.min.js",
);

/** How many workers were ended. */
let ended = 0;
const onEnd = () => {
  ended += 1;
};
const engine = () => elkEngine(() => Object.assign(new ElkWorker(), { terminate: onEnd }));
const ports = [{ id: "p", y: 30 }];
const cellOf = ({ id }: VisibleItem): Cell => ({ id, width: 120, height: 60, inputs: ports, outputs: ports });

function networkOf(blocks: number, more: readonly string[] = []): VisibleGraph {
  const nodes = new Map<string, NodeDef>(frozenNetwork(blocks).map((node) => [node.name, node]));
  const hierarchy = hierarchyFor(nodes, NO_WEIGHTS);
  return visibleGraph(nodes, hierarchy, new Set([...firstOpen(hierarchy), ...more]));
}

function arranged(
  graph: VisibleGraph,
  {
    by = engine(),
    memory = new LayoutMemory(),
    signal = new AbortController().signal,
    titleWidth = 0,
  }: Partial<Given> = {},
): Promise<Arrangement> {
  const portsOf = () => ({ output: "p", input: "p" });
  return arrange(graph, {
    engine: by,
    cellOf,
    portsOf,
    titleWidth: () => titleWidth,
    aspect: 1.2,
    memory,
    signal,
    pause: async () => undefined,
  });
}

interface Given {
  readonly by: LayoutEngine;
  readonly memory: LayoutMemory;
  readonly signal: AbortSignal;
  readonly titleWidth: number;
}

function boxesOf({ items }: VisibleGraph, { places, frames }: Arrangement): Map<string, Box> {
  return new Map(
    items.map(({ id }) => {
      const { x, y } = places.get(id) ?? { x: Number.NaN, y: Number.NaN };
      const { width, height } = frames.get(id) ?? { width: 120, height: 60 };
      return [id, { left: x, top: y, right: x + width, bottom: y + height }];
    }),
  );
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function isOrthogonal(route: readonly Point[]): boolean {
  return route.every((point, index) => {
    const before = route[index - 1];
    return !before || Math.abs(before.x - point.x) < 0.5 || Math.abs(before.y - point.y) < 0.5;
  });
}

describe("an arrangement", () => {
  it("puts everything into its scope and over nothing else, and leads edges from end to end", async () => {
    const graph = networkOf(20);
    const arrangement = await arranged(graph);
    const boxes = boxesOf(graph, arrangement);
    const drawn = graph.items.filter(({ kind }) => kind !== "frame");
    for (const [index, one] of drawn.entries()) {
      for (const other of drawn.slice(index + 1)) {
        const [first, second] = [boxes.get(one.id), boxes.get(other.id)];
        if (first && second) expect(overlap(first, second), `${one.id} over ${other.id}`).toBe(false);
      }
    }
    for (const item of graph.items) {
      const around = boxes.get((item.kind === "node" ? item.scope.id : item.scope.parent) ?? "");
      const box = boxes.get(item.id);
      if (!around || !box) continue;
      expect(box.left).toBeGreaterThan(around.left);
      expect(box.right).toBeLessThan(around.right);
      expect(box.top).toBeGreaterThan(around.top);
      expect(box.bottom).toBeLessThan(around.bottom);
    }
    for (const { id, from, to } of graph.edges.values()) {
      const route = arrangement.routes.get(id) ?? [];
      expect(isOrthogonal(route), id).toBe(true);
      expect(route[0]?.x).toBeCloseTo(boxes.get(from)?.right ?? 0, 0);
      expect(route.at(-1)?.x).toBeCloseTo(boxes.get(to)?.left ?? 0, 0);
    }
  });

  it("has frames that are wide enough for their titles", async () => {
    const graph = networkOf(5);
    const { frames } = await arranged(graph, { titleWidth: 900 });
    expect(frames.size).toBeGreaterThan(0);
    for (const { width } of frames.values()) expect(width).toBeGreaterThanOrEqual(900);
  });

  it("fills a window with a chain: it is folded into rows", async () => {
    const graph = networkOf(20);
    const boxes = [...boxesOf(graph, await arranged(graph)).values()];
    const width = Math.max(...boxes.map(({ right }) => right));
    const height = Math.max(...boxes.map(({ bottom }) => bottom));
    expect(width / height).toBeGreaterThan(0.6);
    expect(width / height).toBeLessThan(2.4);
  });

  it("computes only the scopes again that are others, and is the same for the same graph", async () => {
    const asked: number[] = [];
    const elk = engine();
    const counting: LayoutEngine = {
      layout: (graph, signal) => {
        asked.push(graph.cells.length);
        return elk.layout(graph, signal);
      },
    };
    const memory = new LayoutMemory();
    const closed = networkOf(20);
    const first = await arranged(closed, { by: counting, memory });
    expect(asked.length).toBeGreaterThan(0);
    asked.length = 0;
    expect(await arranged(closed, { by: counting, memory })).toEqual(first);
    expect(asked).toEqual([]);
    const box = closed.items.find(({ kind }) => kind === "box");
    const opened = networkOf(20, [box?.id ?? ""]);
    await arranged(opened, { by: counting, memory });
    // The scope that was opened, those around it, and the open one that its edges now enter from another node.
    const depth = 1 + chainFrom(closed.hierarchy.tree, box?.scope).length;
    expect(asked.length).toBeLessThanOrEqual(depth);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThanOrEqual(opened.items.filter(({ kind }) => kind === "frame").length);
  });

  it("computes blocks that are alike but for their names once", async () => {
    const asked: string[] = [];
    const elk = engine();
    const counting: LayoutEngine = {
      layout: (graph, signal) => {
        asked.push(JSON.stringify(graph));
        return elk.layout(graph, signal);
      },
    };
    const closed = networkOf(20);
    const graph = networkOf(
      20,
      closed.items.flatMap(({ kind, id }) => (kind === "box" ? [id] : [])),
    );
    const arrangement = await arranged(graph, { by: counting });
    expect(new Set(asked).size).toBe(asked.length);
    const frames = graph.items.filter(({ kind }) => kind === "frame");
    expect(asked.length).toBeLessThan(frames.length / 2);
    const boxes = boxesOf(graph, arrangement);
    for (const { id, from, to } of graph.edges.values()) {
      const route = arrangement.routes.get(id) ?? [];
      expect(route[0]?.x, id).toBeCloseTo(boxes.get(from)?.right ?? 0, 0);
      expect(route.at(-1)?.x, id).toBeCloseTo(boxes.get(to)?.left ?? 0, 0);
      expect(route[0]?.y, id).toBeCloseTo((boxes.get(from)?.top ?? 0) + 30, 0);
      expect(route.at(-1)?.y, id).toBeCloseTo((boxes.get(to)?.top ?? 0) + 30, 0);
    }
  });

  it("ends when it is no longer wanted, and the next one is computed", async () => {
    const elk = engine();
    const abort = new AbortController();
    const stopped: LayoutEngine = {
      layout: (graph, signal) => {
        const layout = elk.layout(graph, signal);
        abort.abort(new Error("not wanted"));
        return layout;
      },
    };
    const first = arranged(networkOf(30), { by: stopped, signal: abort.signal });
    await expect(first).rejects.toThrow("not wanted");
    expect(ended).toBe(1);
    expect((await arranged(networkOf(5), { by: elk })).places.size).toBeGreaterThan(0);
  });

  it("is computed by the worker that was prepared for it", async () => {
    let started = 0;
    const elk = elkEngine(() => {
      started += 1;
      return Object.assign(new ElkWorker(), { terminate: onEnd });
    });
    elk.prepare();
    elk.prepare();
    expect(started).toBe(1);
    expect((await arranged(networkOf(5), { by: elk })).places.size).toBeGreaterThan(0);
    expect(started).toBe(1);
    const without = elkEngine(() => {
      throw new Error("no workers here");
    });
    without.prepare();
    await expect(arranged(networkOf(5), { by: without })).rejects.toThrow("no workers here");
  });

  it("without regard to edges has everything beside each other", async () => {
    const graph = networkOf(20);
    const boxes = boxesOf(graph, await arranged(graph, { by: gridEngine }));
    const drawn = graph.items.filter(({ kind }) => kind !== "frame").flatMap(({ id }) => boxes.get(id) ?? []);
    for (const [index, one] of drawn.entries()) {
      expect(drawn.slice(index + 1).some((other) => overlap(one, other))).toBe(false);
    }
  });
});

describe("a layout by ELK", () => {
  it("fails in words for an edge to a port that a cell lacks", async () => {
    const graph: CellGraph = {
      cells: [cellOf({ kind: "box", id: "a" } as VisibleItem)],
      edges: [{ id: "e", from: { cell: "a", port: "p" }, to: { cell: "a", port: "missing" } }],
      aspect: 1,
    };
    await expect(engine().layout(graph, new AbortController().signal)).rejects.toThrow(/does not exist/);
  });
});

describe("blocks that follow each other and whose edges leave lower than they enter", () => {
  const cells = Array.from(
    { length: 24 },
    (_, index): Cell => ({
      ...{ id: `block_${index}`, width: 440, height: 300 },
      inputs: [{ id: "in", y: 60 }],
      outputs: [{ id: "out", y: 200 }],
    }),
  );
  const edges = cells.slice(1).map(({ id: to }, index) => ({
    id: `to ${to}`,
    from: { cell: `block_${index}`, port: "out" },
    to: { cell: to, port: "in" },
  }));

  it("stand in level rows", async () => {
    const { places, routes } = await engine().layout(
      { cells, edges, aspect: 1.5 },
      new AbortController().signal,
    );
    const rows = new Set(cells.map(({ id }) => places.get(id)?.y));
    expect(rows.size).toBeLessThan(8);
    expect([...routes.values()].filter((route) => !isOrthogonal(route))).toEqual([]);
  });

  it("keep straight edges where these do not make the drawing small", async () => {
    const { places } = await engine().layout(
      { cells: cells.slice(0, 2), edges: edges.slice(0, 1), aspect: 1.5 },
      new AbortController().signal,
    );
    expect((places.get("block_0")?.y ?? 0) + 200).toBe((places.get("block_1")?.y ?? 0) + 60);
  });
});

/** Boxes in columns, joined from column to column. */
const drawings = fc
  .array(fc.array(fc.nat(200), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 25 })
  .map((columns) => {
    const boxes = new Map<string, Box>();
    const routes = new Map<string, readonly Point[]>();
    let x = 0;
    columns.forEach((column, index) => {
      let y = 0;
      column.forEach((space, row) => {
        y += space + 10;
        boxes.set(`${index} ${row}`, { left: x, top: y, right: x + 80, bottom: y + 40 });
        y += 40;
      });
      const [from, to] = [boxes.get(`${index - 1} 0`), boxes.get(`${index} 0`)];
      if (from && to) {
        const [start, end] = [from.top + 20, to.top + 20];
        const turn = to.left - 15;
        routes.set(`to ${index}`, [
          { x: from.right, y: start },
          { x: turn, y: start },
          { x: turn, y: end },
          { x: to.left, y: end },
        ]);
      }
      x += 120;
    });
    return { boxes, routes };
  });

describe("rows", () => {
  it("keep boxes apart, sizes as they are, and lines along the axes from box to box", () => {
    fc.assert(
      fc.property(drawings, fc.double({ min: 0.3, max: 4, noNaN: true }), (drawing, aspect) => {
        const folded = foldedRows(drawing, aspect);
        const boxes = [...folded.boxes];
        expect(boxes.length).toBe(drawing.boxes.size);
        for (const [index, [, one]] of boxes.entries()) {
          expect(one.right - one.left).toBeCloseTo(80);
          expect(one.bottom - one.top).toBeCloseTo(40);
          expect(one.left).toBeGreaterThanOrEqual(0);
          expect(one.right).toBeLessThanOrEqual(folded.width + 0.01);
          expect(one.bottom).toBeLessThanOrEqual(folded.height + 0.01);
          expect(boxes.slice(index + 1).some(([, other]) => overlap(one, other))).toBe(false);
        }
        for (const [id, route] of folded.routes) {
          expect(isOrthogonal(route)).toBe(true);
          const column = Number(id.slice(3));
          expect(route[0]?.x).toBeCloseTo(folded.boxes.get(`${column - 1} 0`)?.right ?? 0);
          const end = folded.boxes.get(`${column} 0`);
          expect(route.at(-1)?.x).toBeCloseTo(end?.left ?? 0);
          expect(route.at(-1)?.y).toBeCloseTo((end?.top ?? 0) + 20);
        }
      }),
    );
  });
});

describe("a graph without its names", () => {
  const graphOf = (name: (of: string) => string, y = 30): CellGraph => ({
    cells: ["a", "b"].map((id) => ({
      ...{ id: name(id), width: 120, height: 60 },
      inputs: [{ id: name("in"), y }],
      outputs: [
        { id: name("control"), y: 10 },
        { id: name("out"), y },
      ],
    })),
    edges: [
      { id: name("e0"), from: { cell: "", port: name("x") }, to: { cell: name("a"), port: name("in") } },
      {
        ...{ id: name("e1"), from: { cell: name("a"), port: name("out") } },
        to: { cell: name("b"), port: name("in") },
      },
      { id: name("e2"), from: { cell: name("b"), port: name("out") }, to: { cell: "", port: name("y") } },
    ],
    aspect: 1.5,
  });

  it("is the same for graphs that differ in names only, and its layout gets the names of each", async () => {
    const [one, other] = [unnamed(graphOf((of) => of)), unnamed(graphOf((of) => `other ${of}`))];
    expect(other.key).toBe(one.key);
    expect(unnamed(graphOf((of) => of, 31)).key).not.toBe(one.key);
    const signal = new AbortController().signal;
    const layout = await engine().layout(one.graph, signal);
    const direct = await engine().layout(
      graphOf((of) => `other ${of}`),
      signal,
    );
    expect(other.named(layout)).toEqual(direct);
  });

  it("is forgotten once many others were laid out since it was used", () => {
    const memory = new LayoutMemory();
    const places = new Map(Array.from({ length: 30_000 }, (_, index) => [String(index), { x: 0, y: 0 }]));
    const layout = { width: 1, height: 1, places, routes: new Map(), entries: new Map(), exits: new Map() };
    for (const key of ["a", "b", "c"]) memory.set(key, layout);
    expect(memory.get("a")).toBe(layout);
    memory.set("d", layout);
    expect(["a", "b", "c", "d"].filter((key) => memory.get(key))).toEqual(["a", "c", "d"]);
  });
});
