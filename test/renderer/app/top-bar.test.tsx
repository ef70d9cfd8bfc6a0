// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { TopBar } from "../../../renderer/app/top-bar.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { activateSession, activeSession, openSession } from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useExamples } from "../../../renderer/stores/example-store.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { receiveSettings, useSettings } from "../../../renderer/stores/settings-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, copied, expectAccessible, focusOn, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const item = (name: string | RegExp) => screen.getByRole("menuitem", { name });
const running = (more = {}) => runOf({ state: "running", step: 5, steps: 100, elapsedMillis: 500, ...more });
const cluster = (more = {}) =>
  clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0", { address: "10.0.0.1:2222" })] })], more);

beforeEach(() => {
  connect({ "runs.start": { runId: "r1" } });
  openDocument(welcome());
  receiveCluster(cluster());
});

describe("the top bar", () => {
  it("names the document, and says that it has unsaved changes", async () => {
    show(<TopBar />);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("test");
    expect(screen.queryByRole("img", { name: "has unsaved changes" })).toBeNull();
    await expectAccessible();
    act(() => void documentActions.deleteNodes(["z"]));
    expect(screen.getByRole("img", { name: "has unsaved changes" })).toBeDefined();
  });

  it("takes edits back and brings them back, and says what", async () => {
    const { user } = show(<TopBar />);
    expect(button("Undo").getAttribute("aria-disabled")).toBe("true");
    act(() => void documentActions.deleteNodes(["z"]));
    await user.click(button("Undo: Delete z"));
    expect(useDocument.getState().document.nodes.has("z")).toBe(true);
    await user.click(button("Redo: Delete z"));
    expect(useDocument.getState().document.nodes.has("z")).toBe(false);
  });

  it("runs a step, many, and a number that is chosen by keys", async () => {
    const { user } = show(<TopBar />);
    await user.click(button("Run"));
    expect(calls.at(-1)).toMatchObject({ method: "runs.start", params: { steps: 1 } });
    await user.click(button("Run 1000 steps"));
    expect(calls.at(-1)).toMatchObject({ params: { steps: 1000 } });
    focusOn(button("Number of steps"));
    await user.keyboard("{Enter}");
    await expectAccessible();
    await user.keyboard("{ArrowDown}{Enter}");
    expect(useDocumentRun.getState().manySteps).toBe(100);
    expect(calls.at(-1)).toMatchObject({ params: { steps: 100 } });
    // Each document has its own number.
    const mine = activeSession();
    act(() => void openSession());
    expect(button("Run 1000 steps")).toBeDefined();
    act(() => activateSession(mine));
    expect(button("Run 100 steps")).toBeDefined();
    await user.click(button("Number of steps"));
    await user.click(item(/^Another number/));
    expect(useUi.getState().dialog?.kind).toBe("custom-steps");
  });

  it("does not run without a connection, and says why", async () => {
    act(() => useApp.setState({ connection: "lost" }));
    const { user } = show(<TopBar />);
    await user.click(button("Run"));
    expect(calls).toEqual([]);
    expect(button("Run").getAttribute("aria-disabled")).toBe("true");
    await expectAccessible();
  });

  it("shows how far a run is, and stops it after its step, then at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    show(<TopBar />);
    act(() => showRun(running()));
    expect(screen.queryByRole("progressbar")).toBeNull();
    act(() => void vi.advanceTimersByTime(400));
    vi.useRealTimers();
    const progress = screen.getByRole("progressbar", { name: "Run" });
    expect(progress.getAttribute("aria-valuenow")).toBe("5");
    expect(progress.getAttribute("aria-valuetext")).toBe("step 5 / 100");
    expect(progress.textContent).toContain("10 s left");
    expect(button("Run").getAttribute("aria-disabled")).toBe("true");
    await expectAccessible();
    act(() => button("Stop").click());
    expect(calls.at(-1)).toEqual({ method: "runs.stop", params: { runId: "r1", abort: false } });
    act(() => button("Abort").click());
    expect(calls.at(-1)).toEqual({ method: "runs.stop", params: { runId: "r1", abort: true } });
    act(() => useRun.setState({ newest: running({ state: "done" }) }));
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(screen.queryByRole("button", { name: "Abort" })).toBeNull();
  });

  it("has the targets for scripts, which it copies, and the membership of the cluster", async () => {
    receiveCluster(cluster({ gateway: { target: "grpc://127.0.0.1:2300" } }));
    const { user } = show(<TopBar />);
    await user.click(button(/^Session target: grpc:\/\/127\.0\.0\.1:2300/));
    expect(screen.getByRole("menu", { name: /^Session target/ })).toBeDefined();
    await expectAccessible();
    await user.click(item(/^grpc:\/\/10\.0\.0\.1:2222/));
    expect(copied).toEqual(["grpc://10.0.0.1:2222"]);
    await user.keyboard("{Escape}");
    await user.click(button(/^Session target/));
    await user.click(screen.getByRole("menuitemcheckbox", { name: /^Fixed/ }));
    expect(useUi.getState().dialog).toMatchObject({ kind: "confirm", title: "Make the cluster fixed?" });
  });

  it("says that the session target is not connected", () => {
    act(() => useApp.setState({ connection: "lost" }));
    show(<TopBar />);
    expect(button(/^Session target/).textContent).toContain("not connected");
  });

  it("switches the trace, and opens the palette", async () => {
    const { user } = show(<TopBar />);
    await user.click(screen.getByRole("switch", { name: "Trace" }));
    expect(useUi.getState().trace).toBe(true);
    await user.click(button(/^Search or run a command/));
    expect(useUi.getState().dialog?.kind).toBe("palette");
  });
});

describe("the main menu", () => {
  it("opens with a key, has examples and recent files, and gives the focus back", async () => {
    useExamples.setState({ examples: [{ id: "sum", title: "Sum", description: "Adds." }] });
    receiveSettings({ ...useSettings.getState().settings, recentDocuments: ["/graphs/mnist.pbtxt"] });
    const { user } = show(<TopBar />);
    focusOn(button("Menu"));
    await user.keyboard("{Enter}");
    const menu = screen.getByRole("menu", { name: "Menu" });
    expect(
      within(menu)
        .getAllByRole("menuitem")
        .map(({ textContent }) => textContent),
    ).toEqual(
      expect.arrayContaining([expect.stringContaining("New graph"), expect.stringContaining("Open example")]),
    );
    await expectAccessible();
    focusOn(item(/^Open recent/));
    await user.keyboard("{ArrowRight}");
    expect(item(/^mnist\.pbtxt/)).toBeDefined();
    await user.keyboard("{Escape}{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(button("Menu"));
  });

  it("shows what cannot be done, with the reason", async () => {
    act(() => useApp.setState({ connection: "lost" }));
    const { user } = show(<TopBar />);
    await user.click(button("Menu"));
    const open = item(/^Open…/);
    expect(open.getAttribute("aria-disabled")).toBe("true");
    expect(open.textContent).toContain("Not connected to Tensordeck.");
  });
});
