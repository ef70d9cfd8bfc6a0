// @vitest-environment happy-dom
/** Actions whose effect comes after another tab has been shown: it belongs to the document that they began in. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { RunOrigin } from "../../../main/api/run-state.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { deferred } from "../../../main/shared/deferred.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { saveDocumentAs } from "../../../renderer/actions/file-actions.js";
import { initialiseAndRunAgain } from "../../../renderer/actions/initialise-actions.js";
import { exportPicture } from "../../../renderer/actions/picture-actions.js";
import { receiveRun } from "../../../renderer/actions/run-actions.js";
import { initialiseVariables, restoreCheckpoint } from "../../../renderer/actions/variable-actions.js";
import { openVariable } from "../../../renderer/actions/variable-reading.js";
import { pasteCommands } from "../../../renderer/commands/clipboard-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import {
  activeSession,
  closeSession,
  type DocumentSession,
  openSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { useTensorTabs } from "../../../renderer/stores/tensor-tabs.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { NO_REMEDIES } from "../support/run-remedies.js";

const calls: { readonly method: string; readonly params: unknown }[] = [];

/** Shows another document, with a node of another name. */
function showAnother(): DocumentSession {
  openSession();
  loadGraph("other", "b");
  return activeSession();
}

function loadGraph(name: string, node: string, op = "NoOp"): void {
  const graphDef = GraphDef.fromPartial({ node: [{ name: node, op, device: "/job:worker/task:0" }] });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name, kind: "meta_graph", format: "text", metaGraph });
}

/** A variable with its initializer. */
function loadVariable(): void {
  const graphDef = GraphDef.fromPartial({
    node: [
      { name: "v", op: "VarHandleOp", device: "/job:worker/task:0" },
      { name: "zero", op: "Const" },
      { name: "v/Assign", op: "AssignVariableOp", input: ["v", "zero"] },
    ],
  });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name: "mine", kind: "meta_graph", format: "text", metaGraph });
}

const ended = (origin: RunOrigin): RunUpdate => ({
  ...{ runId: "r1", origin, state: "done", step: 1, steps: 1, trace: false },
  ...{ elapsedMillis: 0, currentMillis: 0, fetches: [], nodes: [], transfers: [] },
});

let answers: Readonly<Record<string, () => unknown>>;

beforeEach(() => {
  calls.length = 0;
  answers = { "runs.start": () => ({ runId: "r1" }) };
  setClient({
    call: async (method: string, params: unknown) => {
      calls.push({ method, params });
      return answers[method]?.() ?? [];
    },
    on: () => () => undefined,
    onConnection: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ notices: [] });
  useRun.setState({ newest: undefined, ownRunId: undefined, stopRequested: undefined });
  receiveCluster(clusterOf([machineOf("m", { tasks: [taskOf("worker/0", { state: "running" })] })]));
  loadGraph("mine", "a");
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const session of openSessions().slice(1)) closeSession(session);
});

it("the run that follows an initialization", async () => {
  const origin = originOf(useDocument.getState().document);
  const continued = initialiseAndRunAgain({ steps: 500, trace: false });
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  showAnother();
  receiveRun(ended(origin), NO_REMEDIES);
  await continued;
  expect(calls.map(({ method }) => method)).toEqual(["runs.start", "runs.start"]);
  expect(calls[1]).toMatchObject({ params: { steps: 500, targets: ["a"] } });
});

it("a variable that is opened", async () => {
  const mine = activeSession();
  const { dockTab } = useUi.getState();
  const kept = deferred<object>();
  answers = {
    "variables.inspect": () => ({ graphId: "g1", variables: [] }),
    "variables.keep": () => kept.promise,
  };
  // Only a graph with a variable is inspected.
  loadGraph("mine", "v", "VarHandleOp");
  const opened = openVariable("v");
  await vi.waitFor(() => expect(calls.at(-1)?.method).toBe("variables.keep"));
  const other = showAnother();
  kept.resolve({});
  await opened;
  expect(useTensorTabs.of(mine).getState().names).toEqual(["v"]);
  expect(useTensorTabs.of(other).getState().names).toEqual([]);
  expect(useUi.getState().dockTab).toBe(dockTab);
});

