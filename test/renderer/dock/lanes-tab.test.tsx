// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import LanesTab from "../../../renderer/dock/task-lanes/lanes-tab.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useDrag } from "../../../renderer/stores/drag-store.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { binary, constant, documentOf } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const deviceOf = (name: string) => useDocument.getState().document.nodes.get(name)?.device;
const lane = (name: string) => screen.getByRole("region", { name });
const itemIn = (laneName: string, item: RegExp) => within(lane(laneName)).getByRole("button", { name: item });

beforeEach(() => {
  connect();
  receiveCluster(
    clusterOf([machineOf("pc", { tasks: [taskOf("worker/0"), taskOf("worker/1", { colour: 1 })] })]),
  );
  openDocument(
    documentOf([
      { ...constant("a", "[1, 2, 3, 4]"), device: "/job:worker/task:0" },
      { ...binary("z", "AddV2", "a", "a"), device: "/job:worker/task:1" },
      { ...binary("free", "Mul", "z", "z") },
    ]),
  );
});

afterEach(() => vi.restoreAllMocks());

/** There is no layout in this DOM: says what lies under the pointer. */
function pointAt(element: Element | null): void {
  document.elementFromPoint = () => element;
}

describe("the lanes by task", () => {
  it("are one per task and one for what is not pinned, with what is sent", async () => {
    show(<LanesTab />);
    expect(screen.getAllByRole("region", { name: /^(worker\/\d|auto)$/ })).toHaveLength(3);
    expect(itemIn("worker/0", /^a/)).toBeDefined();
    expect(itemIn("worker/1", /^z/)).toBeDefined();
    expect(itemIn("auto", /^free/)).toBeDefined();
    // The unpinned node goes to the first task that the graph names: a and z are both sent.
    expect(
      screen.getByText(/Sent between tasks in a step, without fetched values: 2 tensors, 32 B/),
    ).toBeDefined();
    await expectAccessible();
  });

  it("pin by keyboard, and keep the focus on what was moved", async () => {
    const { user } = show(<LanesTab />);
    focusOn(itemIn("worker/0", /^a/));
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(deviceOf("a")).toBe("/job:worker/task:1");
    expect(document.activeElement).toBe(itemIn("worker/1", /^a/));
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(itemIn("worker/1", /^z/));
    await user.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(itemIn("auto", /^free/));
    await user.keyboard("p");
    expect(useCanvas.getState().pinChooserOpen).toBe(true);
    expect([...useDocument.getState().selection]).toEqual(["free"]);
    act(() => useCanvas.setState({ pinChooserOpen: false }));
    act(() => documentActions.undo());
    expect(deviceOf("a")).toBe("/job:worker/task:0");
  });

  it("pin what is dropped, and say meanwhile what would be sent; Escape cancels", () => {
    show(<LanesTab />);
    const item = itemIn("worker/0", /^a/);
    const drag = () => {
      fireEvent.pointerDown(item, { button: 0, clientX: 0, clientY: 0 });
      pointAt(lane("worker/1"));
      fireEvent.pointerMove(window, { clientX: 50, clientY: 50 });
    };
    drag();
    expect(useDrag.getState().status).toBe(
      "Pin 1 node to worker/1. Sent between tasks in a step: 0 B instead of 32 B. Esc cancels. One undo step.",
    );
    fireEvent.keyDown(window, { key: "Escape" });
    fireEvent.pointerUp(window);
    expect(deviceOf("a")).toBe("/job:worker/task:0");
    drag();
    fireEvent.pointerUp(window);
    expect(deviceOf("a")).toBe("/job:worker/task:1");
    expect(useDocument.getState().undoLabel).toBe("Pin a to worker/1");
  });

  it("take a whole lane, and unpin what is dropped on auto", () => {
    show(<LanesTab />);
    const head = screen.getByRole("button", { name: /^Select 1 node of worker\/1/ });
    fireEvent.pointerDown(head, { button: 0, clientX: 0, clientY: 0 });
    pointAt(lane("auto"));
    fireEvent.pointerMove(window, { clientX: 50, clientY: 50 });
    expect(useDrag.getState().status).toMatch(/^Unpin 1 node\./);
    fireEvent.pointerUp(window);
    expect(deviceOf("z")).toBe("");
    act(() => documentActions.select([]));
  });
});
