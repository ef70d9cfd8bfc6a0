// @vitest-environment happy-dom
import { act, screen, waitFor } from "@testing-library/react";
import { type NodeProps, ReactFlowProvider } from "@xyflow/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArrangingBar } from "../../../renderer/canvas/arranging-bar.js";
import { Breadcrumbs } from "../../../renderer/canvas/breadcrumbs.js";
import type { ScopeFlowNode } from "../../../renderer/canvas/flow-nodes.js";
import { ScopeNode } from "../../../renderer/canvas/scope-node.js";
import { frameCommands, noteCommands } from "../../../renderer/commands/annotation-commands.js";
import { graphCommands } from "../../../renderer/commands/graph-commands.js";
import {
  closedScopeCommands,
  openScopeCommands,
  scopesCommands,
  weightCommands,
} from "../../../renderer/commands/scope-commands.js";
import { isArranged } from "../../../renderer/document/arrangement.js";
import type { Scope } from "../../../renderer/document/scope-tree.js";
import { gridEngine } from "../../../renderer/layout/grid.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useGraphView } from "../../../renderer/stores/graph-view-store.js";
import { drawnRect } from "../../../renderer/viewport/annotation-places.js";
import { keepArranged } from "../../../renderer/viewport/arranging.js";
import { currentMap } from "../../../renderer/viewport/current-map.js";
import { nodeRect } from "../../../renderer/viewport/graph-map.js";
import { moveItems } from "../../../renderer/viewport/move-items.js";
import { selectedBoxes } from "../../../renderer/viewport/selected-scopes.js";
import { goBack, goToNode } from "../../../renderer/viewport/travel.js";
import { documentOf } from "../document/graphs.js";
import { frozenNetwork } from "../document/real-graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const graph = () => useDocument.getState();
const ids = () => currentMap().items.map(({ id }) => id);
const scope = (label: string): Scope => {
  for (const item of currentMap().items) {
    if (item.kind !== "node" && item.scope.label === label) return item.scope;
  }
  throw new Error(`No scope ${label} is drawn.`);
};
/** Waits until what is to be open is drawn. */
const drawn = () =>
  waitFor(() => {
    const { shown, openness, arranging } = useGraphView.getState();
    expect(arranging).toBe(false);
    expect(shown?.openness).toBe(openness);
  });

let stop: () => void;
const failures: unknown[] = [];

beforeEach(async () => {
  connect();
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
  failures.length = 0;
  openDocument(documentOf(frozenNetwork(40), { layout: new Map() }));
  stop = keepArranged(
    {
      beforeShow: () => () => undefined,
      size: () => ({ width: 900, height: 700 }),
      onError: (error) => failures.push(error),
    },
    gridEngine,
  );
  await drawn();
});
afterEach(() => {
  stop();
  expect(failures).toEqual([]);
});