it("progress and result of a checkpoint that is restored", async () => {
  const mine = activeSession();
  loadGraph("mine", "v", "VarHandleOp");
  const restored = deferred<object>();
  answers = {
    "variables.inspect": () => ({ graphId: "g1", variables: [] }),
    "variables.restore": () => restored.promise,
  };
  const restoring = restoreCheckpoint({ prefix: "/model.ckpt", step: 1, savedAt: 0, byteLength: 8 });
  const notices = () => useApp.getState().notices;
  await vi.waitFor(() => expect(notices()).toMatchObject([{ session: mine }]));
  showAnother();
  restored.resolve({ restored: 1, missing: [], unused: [] });
  await restoring;
  expect(notices()).toMatchObject([{ session: mine, problem: { code: "OK" } }]);
  expect(notices()[0]?.action).toBeUndefined();
});

it("a picture's name", async () => {
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  const exported = exportPicture("svg", false);
  showAnother();
  await exported;
  expect(names).toEqual(["mine.svg"]);
});

it("a document that is saved, with its runs", async () => {
  const mine = activeSession();
  const { id } = useDocument.getState().document;
  const saved = deferred<object>();
  answers = { "documents.save": () => saved.promise };
  const saving = saveDocumentAs();
  await vi.waitFor(() => expect(useUi.getState().dialog?.kind).toBe("file"));
  const { dialog } = useUi.getState();
  if (dialog?.kind === "file") dialog.resolve("/lost.pbtxt");
  uiActions.close();
  await vi.waitFor(() => expect(calls.at(-1)?.method).toBe("documents.save"));
  const other = showAnother();
  saved.resolve({ name: "lost.pbtxt", path: "/lost.pbtxt", kind: "meta_graph", format: "text" });
  expect(await saving).toBe(true);
  expect(useDocument.of(mine).getState().document).toMatchObject({ id, path: "/lost.pbtxt" });
  expect(useDocument.of(other).getState().document.path).toBeUndefined();
  expect(calls.at(-1)).toEqual({
    method: "runs.documentSaved",
    params: { id, document: "lost.pbtxt", path: "/lost.pbtxt" },
  });
});

it("variables that are initialized, the question before, and their values of before", async () => {
  const mine = activeSession();
  loadVariable();
  const states = [{ name: "v", initialized: true }];
  const setAside = deferred<object>();
  answers = {
    "variables.inspect": () => ({ graphId: "g1", variables: states }),
    "variables.setAside": () => setAside.promise,
    "runs.start": () => ({ runId: "r1" }),
    "variables.bringBack": () => ({ restored: 1 }),
  };
  const { document } = useDocument.getState();
  const initialised = initialiseVariables(["v"]);
  await vi.waitFor(() => expect(useUi.getState().dialog?.kind).toBe("confirm"));
  const { dialog } = useUi.getState();
  if (dialog?.kind === "confirm") dialog.resolve("initialise");
  uiActions.close();
  await vi.waitFor(() => expect(calls.at(-1)?.method).toBe("variables.setAside"));
  showAnother();
  setAside.resolve({ keptId: "k1" });
  await vi.waitFor(() => expect(calls.at(-1)?.method).toBe("runs.start"));
  expect(calls.at(-1)).toMatchObject({ params: { targets: ["v/Assign"] } });
  receiveRun(ended(originOf(document)), NO_REMEDIES);
  await initialised;
  const notice = useApp.getState().notices.find(({ action }) => action !== undefined);
  expect(notice?.session).toBe(mine);
  await notice?.action?.run();
  expect(calls.find(({ method }) => method === "variables.bringBack")).toMatchObject({
    params: { graphId: "g1", keptId: "k1", names: ["v"] },
  });
});

it("nodes that are pasted", async () => {
  const mine = activeSession();
  const text = deferred<string>();
  vi.stubGlobal("navigator", { ...navigator, clipboard: { readText: () => text.promise } });
  documentActions.select(["a"]);
  const copied = documentActions.copiedText();
  pasteCommands.paste.now().run();
  const other = showAnother();
  text.resolve(copied ?? "");
  await vi.waitFor(() => expect(useDocument.of(mine).getState().document.nodes.size).toBe(2));
  expect(useDocument.of(other).getState().document.nodes.size).toBe(1);
});
