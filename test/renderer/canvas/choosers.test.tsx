// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EdgeMenu } from "../../../renderer/canvas/edge-menu.js";
import { ListView } from "../../../renderer/canvas/list-view.js";
import { PinChooser } from "../../../renderer/canvas/pin-chooser.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const graph = () => useDocument.getState();
const options = () => screen.getAllByRole("option");
const active = () => screen.getByRole("option", { selected: true }).textContent;

beforeEach(() => {
  connect();
  openDocument(welcome());
  receiveCluster(
    clusterOf([
      machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1", { state: "stopped" })] }),
    ]),
  );
});
afterEach(() => useCanvas.setState({ listOpen: false, pinChooserOpen: false, edgeMenu: undefined }));

describe("the choice of a task", () => {
  const open = (...names: string[]) =>
    act(() => {
      documentActions.select(names);
      useCanvas.setState({ pinChooserOpen: true });
    });

  it("says how many nodes each task would have, and pins with a number", async () => {
    const { user } = show(<PinChooser />);
    open("x", "y");
    expect(screen.getByRole("listbox", { name: "Pin 2 nodes to" })).toBe(document.activeElement);
    expect(options().map(({ textContent }) => textContent)).toEqual([
      "worker/00 → 2 nodes1",
      "worker/1stopped, 0 → 2 nodes2",
      "autonot pinned now",
    ]);
    await expectAccessible();
    await user.keyboard("2");
    expect(graph().document.nodes.get("y")?.device).toBe("/job:worker/task:1");
    expect(screen.queryByRole("listbox")).toBeNull();
    act(() => documentActions.undo());
    expect(graph().document.nodes.get("x")?.device).toBe("");
  });

  it("goes round with the arrows, and closes with Escape", async () => {
    const { user } = show(<PinChooser />);
    open("x");
    await user.keyboard("{ArrowUp}");
    expect(active()).toMatch(/^auto/);
    await user.keyboard("{ArrowDown}");
    expect(active()).toMatch(/^worker\/0/);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(graph().canUndo).toBe(false);
  });

  it("is not there without a selection, and says that there is no task", () => {
    act(() => receiveCluster(clusterOf([machineOf("laptop")])));
    show(<PinChooser />);
    open();
    expect(screen.queryByRole("listbox")).toBeNull();
    open("x");
    expect(screen.getByText("The cluster has no tasks yet. Add a worker first.")).toBeDefined();
  });
});

describe("the list of what an edge can go to", () => {
  const open = (node: string) =>
    act(() =>
      useCanvas.setState({
        edgeMenu: {
          from: { type: "output", end: { node, output: 0 } },
          at: { x: 800, y: 0 },
          screen: { x: 10, y: 10 },
        },
      }),
    );
  const search = () => screen.getByRole("combobox", { name: "Search what to connect to" });

  it("adds the op that was typed, connected, with the keyboard alone", async () => {
    const { user } = show(<EdgeMenu />);
    open("z");
    expect(document.activeElement).toBe(search());
    await expectAccessible();
    await user.keyboard("neg");
    expect(active()).toMatch(/^Neg/);
    await user.keyboard("{Enter}");
    expect([...graph().document.nodes.values()].at(-1)).toMatchObject({ op: "Neg", input: ["z"] });
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("has the ends that are there first, and says that nothing fits", async () => {
    act(() => void documentActions.disconnect([{ node: "z", input: 1 }]));
    const { user } = show(<EdgeMenu />);
    open("a");
    expect(screen.getByText("Existing inputs")).toBeDefined();
    expect(active()).toMatch(/^z/);
    await user.keyboard("no such thing");
    expect(screen.getByText("Nothing that fits has this name.")).toBeDefined();
    await user.clear(search());
    await user.click(options()[0] ?? search());
    expect(graph().document.nodes.get("z")?.input).toEqual(["x", "a"]);
  });

  it("closes with Escape, and changes nothing", async () => {
    const { user } = show(<EdgeMenu />);
    open("z");
    await user.keyboard("neg{ArrowDown}{ArrowUp}{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(graph().canUndo).toBe(false);
  });
});

describe("the graph as a list", () => {
  const rows = () => screen.getAllByRole("treeitem");
  const tree = () => screen.getByRole("tree", { name: "Nodes" });
  const current = () =>
    document.getElementById(tree().getAttribute("aria-activedescendant") ?? "")?.textContent;
  const open = () => act(() => useCanvas.setState({ listOpen: true }));

  it("says of each node what it is, where it is and what it reads", async () => {
    documentActions.pin(["x"], "/job:worker/task:0");
    show(<ListView />);
    expect(screen.queryByRole("tree")).toBeNull();
    open();
    expect(rows()).toHaveLength(5);
    expect(screen.getByRole("treeitem", { name: /^x, AddV2, worker\/0, .*inputs a, b/ })).toBeDefined();
    expect(screen.getByRole("treeitem", { name: /^a, Const, .*no inputs/ })).toBeDefined();
    await expectAccessible();
  });

  it("is gone through by keys, which select", async () => {
    const { user } = show(<ListView />);
    open();
    expect(document.activeElement).toBe(tree());
    await user.keyboard("{End}");
    expect(current()).toMatch(/^z/);
    await user.keyboard(" ");
    expect([...graph().selection]).toEqual(["z"]);
    await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
    expect([...graph().selection]).toEqual(["z", "y"]);
    await user.keyboard("{Control>}{ArrowUp} {/Control}");
    expect([...graph().selection]).toEqual(["z", "y", "x"]);
    await user.keyboard("{Control>} {/Control}");
    expect(screen.getAllByRole("treeitem", { selected: true })).toHaveLength(2);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("tree")).toBeNull();
  });

  it("finds nodes by name and op", async () => {
    const { user } = show(<ListView />);
    open();
    const field = screen.getByRole("textbox", { name: "Find a node" });
    focusOn(field);
    await user.keyboard("addv2");
    expect(rows()).toHaveLength(2);
    expect(screen.getByText("2 of 5")).toBeDefined();
    await user.keyboard("{Enter}");
    expect([...graph().selection]).toEqual(["x"]);
    await user.click(screen.getByRole("button", { name: "Close the list" }));
    expect(screen.queryByRole("tree")).toBeNull();
  });
});
