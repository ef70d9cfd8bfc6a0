import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskState } from "../../../main/api/cluster.js";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { RunState } from "../../../main/api/run-state.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import type { VariableState } from "../../../main/api/variables.js";
import { ProblemError } from "../../../main/api/wire.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { initialiseAndRunAgain } from "../../../renderer/actions/initialise-actions.js";
import { dismissRecovery } from "../../../renderer/actions/recovery-actions.js";
import {
  enqueueRun,
  receiveRun as receiveRunWith,
  reviewOffers,
  startRun,
  stopRun,
} from "../../../renderer/actions/run-actions.js";
import { initialiseOffer } from "../../../renderer/commands/run-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import {
  activeSession,
  closeSession,
  openSession,
  openSessions,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { NO_REMEDIES } from "../support/run-remedies.js";

/** Applies a run; no task lacks a kernel here. */
const receiveRun = (run: RunUpdate) => receiveRunWith(run, NO_REMEDIES);

const calls: { method: string; params: unknown }[] = [];
let fail: ProblemError | undefined;
let inspected: readonly VariableState[] = [];

setClient({
  call: async (method: string, params: unknown) => {
    calls.push({ method, params });
    if (fail) throw fail;
    if (method === "variables.inspect") return { graphId: "g1", variables: inspected };
    return method === "runs.start" ? { runId: "r1" } : [];
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

function cluster(...tasks: [name: string, state: TaskState][]): void {
  const list = tasks.map(([name, state]) => taskOf(name, { state }));
  receiveCluster(clusterOf([machineOf("m", { tasks: list })]));
}

function update(state: RunState, more: Partial<RunUpdate> = {}): RunUpdate {
  return {
    runId: "r1",
    origin: originOf(useDocument.getState().document),
    state,
    step: 0,
    steps: 1,
    trace: false,
    elapsedMillis: 0,
    currentMillis: 0,
    fetches: [],
    nodes: [],
    transfers: [],
    ...more,
  };
}

/** One node, pinned to worker/0. */
function loadGraph(name = "g", op = "NoOp"): void {
  const graphDef = GraphDef.fromPartial({ node: [{ name: "a", op, device: "/job:worker/task:0" }] });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  documentActions.load({ name, kind: "meta_graph", format: "text", metaGraph });
}

const notices = () => useApp.getState().notices;
const methods = () => calls.map(({ method }) => method);

afterEach(() => {
  for (const session of openSessions().slice(1)) closeSession(session);
});

beforeEach(() => {
  calls.length = 0;
  fail = undefined;
  useApp.setState({ notices: [] });
  useRun.setState({ newest: undefined, ownRunId: undefined, stopRequested: undefined });
  useDocumentRun.setState({ latest: undefined, runRevision: undefined });
  cluster();
  loadGraph();
});

describe("startRun", () => {
  it("says what an empty graph lacks instead of running it", async () => {
    documentActions.load({ name: "empty", kind: "meta_graph", format: "text", metaGraph: new Uint8Array(0) });
    await startRun(1);
    expect(methods()).toEqual([]);
    expect(notices()[0]?.problem.message).toContain("nothing to run");
  });

  it("offers to start missing tasks; the one click starts them and runs", async () => {
    await startRun(10);
    expect(methods()).toEqual([]);
    const [notice] = notices();
    expect(notice?.problem.message).toBe("This graph needs worker/0.");
    expect(notice?.action?.label).toBe("Start worker/0 and run");
    await notice?.action?.run();
    expect(calls).toMatchObject([
      { method: "cluster.addTasks", params: { job: "worker", count: 1 } },
      { method: "runs.start", params: { steps: 10, targets: ["a"] } },
    ]);
    expect(notices()).toEqual([]);
  });

  it("remembers the revision that ran and shows a refusal", async () => {
    cluster(["worker/0", "running"]);
    await startRun(1);
    receiveRun(update("done"));
    expect(useDocumentRun.getState().runRevision).toBe(useDocument.getState().revision);
    expect(useRun.getState().ownRunId).toBe("r1");
    fail = new ProblemError({ code: "INTERNAL", message: "No session." });
    await startRun(1);
    expect(notices()[0]?.problem.message).toBe("No session.");
  });

  it("does nothing while a run goes on", async () => {
    cluster(["worker/0", "running"]);
    receiveRun(update("running"));
    await startRun(1);
    expect(methods()).toEqual([]);
  });
});

describe("stopRun", () => {
  it("lets the step finish first and aborts when it is asked again", async () => {
    receiveRun(update("running", { step: 5, steps: 100 }));
    await stopRun();
    await stopRun();
    expect(calls.map(({ params }) => params)).toEqual([
      { runId: "r1", abort: false },
      { runId: "r1", abort: true },
    ]);
  });

  it("lets the first step finish, too", async () => {
    receiveRun(update("running", { step: 0, steps: 1 }));
    await stopRun();
    await stopRun();
    expect(calls.map(({ params }) => params)).toEqual([
      { runId: "r1", abort: false },
      { runId: "r1", abort: true },
    ]);
  });

  it("aborts at once what has not begun a step", async () => {
    receiveRun(update("preparing"));
    await stopRun();
    expect(calls[0]?.params).toEqual({ runId: "r1", abort: true });
  });

  it("is silent without a run", async () => {
    receiveRun(update("done", { step: 1 }));
    await stopRun();
    expect(calls).toEqual([]);
  });
});

describe("reviewOffers", () => {
  it("takes the offer of tasks back once they are there, and not before", async () => {
    cluster();
    await startRun(1);
    reviewOffers();
    expect(notices()).toHaveLength(1);
    cluster(["worker/0", "running"]);
    reviewOffers();
    expect(notices()).toEqual([]);
  });
});

describe("receiveRun", () => {
  it("is of the document that sent it, which was saved first and edited while the run waited", async () => {
    cluster(["worker/0", "running"]);
    await enqueueRun();
    const { id, document: name, digest } = originOf(useDocument.getState().document);
    documentActions.markSaved({
      name: "file.pbtxt",
      path: "/file.pbtxt",
      kind: "meta_graph",
      format: "text",
    });
    documentActions.pin(["a"], "/job:worker/task:1");
    const origin = { id, document: "file.pbtxt", path: "/file.pbtxt", digest };
    receiveRun(update("failed", { origin, problem: { code: "INTERNAL", message: "Broken." } }));
    expect(name).toBe("g");
    expect(useDocumentRun.getState().latest?.runId).toBe("r1");
    expect(notices().map(({ problem }) => problem.message)).toEqual(["Broken."]);
  });

  it("shows a failure once and offers to bring the lost task back", async () => {
    cluster(["worker/0", "running"]);
    receiveRun(update("running"));
    cluster(["worker/0", "failed"]);
    const problem = { code: "UNAVAILABLE", message: "worker/0 is gone.", task: "worker/0" };
    receiveRun(update("failed", { problem, steps: 7 }));
    receiveRun(update("failed", { problem, steps: 7 }));
    expect(notices()).toHaveLength(1);
    expect(notices()[0]?.action?.label).toBe("Start worker/0 and run again");
    await notices()[0]?.action?.run();
    expect(methods()).toEqual(["cluster.startTask", "runs.start"]);
    expect(notices()).toEqual([]);
  });

  it("takes the message of the run before away when the next one begins", () => {
    receiveRun(update("failed", { problem: { code: "INTERNAL", message: "Broken." } }));
    receiveRun(update("preparing", { runId: "r2" }));
    expect(notices()).toEqual([]);
    expect(useDocumentRun.getState().latest?.runId).toBe("r2");
  });
});

describe("a run that lost a task and can go on", () => {
  const recovery = { task: "ps/0", afterStep: 7, checkpointStep: 5 };
  const problem = { code: "ABORTED", message: "ps/0 ended.", task: "ps/0" };
  const labels = () => notices().flatMap(({ action }) => action?.label ?? []);

  it("is still offered when one that waited begins, until it goes on", async () => {
    receiveRun(update("failed", { problem, recovery }));
    expect(labels()).toEqual(["Restore from step 5 and go on"]);
    receiveRun(update("preparing", { runId: "r2" }));
    receiveRun(update("done", { runId: "r2" }));
    expect(labels()).toEqual(["Restore from step 5 and go on"]);
    receiveRun(update("preparing"));
    expect(labels()).toEqual([]);
  });

  it("is offered no more once that was dismissed", async () => {
    receiveRun(update("failed", { problem, recovery }));
    await dismissRecovery({ runId: "r1" });
    expect(calls).toContainEqual({ method: "runs.dismissRecovery", params: { runId: "r1" } });
    expect(labels()).toEqual([]);
    expect(useDocumentRun.getState().latest?.recovery).toBeUndefined();
  });
});

describe("the document of a run", () => {
  const shown = () => {
    const { latest, runRevision } = useDocumentRun.getState();
    return latest && { runId: latest.runId, old: runRevision !== useDocument.getState().revision };
  };

  it("shows what it measured, of before an edit once there was one", () => {
    receiveRun(update("done", { step: 1 }));
    expect(shown()).toEqual({ runId: "r1", old: false });
    documentActions.pin(["a"], "/job:worker/task:1");
    expect(shown()).toEqual({ runId: "r1", old: true });
    documentActions.undo();
    expect(shown()).toEqual({ runId: "r1", old: false });
  });

  it("shows nothing of a run of another graph, not even where names are the same and while it goes on", async () => {
    cluster(["worker/0", "running"]);
    const running = update("running", { step: 3, steps: 100 });
    receiveRun(running);
    loadGraph("other");
    expect(shown()).toBeUndefined();
    receiveRun({ ...running, step: 4 });
    expect(shown()).toBeUndefined();
    // It still goes on, which is said, and keeps the next from being started.
    expect(useRun.getState().newest?.step).toBe(4);
    await startRun(1);
    expect(methods()).toEqual([]);
    loadGraph();
    expect(shown()).toEqual({ runId: "r1", old: false });
    loadGraph("g", "Abort");
    expect(shown()).toBeUndefined();
  });

  it("keeps its values when a run of another window computes something else", () => {
    receiveRun(update("done", { step: 1 }));
    receiveRun(update("done", { runId: "r2", origin: { document: "g", digest: "of another graph" } }));
    receiveRun(update("done", { runId: "r3", origin: undefined }));
    expect(shown()).toEqual({ runId: "r1", old: false });
    expect(notices()).toEqual([]);
  });

  it("is known again after the window was loaded anew: nothing is of before an edit that nobody made", () => {
    const before = update("done", { step: 7 });
    documentActions.setFeed("a:0", { kind: "literal", text: "1" });
    const edited = update("done", { runId: "r2", step: 8 });
    loadGraph();
    receiveRun(before);
    expect(shown()).toEqual({ runId: "r1", old: false });
    // The values are of changes that were lost with the reload: there is nothing to undo that would bring them back.
    useRun.setState({ newest: undefined });
    useDocumentRun.setState({ latest: undefined, runRevision: undefined });
    receiveRun(edited);
    expect(shown()).toBeUndefined();
  });

  it("was edited between the click and the first news: the values are of before that edit", async () => {
    cluster(["worker/0", "running"]);
    const first = update("running");
    const started = startRun(1);
    documentActions.setFeed("a:0", { kind: "literal", text: "2" });
    receiveRun(first);
    await started;
    expect(shown()).toEqual({ runId: "r1", old: true });
  });

  it("was left before its run failed: the failure is told with its name and offers nothing here", () => {
    receiveRun(update("running"));
    useRun.setState({ ownRunId: "r1" });
    const failed = update("failed", { problem: { code: "INTERNAL", message: "Broken.", node: "a" } });
    loadGraph("other");
    receiveRun(failed);
    expect(notices()[0]?.problem.message).toBe("The run of g failed. Broken.");
    expect(notices()[0]?.action).toBeUndefined();
  });
});

describe("runs of documents in tabs", () => {
  it("go on in a tab that is not shown, whose failure is told there and offered here", async () => {
    cluster(["worker/0", "running"]);
    loadGraph("one");
    const one = activeSession();
    await startRun(1);
    const sent = update("running");
    openSession();
    loadGraph("two");
    receiveRun(sent);
    expect(useDocumentRun.getState().latest).toBeUndefined();
    expect(useDocumentRun.of(one).getState().latest?.runId).toBe("r1");
    receiveRun({ ...sent, state: "failed", problem: { code: "INTERNAL", message: "No.", node: "a" } });
    const here = notices().find(({ session }) => session === undefined);
    expect(here?.problem.message).toBe("The run of one failed. No.");
    expect(notices().find(({ session }) => session === one)?.action?.label).toBe("Select a");
    await here?.action?.run();
    expect(activeSession()).toBe(one);
    expect(notices().map(({ session }) => session)).toEqual([one]);
  });

  it("belong to the one that sent them, where another is the same", async () => {
    cluster(["worker/0", "running"]);
    loadGraph("same");
    const one = activeSession();
    openSession();
    loadGraph("same");
    await startRun(1);
    receiveRun(update("running"));
    expect(useDocumentRun.getState().latest?.runId).toBe("r1");
    expect(useDocumentRun.of(one).getState().latest).toBeUndefined();
  });

  it("that waited are of before the edits that were made meanwhile", async () => {
    cluster(["worker/0", "running"]);
    loadGraph();
    await enqueueRun();
    const later = update("running");
    const { revision } = useDocument.getState();
    documentActions.addNode("NoOp", { x: 0, y: 0 });
    receiveRun(later);
    expect(useDocumentRun.getState()).toMatchObject({ latest: { runId: "r1" }, runRevision: revision });
  });
});

describe("a run that failed because variables have no value", () => {
  it("offers to initialize them and run again, before it shows the node that failed", async () => {
    useApp.setState({ connection: "connected" });
    cluster(["worker/0", "running"]);
    const graphDef = GraphDef.fromPartial({
      node: [
        ...[
          { name: "v", op: "VarHandleOp" },
          { name: "zero", op: "Const" },
        ],
        { name: "v/Assign", op: "AssignVariableOp", input: ["v", "zero"] },
        { name: "init", op: "NoOp", input: ["^v/Assign"] },
        { name: "read", op: "ReadVariableOp", input: ["v"] },
      ],
    });
    const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
    documentActions.load({ name: "untrained", kind: "meta_graph", format: "text", metaGraph });
    documentActions.chooseRun({ fetches: ["read:0"], targets: [] }, "Read");
    await startRun(3);
    const problem = {
      ...{ code: "FAILED_PRECONDITION", message: "v has no value yet.", node: "read" },
      details: "Could not find variable v.",
    };
    receiveRunWith(update("failed", { runId: "r0", steps: 3, problem }), {
      ...NO_REMEDIES,
      firstValues: initialiseOffer,
    });
    const [notice] = notices();
    expect(notice?.action?.label).toBe("Run init, then run again");
    void notice?.action?.run();
    await vi.waitFor(() => expect(calls.at(-1)).toMatchObject({ params: { targets: ["init"], steps: 1 } }));
    receiveRun(update("done", { step: 1 }));
    await vi.waitFor(() => expect(calls.at(-1)).toMatchObject({ params: { fetches: ["read:0"], steps: 3 } }));
  });
});

describe("a run that has to be prepared first", () => {
  it("goes on as it was asked for once its variables have a value", async () => {
    cluster(["worker/0", "running"]);
    useUi.setState({ trace: false });
    const continued = initialiseAndRunAgain({ steps: 100_000, trace: true });
    await vi.waitFor(() => expect(methods()).toEqual(["runs.start"]));
    receiveRun(update("done", { step: 1 }));
    await continued;
    expect(calls).toMatchObject([
      { method: "runs.start", params: { steps: 1, trace: false, fetches: [] } },
      { method: "runs.start", params: { steps: 100_000, trace: true, targets: ["a"] } },
    ]);
  });

  it("leaves variables as they are that have a value already", async () => {
    cluster(["worker/0", "running"]);
    const variable = (name: string) => ({ name, op: "VarHandleOp", device: "/job:worker/task:0" });
    const assign = (name: string) => ({
      name: `${name}/Assign`,
      op: "AssignVariableOp",
      input: [name, "zero"],
    });
    const graphDef = GraphDef.fromPartial({
      node: [
        ...[variable("trained"), variable("added"), { name: "zero", op: "Const" }],
        ...[assign("trained"), assign("added")],
        { name: "init", op: "NoOp", input: ["^trained/Assign", "^added/Assign"] },
        { name: "train", op: "NoOp", input: ["^read"] },
        { name: "read", op: "ReadVariableOp", input: ["trained", "^added"] },
      ],
    });
    const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
    documentActions.load({ name: "trained", kind: "meta_graph", format: "text", metaGraph });
    documentActions.chooseRun({ fetches: [], targets: ["train"] }, "Train");
    inspected = [
      { name: "trained", initialized: true },
      { name: "added", initialized: false },
    ];
    const continued = initialiseAndRunAgain({ steps: 5, trace: false });
    await vi.waitFor(() => expect(calls.at(-1)?.method).toBe("runs.start"));
    expect(calls.at(-1)).toMatchObject({ params: { targets: ["added/Assign"] } });
    receiveRun(update("done", { step: 1 }));
    await continued;
    expect(calls.at(-1)).toMatchObject({ params: { steps: 5, targets: ["train"] } });
  });

  it("keeps the trace that was asked for while its tasks are started", async () => {
    useUi.setState({ trace: true });
    await startRun(10);
    useUi.setState({ trace: false });
    await notices()[0]?.action?.run();
    expect(calls.at(-1)).toMatchObject({ method: "runs.start", params: { steps: 10, trace: true } });
  });
});
