// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { NodeRun } from "../../../main/api/runs.js";
import { ProblemError } from "../../../main/api/wire.js";
import { carryValuesFromNowOn } from "../../../renderer/actions/carried-values.js";
import { cancelSuggestion, suggestPlacement } from "../../../renderer/actions/placement-actions.js";
import { placementCommands, placementShownCommands } from "../../../renderer/commands/placement-commands.js";
import { PlacementPanel } from "../../../renderer/placement-panel/placement-panel.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { movingTo, placementPreview, shownDevice } from "../../../renderer/stores/placement-preview.js";
import { movedVariables, usePlacement } from "../../../renderer/stores/placement-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { documentOf, node, placeholder, type } from "../document/graphs.js";
import { inThread } from "../placement/in-thread-engine.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const neg = (name: string, input: string) => node(name, "Neg", [input], { T: type("float32") });

/** Two branches that take 3 ms each, of one input. */
function branches() {
  const nodes = [placeholder("x"), neg("left", "x"), neg("right", "x"), neg("l", "left"), neg("r", "right")];
  const document = documentOf(nodes);
  return { ...document, runConfig: { ...document.runConfig, fetches: ["l:0", "r:0"] } };
}

const ran = (name: string, durationMicros: number, startMicros: number): NodeRun => ({
  ...{ node: name, device: "/job:worker/replica:0/task:0/device:CPU:0", outputBytes: 1000 },
  ...{ startMicros, durationMicros },
});

const traced = (computeMillis: number) =>
  runOf({
    tracedStep: 20,
    computeMillis,
    nodes: [
      ran("x", 1, 0),
      ran("left", 3000, 1),
      ran("right", 3000, 3001),
      ran("l", 2, 6001),
      ran("r", 2, 6003),
    ],
  });

const tasks = (count: number) =>
  receiveCluster(
    clusterOf([
      machineOf("pc", {
        tasks: Array.from({ length: count }, (_, index) => taskOf(`worker/${index}`, { engine: "portable" })),
      }),
    ]),
  );

const suggest = () => act(() => suggestPlacement(inThread));
const deviceOf = (name: string) => useDocument.getState().document.nodes.get(name)?.device;
const devices = () => [...useDocument.getState().document.nodes.values()].map(({ device }) => device);

beforeEach(() => {
  connect();
  openDocument(branches());
  tasks(2);
});

