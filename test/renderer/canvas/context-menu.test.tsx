// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { CanvasMenu } from "../../../renderer/canvas/context-menu.js";
import { EdgeMenu } from "../../../renderer/canvas/edge-menu.js";
import { nodeCommands } from "../../../renderer/commands/node-commands.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { welcome } from "../document/graphs.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

beforeEach(() => {
  connect();
  openDocument(welcome());
  useCanvas.setState({ contextMenu: undefined });
});

const graph = () => useDocument.getState();
/** Opened, it is placed in a later task of the event loop. */
const open = (on: "nodes" | "edges" | "canvas") =>
  act(async () => useCanvas.setState({ contextMenu: { on, screen: { x: 10, y: 10 }, pointer: false } }));
const item = (name: RegExp) => screen.getByRole("menuitem", { name });

describe("the menu of an edge", () => {
  it("inserts a node that fits both ends", async () => {
    const { user } = show(
      <>
        <CanvasMenu />
        <EdgeMenu />
      </>,
    );
    const before = graph().document;
    act(() => useCanvas.setState({ selectedEdges: new Set(["z 0"]) }));
    await open("edges");
    await user.click(item(/^Insert a node on the edge/));
    expect(screen.getByRole("listbox", { name: "Ops" })).toBeDefined();
    await expectAccessible();
    await user.type(screen.getByRole("combobox"), "neg{Enter}");
    expect(graph().document.nodes.get("Neg")?.input).toEqual(["x"]);
    expect(graph().document.nodes.get("z")?.input).toEqual(["Neg", "y"]);
    act(() => documentActions.undo());
    expect(graph().document).toEqual(before);
  });
});

describe("the menu of nodes", () => {
  it("has the commands of the selection, with their shortcuts, and runs them", async () => {
    const { user } = show(<CanvasMenu />);
    act(() => documentActions.select(["x", "y"]));
    await open("nodes");
    const menu = screen.getByRole("menu", { name: "Selected nodes" });
    expect(within(menu).getByRole("menuitem", { name: /^Duplicate/ }).textContent).toMatch(/D$/);
    await expectAccessible();
    await user.click(item(/^Duplicate/));
    expect(graph().document.nodes.size).toBe(7);
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it("says why a command cannot be run, and then does not run it", async () => {
    const { user } = show(<CanvasMenu />);
    act(() => void documentActions.addNode("NoOp", { x: 0, y: 0 }));
    await open("nodes");
    const before = graph().document;
    const { label, reason } = nodeCommands.connect.now();
    expect(reason).toBeDefined();
    const entry = item(new RegExp(`^${label}`));
    expect(entry.getAttribute("aria-disabled")).toBe("true");
    expect(entry.textContent).toContain(reason);
    await user.click(entry);
    expect(useCanvas.getState().edgeMenu).toBeUndefined();
    expect(graph().document).toBe(before);
  });

  it("puts several nodes in line, in one edit", async () => {
    const { user } = show(<CanvasMenu />);
    act(() => documentActions.moveNodes(new Map([["y", { x: 300, y: 90 }]])));
    act(() => documentActions.select(["x", "y", "z"]));
    await open("nodes");
    focusOn(item(/^Align$/));
    await user.keyboard("{ArrowRight}");
    focusOn(await screen.findByRole("menuitem", { name: /^Align top edges/ }));
    await user.keyboard("{Enter}");
    const { layout } = graph().document;
    expect([layout.get("x")?.y, layout.get("y")?.y, layout.get("z")?.y]).toEqual([0, 0, 0]);
    expect(layout.get("y")?.x).toBe(300);
    act(() => documentActions.undo());
    expect(graph().document.layout.get("y")).toEqual({ x: 300, y: 90 });
  });

  it("is closed by Escape, and nothing has happened", async () => {
    const { user } = show(<CanvasMenu />);
    act(() => documentActions.select(["x"]));
    await open("nodes");
    await user.keyboard("{Escape}");
    expect(useCanvas.getState().contextMenu).toBeUndefined();
    expect(graph().canUndo).toBe(false);
  });
});

it("the menu of the canvas selects everything", async () => {
  const { user } = show(<CanvasMenu />);
  await open("canvas");
  expect(screen.getByRole("menu", { name: "Canvas" })).toBeDefined();
  await expectAccessible();
  await user.click(item(/^Select all/));
  expect(graph().selection.size).toBe(5);
});
