import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunUpdate } from "../../../main/api/runs.js";
import { receiveRun as receiveRunWith } from "../../../renderer/actions/run-actions.js";
import {
  activateSession,
  activeSession,
  closeSession,
  type DocumentSession,
  inSession,
  moveSession,
  onSessionChange,
  openSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useDrag } from "../../../renderer/stores/drag-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { useDocumentRun } from "../../../renderer/stores/run-store.js";
import { useSavedModel } from "../../../renderer/stores/saved-model-store.js";
import { useTensorTabs } from "../../../renderer/stores/tensor-tabs.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { currentMap } from "../../../renderer/viewport/current-map.js";
import { useCanvas } from "../../../renderer/viewport/view-store.js";
import { bundledOpRegistry, OpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { NO_REMEDIES } from "../support/run-remedies.js";

/** Applies a run; no task lacks a kernel here. */
const receiveRun = (run: RunUpdate) => receiveRunWith(run, NO_REMEDIES);

let first: DocumentSession;
let second: DocumentSession;
const nodeNames = () => [...useDocument.getState().document.nodes.keys()];
const load = (name: string) =>
  documentActions.load({ name, kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) });

beforeEach(() => {
  useOps.setState({ state: "ready", ops: bundledOpRegistry() });
  first = activeSession();
  load("first");
  second = openSession();
  load("second");
});

afterEach(() => {
  closeSession(second);
  for (const session of openSessions().slice(1)) closeSession(session);
});

describe("two documents", () => {
  it("have their own graph, selection, undo steps and refusal", () => {
    documentActions.addNode("Placeholder", { x: 0, y: 0 });
    expect(useDocument.getState()).toMatchObject({ dirty: true, canUndo: true });
    const [added = ""] = nodeNames();
    documentActions.rename(added, "not a name");
    expect(useDocument.getState().refusal).toBeDefined();

    activateSession(first);
    expect(nodeNames()).toEqual([]);
    expect(useDocument.getState()).toMatchObject({ dirty: false, canUndo: false, refusal: undefined });
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    documentActions.undo();

    activateSession(second);
    expect(nodeNames()).toEqual([added]);
    expect([...useDocument.getState().selection]).toEqual([added]);
    expect(useDocument.getState().canRedo).toBe(false);
    documentActions.undo();
    expect(nodeNames()).toEqual([]);
  });

  it("have their own drag, which ends when the other one is shown", () => {
    useDrag.setState({ nodes: ["a"], status: "Pin 1 node to worker/0." });
    activateSession(first);
    expect(useDrag.getState().status).toBeUndefined();
    activateSession(second);
    expect(useDrag.getState()).toMatchObject({ nodes: [], status: undefined });
  });

  it("come back to the revision that each was opened with", () => {
    const opened = useDocument.getState().revision;
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    activateSession(first);
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    activateSession(second);
    documentActions.undo();
    expect(useDocument.getState().revision).toBe(opened);
  });

  it("show the values of the run that computes them, and no other's", () => {
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    const run = { runId: "r1", state: "running", origin: originOf(useDocument.getState().document) };
    activateSession(first);
    // It ends while the other document is shown.
    receiveRun(run as RunUpdate);
    receiveRun({ ...run, state: "done" } as RunUpdate);
    expect(useDocumentRun.getState().latest).toBeUndefined();
    activateSession(second);
    expect(useDocumentRun.getState().latest).toMatchObject({ runId: "r1", state: "done" });
  });

  it("have their own view, map, tensors and saved values", () => {
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    useCanvas.setState({ origin: { x: 4096, y: 0 }, listOpen: true });
    useSavedModel.setState({ sourceId: "s", withoutValues: true });
    uiActions.openTensor("z:0");
    const map = currentMap();

    activateSession(first);
    expect(useCanvas.getState()).toMatchObject({ origin: { x: 0, y: 0 }, listOpen: false });
    expect(useSavedModel.getState()).toEqual({ sourceId: undefined, withoutValues: false });
    expect(useTensorTabs.getState().names).toEqual([]);
    expect(useUi.getState().dockTab).toBe("results");
    expect(currentMap().items).toEqual([]);

    activateSession(second);
    expect(currentMap()).toBe(map);
    expect(useTensorTabs.getState().names).toEqual(["z:0"]);
    expect(useUi.getState().dockTab).toBe("tensor:z:0");
  });

  it("learn of new ops both", () => {
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    const [added = ""] = nodeNames();
    activateSession(first);
    useOps.setState({ ops: OpRegistry.fromBytes(new Uint8Array(0)) });
    expect(useDocument.of(second).getState().problems.has(added)).toBe(true);
  });
});

describe("a session", () => {
  it("is meant within inSession, whichever is active, also after a throw", () => {
    activateSession(first);
    inSession(second, () => documentActions.addNode("NoOp", { x: 0, y: 0 }));
    expect(nodeNames()).toEqual([]);
    expect(() =>
      inSession(second, () => {
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(activeSession()).toBe(first);
  });

  it("is followed by those who subscribed to a store, and left by those who did not", () => {
    const seen: string[] = [];
    const stop = useDocument.subscribe(({ document }, before) =>
      seen.push(`${before.document.name} to ${document.name}`),
    );
    activateSession(first);
    useDocument.of(second).setState({ refusal: "unseen" });
    stop();
    activateSession(second);
    expect(seen).toEqual(["second to first"]);
  });

  it("stands right of the one that was active, and moves", () => {
    activateSession(first);
    const third = openSession();
    const last = openSession({ background: true });
    expect(openSessions()).toEqual([first, third, second, last]);
    expect(activeSession()).toBe(third);
    moveSession(third, 2);
    expect(openSessions()).toEqual([first, second, third, last]);
    closeSession(third);
    expect(activeSession()).toBe(last);
    closeSession(last);
    expect(activeSession()).toBe(second);
  });

  it("gives way to the one before when it is closed; the last one stays", () => {
    let changes = 0;
    const stop = onSessionChange(() => changes++);
    closeSession(second);
    expect(activeSession()).toBe(first);
    closeSession(first);
    expect(openSessions()).toEqual([first]);
    expect(changes).toBe(1);
    stop();
  });
});
