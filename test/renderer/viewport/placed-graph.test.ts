// @vitest-environment happy-dom
/** Scopes of a document whose nodes have positions: all are open until one is closed, and positions stay. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  closedScopeCommands,
  openScopeCommands,
  scopesCommands,
  weightCommands,
} from "../../../renderer/commands/scope-commands.js";
import type { Point } from "../../../renderer/document/model.js";
import { gridEngine } from "../../../renderer/layout/grid.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useGraphView } from "../../../renderer/stores/graph-view-store.js";
import { keepArranged } from "../../../renderer/viewport/arranging.js";
import { currentMap, itemShowing } from "../../../renderer/viewport/current-map.js";
import { nodeRect } from "../../../renderer/viewport/graph-map.js";
import { moveItems } from "../../../renderer/viewport/move-items.js";
import { openScopesAround } from "../../../renderer/viewport/selected-scopes.js";
import { goBack, goToNode } from "../../../renderer/viewport/travel.js";
import { constant, documentOf, node } from "../document/graphs.js";
import { openDocument } from "../support/documents.js";

const graph = () => useDocument.getState();
const ids = () =>
  currentMap()
    .items.map(({ id }) => id)
    .sort();
const rectOf = (id: string) => nodeRect(currentMap(), currentMap().indexOf.get(id) ?? -1);
const edges = () =>
  currentMap()
    .edges.map(({ from, to }) => `${from} → ${to}`)
    .sort();
/** Waits until what is to be open is drawn. */
const drawn = () =>
  vi.waitFor(() => expect(useGraphView.getState().shown?.openness).toBe(useGraphView.getState().openness));

const NODES = [
  constant("x", "1"),
  node("net/first/a", "Neg", ["x"]),
  node("net/first/b", "Neg", ["net/first/a"]),
  node("net/c", "Add", ["net/first/a", "net/first/b"]),
  node("y", "Neg", ["net/c"]),
];
const ALL = NODES.map(({ name }) => name).sort();
const LAYOUT = new Map<string, Point>([
  ["x", { x: 0, y: 0 }],
  ["net/first/a", { x: 400, y: 80 }],
  ["net/first/b", { x: 800, y: 160 }],
  ["net/c", { x: 1200, y: 80 }],
  ["y", { x: 1600, y: 0 }],
]);

let stop: () => void;
let fitted: number;
const failures: unknown[] = [];

beforeEach(() => {
  failures.length = 0;
  fitted = 0;
  openDocument(documentOf(NODES, { layout: LAYOUT }));
  stop = keepArranged(
    {
      beforeShow: () => {
        if (!useGraphView.getState().shown) fitted++;
        return () => undefined;
      },
      size: () => ({ width: 900, height: 700 }),
      onError: (error) => failures.push(error),
    },
    gridEngine,
  );
});
afterEach(() => {
  stop();
  expect(failures).toEqual([]);
});

async function closeFirst(): Promise<void> {
  documentActions.select(["net/first/a"]);
  openScopeCommands.close.now().run();
  await drawn();
}

it("opens as it was drawn, with its scopes around what is selected", () => {
  expect(ids()).toEqual(ALL);
  documentActions.select(["net/first/a"]);
  expect(openScopesAround().map(({ label }) => label)).toEqual(["net", "first"]);
  expect(openScopeCommands.close.now().named).toBe("Close first");
  expect(weightCommands.toggle.now().applies).toBe(false);
});

it("draws a closed scope as a box amid its nodes, with edges bundled, and opens it where it was", async () => {
  await closeFirst();
  expect(ids()).toEqual(["net/c", "scope:net/first", "x", "y"]);
  expect(edges()).toEqual([
    "net/c → y",
    // To each of two inputs.
    "scope:net/first → net/c",
    "scope:net/first → net/c",
    "x → scope:net/first",
  ]);
  const { left, right, top } = rectOf("scope:net/first");
  expect(left).toBeGreaterThan(400);
  expect(right).toBeLessThan(1000);
  expect(top).toBeGreaterThanOrEqual(80);
  // An edge between nodes is the graph's own, so it can be deleted and inserted on.
  expect(currentMap().edges.find(({ to }) => to === "y")?.id).toBe("y 0");
  expect(graph().document.layout).toEqual(LAYOUT);
  expect(graph().canUndo).toBe(false);

  closedScopeCommands.open.now().run();
  await drawn();
  expect(ids()).toEqual(ALL);
  expect(graph().document.layout).toEqual(LAYOUT);
  expect(fitted).toBe(0);
});

it("moves a closed scope with its nodes, in one edit", async () => {
  await closeFirst();
  const before = rectOf("scope:net/first");
  moveItems("scope:net/first", { x: 40, y: -16 });
  expect(rectOf("scope:net/first")).toMatchObject({ left: before.left + 40, top: before.top - 16 });
  expect(graph().document.layout.get("net/first/a")).toEqual({ x: 440, y: 64 });
  expect(graph().document.layout.get("net/first/b")).toEqual({ x: 840, y: 144 });
  expect(graph().document.layout.get("net/c")).toEqual({ x: 1200, y: 80 });
  documentActions.undo();
  expect(graph().document.layout).toEqual(LAYOUT);
  expect(rectOf("scope:net/first")).toEqual(before);
});

it("closes and opens all, and goes back to what was open", async () => {
  expect(scopesCommands.openAll.now().reason).toBe("No scope is closed.");
  scopesCommands.closeAll.now().run();
  await drawn();
  expect(ids()).toEqual(["scope:net", "x", "y"]);
  expect(scopesCommands.closeAll.now().reason).toBe("No scope is open.");
  scopesCommands.openAll.now().run();
  await drawn();
  expect(ids()).toEqual(ALL);
  goBack();
  await drawn();
  expect(ids()).toEqual(["scope:net", "x", "y"]);
});

it("opens what hides a node that is gone to", async () => {
  scopesCommands.closeAll.now().run();
  await drawn();
  expect(itemShowing("net/first/b")).toBe("scope:net");
  goToNode("net/first/b");
  await drawn();
  expect(ids()).toContain("net/first/b");
});

it("draws the scopes that come with an edit open", async () => {
  await closeFirst();
  documentActions.select(["x", "y"]);
  documentActions.moveToScope(["x", "y"], "ends");
  expect(ids()).toEqual(["ends/x", "ends/y", "net/c", "scope:net/first"]);
  documentActions.undo();
  expect(ids()).toEqual(["net/c", "scope:net/first", "x", "y"]);
});
