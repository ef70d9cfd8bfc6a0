// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { StatusBar } from "../../../renderer/app/status-bar.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useDrag } from "../../../renderer/stores/drag-store.js";
import { receiveRuntime } from "../../../renderer/stores/runtime-store.js";
import { useSettings } from "../../../renderer/stores/settings-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { binary, documentOf, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const bar = () => screen.getByRole("contentinfo").textContent;
const two = (more = {}) =>
  clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1", more)] })]);

beforeEach(() => {
  connect();
  openDocument(welcome());
});

describe("the status bar", () => {
  it("counts tasks, says what they lack, and that nothing is known without a connection", async () => {
    receiveCluster(two());
    show(<StatusBar />);
    expect(bar()).toContain("Cluster ok, 2/2 tasks");
    await expectAccessible();
    act(() => receiveCluster(two({ state: "failed", problem: { code: "INTERNAL", message: "ended" } })));
    expect(bar()).toContain("worker/1 failed, 1/2 tasks");
    act(() => useApp.setState({ connection: "lost" }));
    expect(bar()).toContain("Cluster not known while not connected");
    expect(bar()).toContain("Not connected");
    await expectAccessible();
  });

  it("shows what the newest step took, and that this was before an edit", async () => {
    show(<StatusBar />);
    expect(bar()).toContain("Not run yet");
    act(() => showRun(runOf({ step: 3, steps: 3, stepMillis: 1234 })));
    expect(bar()).toContain("step 3: 1.2 s");
    act(() => void documentActions.deleteNodes(["z"]));
    expect(bar()).toContain("before edit");
    act(() => showRun(runOf({ state: "stopped", step: 4, steps: 10 })));
    expect(bar()).toContain("Stopped after 4 of 10 steps");
  });

  it("counts problems and leads to them", async () => {
    openDocument(documentOf([binary("s", "AddV2", "gone", "gone")]));
    const { user } = show(<StatusBar />);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "1 problem" }));
    expect(useUi.getState()).toMatchObject({ dockOpen: true, dockTab: "problems" });
  });

  it("leads to machines that are not reached and to who may use the cluster", async () => {
    const desktop = machineOf("desktop", { kind: "paired", presence: "offline" });
    receiveCluster(clusterOf([machineOf("laptop"), desktop], { access: "open" }));
    const { user } = show(<StatusBar />);
    expect(bar()).toContain("desktop offline");
    await user.click(screen.getByRole("button", { name: /^Open cluster/ }));
    expect(useUi.getState().dialog?.kind).toBe("access");
  });

  it("says whether the document is saved", () => {
    show(<StatusBar />);
    expect(bar()).toContain("Not saved yet");
    act(() => void documentActions.deleteNodes(["z"]));
    expect(bar()).toContain("Edited, not saved");
    act(() => documentActions.markSaved({ name: "g", path: "/g.pbtxt", kind: "meta_graph", format: "text" }));
    expect(screen.getByText("Saved")).toBeDefined();
  });

  it("says instead what letting go of a drag would do, and why a key did nothing", async () => {
    receiveCluster(two());
    show(<StatusBar />);
    act(() => uiActions.explain("Undo: There is nothing to undo."));
    expect(screen.getByRole("status").textContent).toBe("Undo: There is nothing to undo.");
    act(() => useDrag.setState({ status: "Pin 1 node to worker/0." }));
    expect(screen.getByRole("status").textContent).toBe("Pin 1 node to worker/0.");
    expect(bar()).not.toContain("Cluster ok");
    await expectAccessible();
    act(() => {
      useDrag.setState({ status: undefined });
      uiActions.explain(undefined);
    });
    expect(bar()).toContain("Cluster ok");
  });

  it("names the engine, and changes the theme", async () => {
    const { settings } = useSettings.getState();
    act(() => useSettings.setState({ settings: { ...settings, theme: "dark" } }));
    connect({ "settings.set": { ...settings, theme: "light" } });
    const { user } = show(<StatusBar />);
    act(() => receiveRuntime({}));
    expect(bar()).toContain("Portable engine");
    await user.click(screen.getByRole("button", { name: "Change to the light theme" }));
    expect(calls).toMatchObject([{ method: "settings.set", params: { theme: "light" } }]);
    expect(screen.getByRole("button", { name: "Change to the dark theme" })).toBeDefined();
  });
});