describe("a network without positions", () => {
  it("is drawn in scopes, and its positions stay out of the document", () => {
    expect(isArranged(graph().document)).toBe(true);
    expect(graph().document.layout.size).toBe(0);
    expect(ids()).toContain("group:net/block_0");
    expect(ids()).not.toContain("net/block_0_conv/Conv2D");
  });

  it("opens and closes the scopes of the selection, in any number, and goes back", async () => {
    const box = scope("block_0");
    act(() => documentActions.select(["net/block_0_conv/Conv2D"]));
    expect(selectedBoxes()).toEqual([box]);
    act(() => void closedScopeCommands.open.now().run());
    await drawn();
    expect(ids()).toContain("net/block_0_conv/Conv2D");
    expect(openScopeCommands.close.now().named).toBe("Close block_0");
    act(() => void openScopeCommands.close.now().run());
    await drawn();
    expect(ids()).not.toContain("net/block_0_conv/Conv2D");
    act(() => void scopesCommands.openAll.now().run());
    await drawn();
    expect(currentMap().items.some(({ kind }) => kind === "box")).toBe(false);
    act(() => goBack());
    await drawn();
    expect(ids()).not.toContain("net/block_0_conv/Conv2D");
    expect(graph().canUndo).toBe(false);
  });

  it("opens what hides a node that is gone to: scopes, and the node that it is a parameter of", async () => {
    const name = "net/block_3_conv/Conv2D/ReadVariableOp/resource";
    act(() => goToNode(name));
    await drawn();
    expect(ids()).toContain(name);
    expect(graph().selection).toEqual(new Set([name]));
  });

  it("draws the weights of a node as nodes and folds them again", async () => {
    const conv = "net/block_0_conv/Conv2D";
    act(() => goToNode(conv));
    await drawn();
    const before = ids();
    act(() => void weightCommands.toggle.now().run());
    await drawn();
    expect(ids()).toContain(`${conv}/ReadVariableOp/resource`);
    act(() => void weightCommands.toggle.now().run());
    await drawn();
    expect(ids()).toEqual(before);
  });

  it("has frames around what shows their nodes, and notes below, which follow names", async () => {
    act(() => documentActions.select(["net/block_0_conv/Conv2D"]));
    act(() => void frameCommands.add.now().run());
    act(() => void noteCommands.add.now().run());
    const box = nodeRect(currentMap(), currentMap().indexOf.get(scope("block_0").id) ?? -1);
    const rects = () => graph().document.annotations.map(drawnRect);
    expect(rects()[0]).toEqual({
      ...{ left: box.left - 24, top: box.top - 40, right: box.right + 24, bottom: box.bottom + 24 },
    });
    expect(rects()[1]).toMatchObject({ left: box.left, top: box.bottom + 8 });
    act(() => documentActions.rename("net/block_0_conv/Conv2D", "conv"));
    await drawn();
    const conv = nodeRect(currentMap(), currentMap().indexOf.get("conv") ?? -1);
    expect(rects()[1]).toMatchObject({ left: conv.left, top: conv.bottom + 8 });
    act(() => documentActions.select([]));
    expect(noteCommands.add.now().reason).toBe("Select the nodes first that the note is about.");
  });

  it("leaves a closed scope where it was dragged, and a node by an edit that can be undone", async () => {
    const rectOf = (id: string) => nodeRect(currentMap(), currentMap().indexOf.get(id) ?? -1);
    const box = scope("block_0").id;
    const before = rectOf(box);
    act(() => moveItems(box, { x: 40, y: 16 }));
    expect(rectOf(box).left).toBe(before.left + 40);
    expect(graph().canUndo).toBe(false);

    const x = rectOf("x");
    act(() => moveItems("x", { x: 24, y: 8 }));
    expect(rectOf("x").left).toBe(x.left + 24);
    expect(graph().document.layout.size).toBe(1);
    act(() => documentActions.undo());
    await drawn();
    expect(rectOf("x")).toEqual(x);
  });

  it("follows edits: what is deleted is gone, what is added is drawn", async () => {
    act(() => void documentActions.deleteNodes(["y"]));
    await drawn();
    expect(ids()).not.toContain("y");
    act(() => void documentActions.addNode("Neg", { x: 10, y: 20 }));
    await drawn();
    expect(ids()).toContain("Neg");
    act(() => documentActions.undo());
    act(() => documentActions.undo());
    await drawn();
    expect(ids()).toContain("y");
  });

  it("places copies with what they are copied from, at no position of their own", async () => {
    act(() => documentActions.select(["net/block_0_conv/Conv2D", "net/block_0_bn/BiasAdd"]));
    act(() => void documentActions.duplicate());
    await drawn();
    expect([...graph().selection]).toEqual(["net/block_0_conv/Conv2D_1", "net/block_0_bn/BiasAdd_1"]);
    expect(graph().document.layout.size).toBe(0);
  });

  it("shows the place of a problem in a closed scope", async () => {
    act(() => void documentActions.deleteNodes(["net/block_0_bn/BiasAdd"]));
    await drawn();
    act(() => void graphCommands.nextProblem.now().run());
    await drawn();
    const [selected = ""] = graph().selection;
    expect(graph().problems.has(selected)).toBe(true);
  });
});

describe("a scope", () => {
  const props = (label: string, kind: "box" | "frame") =>
    ({
      id: scope(label).id,
      data: { kind, scope: scope(label) },
      selected: false,
    }) as NodeProps<ScopeFlowNode>;

  it("closed says how much is in it, on which tasks, and that something is wrong", async () => {
    const names = ["net/block_0_conv/Conv2D"];
    act(() => void documentActions.pin(names, "/job:worker/task:1"));
    show(
      <ReactFlowProvider>
        <ScopeNode {...props("block_0", "box")} />
      </ReactFlowProvider>,
    );
    expect(await screen.findByTitle(/8 nodes, 8 parameters, auto 88 %, worker\/1 13 %/)).toBeDefined();
    // These nodes have no attributes, and TensorFlow requires some.
    const { nodes } = graph().document;
    const wrong = [...graph().problems.keys()].filter((name) => name.startsWith("net/block_0_")).length;
    expect(nodes.size).toBeGreaterThan(wrong);
    expect(await screen.findByText(`${wrong} problems`)).toBeDefined();
    await expectAccessible();
  });

  it("closed has its name broken behind signs, not within words", () => {
    show(
      <ReactFlowProvider>
        <ScopeNode {...props("block_1–2", "box")} />
      </ReactFlowProvider>,
    );
    const title = screen.getByText("block_1–2");
    expect([...title.childNodes].map(({ nodeName, textContent }) => textContent || nodeName)).toEqual([
      "block_",
      "WBR",
      "1–2",
    ]);
  });

  it("of blocks that repeat says how many", () => {
    show(
      <ReactFlowProvider>
        <ScopeNode {...props("block_1–2", "box")} />
      </ReactFlowProvider>,
    );
    expect(screen.getByText("×2")).toBeDefined();
  });

  it("open has a title with a button that closes it, and is in the breadcrumbs of what is selected", async () => {
    act(() => goToNode("net/block_0_conv/Conv2D"));
    await drawn();
    const { user } = show(
      <ReactFlowProvider>
        <ScopeNode {...props("block_0", "frame")} />
        <Breadcrumbs />
        <ArrangingBar />
      </ReactFlowProvider>,
    );
    await expectAccessible();
    const crumbs = screen.getByRole("navigation");
    expect(crumbs.textContent).toBe("Graph/net/block_0");
    await user.click(screen.getByRole("button", { name: /^Close the scope/ }));
    await drawn();
    expect(ids()).not.toContain("net/block_0_conv/Conv2D");
  });
});