describe("the placement panel", () => {
  it("says what a suggestion needs", async () => {
    show(<PlacementPanel />);
    await expectAccessible();
    expect(placementCommands.suggest.now().reason).toBeUndefined();
    act(() => tasks(1));
    expect(screen.getByRole("button", { name: "Suggest a placement" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    expect(placementCommands.suggest.now().reason).toMatch(/fewer than two tasks/);
  });

  it("shows the moves with reasons and the expected step; applying them is one edit, which undo reverts", async () => {
    showRun(traced(6.1));
    const { user } = show(<PlacementPanel />);
    await suggest();
    const { suggestion } = usePlacement.getState();
    expect(suggestion?.before.micros).toBe(6005);
    // A branch beside the other one, and the way to the second task and back.
    expect(suggestion?.after.micros).toBeLessThan(5000);
    const after = within(screen.getByRole("row", { name: /^After/ }));
    expect(after.getByText("not yet")).toBeDefined();
    expect(within(screen.getByRole("row", { name: /^Before/ })).getByText("6.10 ms")).toBeDefined();
    expect(screen.getByText(/Times of all 5 nodes from step 20/)).toBeDefined();
    await expectAccessible();

    await user.click(screen.getByRole("button", { name: /^Apply \d moves?$/ }));
    expect(new Set(devices())).toEqual(new Set(["/job:worker/task:0", "/job:worker/task:1"]));
    expect(useDocument.getState().undoLabel).toBe("Place 5 nodes as suggested");
    expect(screen.getByText("Applied placement")).toBeDefined();
    act(() => showRun(traced(3.9)));
    expect(within(screen.getByRole("row", { name: /^After/ })).getByText("3.90 ms")).toBeDefined();
    await expectAccessible();
    act(() => documentActions.undo());
    expect(new Set(devices())).toEqual(new Set([""]));
    expect(screen.queryByText("Applied placement")).toBeNull();
  });

  it("says that a first step includes the set-up, and measures later ones also while it suggests moves", async () => {
    showRun({ ...traced(6.1), tracedStep: 1, tracedStepRegisteredGraph: true });
    show(<PlacementPanel />);
    await suggest();
    expect(usePlacement.getState().suggestion?.moves.length).toBeGreaterThan(0);
    expect(
      screen.getByText(/Times of all 5 nodes from step 1, with set-up; .* happens only once/),
    ).toBeDefined();
    expect(screen.getByRole("button", { name: "Run 20 traced steps" })).toBeDefined();
    await expectAccessible();
  });

  describe("of a variable", () => {
    /** A branch that is pinned where it is, and another one that reads a variable. */
    function withVariable() {
      const { nodes, runConfig } = branches();
      const dtype = type("float32");
      const read = node("read", "ReadVariableOp", ["v"], { dtype });
      const pinned = ["x", "left", "l"].flatMap((name) => nodes.get(name) ?? []);
      const others = pinned.map((one) => ({ ...one, device: "/job:worker/task:0" }));
      return {
        ...documentOf([node("v", "VarHandleOp", [], { dtype }), read, neg("r", "read"), ...others]),
        runConfig,
      };
    }

    const answers = (more: Readonly<Record<string, unknown>> = {}) =>
      connect({
        "variables.inspect": { graphId: "g", variables: [{ name: "v", initialized: true }] },
        "variables.setAside": { keptId: "k" },
        "variables.bringBack": { restored: 1 },
        ...more,
      });

    async function suggestForVariable() {
      openDocument(withVariable());
      carryValuesFromNowOn();
      showRun({ ...traced(18), nodes: [ran("left", 9000, 0), ran("read", 9000, 9000)] });
      const { user } = show(<PlacementPanel />);
      await suggest();
      const { suggestion } = usePlacement.getState();
      expect(suggestion && movedVariables(suggestion)).toEqual(["v"]);
      return { apply: () => user.click(screen.getByRole("button", { name: /^Apply \d moves?$/ })) };
    }

    it("takes its value to the other task, and says so before", async () => {
      answers();
      const { apply } = await suggestForVariable();
      expect(screen.getByText(/^1 variable goes to another task, and its value with it\./)).toBeDefined();
      await apply();
      await waitFor(() => expect(calls.at(-1)?.method).toBe("variables.bringBack"));
      expect(calls.map(({ method }) => method)).toEqual([
        ...["variables.inspect", "variables.setAside", "variables.inspect", "variables.bringBack"],
      ]);
      expect(deviceOf("v")).toBe("/job:worker/task:1");
      expect(useApp.getState().notices.at(-1)?.problem.message).toBe(
        "1 variable has its value on the new task.",
      );
    });

    it("asks if the values cannot go along, and leaves everything where it was", async () => {
      const message = "worker/1 does not answer.";
      answers({ "variables.bringBack": new ProblemError({ code: "UNAVAILABLE", message }) });
      const { apply } = await suggestForVariable();
      await apply();
      await waitFor(() => expect(useUi.getState().dialog).toMatchObject({ kind: "confirm" }));
      expect(useUi.getState().dialog).toMatchObject({ text: expect.stringContaining(message) });
      await act(async () => uiActions.close());
      expect(deviceOf("v")).toBe("");
    });
  });

  it("shows on the canvas what would move, and where it would be", async () => {
    showRun(traced(6.1));
    const { user } = show(<PlacementPanel />);
    expect(placementPreview()).toBeUndefined();
    expect(placementShownCommands.after.now().reason).toBe("No placement is suggested.");
    await suggest();
    const preview = placementPreview();
    const moved = [...(preview?.places ?? [])].filter(([, { now, after }]) => now !== after);
    expect(moved.length).toBe(preview?.moving);
    const [[name, place] = ["", undefined]] = moved;
    expect(movingTo(name, preview)).toBe(place?.after);
    expect(shownDevice({ name, device: "" }, preview)).toBe("");
    await user.click(screen.getByRole("radio", { name: "After" }));
    expect(shownDevice({ name, device: "" }, placementPreview())).toBe("/job:worker/task:1");
    await user.click(screen.getByRole("radio", { name: "Now" }));
    expect(movingTo(name, placementPreview())).toBeUndefined();
    await expectAccessible();
    act(() => void documentActions.deleteNodes(["r"]));
    expect(placementPreview()).toBeUndefined();
  });

  it("simulates the step anew when a move is cleared, and applies the others only", async () => {
    showRun(traced(6.1));
    const { user } = show(<PlacementPanel />);
    await suggest();
    const boxes = screen.getAllByRole("checkbox");
    for (const box of boxes) await user.click(box);
    const { suggestion } = usePlacement.getState();
    expect(suggestion?.after).toEqual(suggestion?.before);
    expect(screen.getByRole("button", { name: "Apply 0 moves" }).getAttribute("aria-disabled")).toBe("true");
    const [first] = boxes;
    if (first) await user.click(first);
    expect(placementCommands.apply.now().short).toBe("Apply 1 move");
  });

  it("does not apply a suggestion for another state of the graph", async () => {
    showRun(traced(6.1));
    show(<PlacementPanel />);
    await suggest();
    act(() => void documentActions.deleteNodes(["r"]));
    expect(screen.getByText("The graph has changed since this was suggested.")).toBeDefined();
    expect(placementCommands.apply.now().reason).toMatch(/Suggest again/);
  });

  it("leaves pinned nodes where they are unless it is told otherwise", async () => {
    act(() => void documentActions.pin(["left", "right", "l", "r", "x"], "/job:worker/task:0"));
    showRun(traced(6.1));
    const { user } = show(<PlacementPanel />);
    await suggest();
    expect(screen.getByRole("status").textContent).toMatch(/^No placement was found with a step shorter/);
    await expectAccessible();
    await user.click(screen.getByRole("switch", { name: "Keep pinned nodes where they are" }));
    await suggest();
    expect(usePlacement.getState().suggestion?.moves).not.toEqual([]);
  });

  it("can be cancelled while it searches, and reports its progress", async () => {
    showRun(traced(6.1));
    show(<PlacementPanel />);
    let search: Promise<void> | undefined;
    act(() => {
      search = suggestPlacement(inThread);
    });
    expect(screen.getByRole("progressbar", { name: "Search for a placement" })).toBeDefined();
    await act(async () => {
      cancelSuggestion();
      await search;
    });
    expect(usePlacement.getState()).toMatchObject({ search: undefined, suggestion: undefined });
    expect(screen.getByRole("button", { name: "Suggest a placement" })).toBeDefined();
  });
});
