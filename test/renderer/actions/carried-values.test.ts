// @vitest-environment happy-dom
/** Edits that take initialized variables to other tasks have their values assigned there. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Params } from "../../../main/api/contract.js";
import { ProblemError } from "../../../main/api/wire.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { carryValuesFromNowOn, valuesCarried } from "../../../renderer/actions/carried-values.js";
import { VALUES_NOTICE } from "../../../renderer/actions/kept-values.js";
import { sendRun } from "../../../renderer/actions/run-actions.js";
import { showNotice, useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import {
  activeSession,
  closeSession,
  inSession,
  openSession,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { documentOf, node, type } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const dtype = type("float32");
const [PS0, PS1] = ["/job:ps/task:0", "/job:ps/task:1"] as const;

/** The values that tasks hold: "/job:ps/task:0 v" has a number. */
const held = new Map<string, number>();
const graphs = new Map<string, ReadonlyMap<string, string>>();
const aside = new Map<string, ReadonlyMap<string, number>>();
/** Thrown by the next calls of a method. */
const failures = new Map<string, ProblemError>();

const cellsOf = (graphId: string, names: readonly string[]) =>
  names.map((name) => [name, `${graphs.get(graphId)?.get(name)} ${name}`] as const);

/** An application with two tasks, where a variable is on the task that it is pinned to, the first if to none. */
const application = {
  "variables.inspect": ({ graph }: Params<"variables.inspect">) => {
    const variables = GraphDef.decode(graph).node.filter(({ op }) => op === "VarHandleOp");
    const graphId = `g${graphs.size}`;
    graphs.set(graphId, new Map(variables.map(({ name, device }) => [name, device || PS0])));
    return {
      graphId,
      variables: cellsOf(
        graphId,
        variables.map(({ name }) => name),
      ).map(([name, cell]) => ({
        ...{ name, initialized: held.has(cell) },
        device: graphs.get(graphId)?.get(name),
      })),
    };
  },
  "variables.setAside": ({ graphId, names }: Params<"variables.setAside">) => {
    const keptId = `k${aside.size}`;
    aside.set(keptId, new Map(cellsOf(graphId, names).map(([name, cell]) => [name, held.get(cell) ?? NaN])));
    return { keptId };
  },
  "variables.bringBack": ({ graphId, names, keptId, keptAs = {} }: Params<"variables.bringBack">) => {
    for (const [name, cell] of cellsOf(graphId, names)) {
      held.set(cell, aside.get(keptId)?.get(keptAs[name] ?? name) ?? NaN);
    }
    return { restored: names.length };
  },
  "runs.start": () => ({ runId: "r2" }),
};

const valueHeld = (name: string) => {
  const device = useDocument.getState().document.nodes.get(name)?.device || PS0;
  return held.get(`${device} ${name}`);
};
const methods = () => calls.map(({ method }) => method);
const notice = () => useApp.getState().notices.at(-1)?.problem.message;
const question = () => vi.waitFor(() => expect(useUi.getState().dialog).toMatchObject({ kind: "confirm" }));

async function answer(choice: "move" | undefined): Promise<void> {
  await question();
  const { dialog } = useUi.getState();
  if (dialog?.kind === "confirm" && choice) dialog.resolve(choice);
  uiActions.close();
}

beforeEach(() => {
  for (const map of [held, graphs, aside, failures]) map.clear();
  connect(
    Object.fromEntries(
      Object.entries(application).map(([method, answers]) => [
        method,
        (params: never) => {
          const failure = failures.get(method);
          if (failure) throw failure;
          return answers(params);
        },
      ]),
    ),
  );
  const document = documentOf([
    ...["v", "w"].map((name) => node(name, "VarHandleOp", [], { dtype })),
    node("read", "ReadVariableOp", ["v"], { dtype }),
    node("asked", "VarIsInitializedOp", ["v"]),
  ]);
  openDocument({ ...document, runConfig: { ...document.runConfig, fetches: ["read:0"] } });
  receiveCluster(clusterOf([machineOf("pc", { tasks: ["ps/0", "ps/1"].map((name) => taskOf(name)) })]));
  carryValuesFromNowOn();
  held.set(`${PS0} v`, 1);
  held.set(`${PS0} w`, 2);
});

it("a pin takes a variable's value along, and undo and redo the values of then", async () => {
  documentActions.pin(["v"], PS1);
  await valuesCarried();
  expect(valueHeld("v")).toBe(1);
  expect(notice()).toBe("1 variable has its value on the new task.");
  // It is trained where it is now.
  held.set(`${PS1} v`, 7);
  documentActions.undo();
  await valuesCarried();
  expect(valueHeld("v")).toBe(7);
  held.set(`${PS0} v`, 8);
  documentActions.redo();
  await valuesCarried();
  expect(valueHeld("v")).toBe(8);
});

it("a variable that is renamed has its value under the new name, and under the old one after undo", async () => {
  documentActions.rename("v", "weights");
  await valuesCarried();
  expect(valueHeld("weights")).toBe(1);
  expect(notice()).toBe("1 variable has its value under the new name.");
  held.set(`${PS0} weights`, 7);
  documentActions.undo();
  await valuesCarried();
  expect(valueHeld("v")).toBe(7);
  documentActions.redo();
  documentActions.rename("weights", "kernel");
  documentActions.pin(["kernel"], PS1);
  documentActions.moveToScope(["w"], "layer");
  await valuesCarried();
  expect([valueHeld("kernel"), valueHeld("layer/w")]).toEqual([7, 2]);
});

it("a variable with a shared name keeps it, and its value, when its node is renamed", async () => {
  const shared = { value: { $case: "s", value: new TextEncoder().encode("shared") } } as const;
  documentActions.setAttr("v", "shared_name", shared);
  calls.length = 0;
  documentActions.rename("v", "weights");
  await valuesCarried();
  expect(methods()).toEqual([]);
});

it("several at once, pins that are removed, and nodes that take a variable with them", async () => {
  documentActions.pin(["v", "w"], PS1);
  await valuesCarried();
  expect([valueHeld("v"), valueHeld("w")]).toEqual([1, 2]);
  held.set(`${PS1} v`, 3);
  documentActions.pin(["v", "w"], "");
  await valuesCarried();
  expect([valueHeld("v"), valueHeld("w")]).toEqual([3, 2]);
  calls.length = 0;
  documentActions.pin(["read"], PS1);
  await valuesCarried();
  expect(methods()).toContain("variables.setAside");
});

it("edits that follow each other have the values where the last one puts them", async () => {
  documentActions.pin(["v"], PS1);
  documentActions.undo();
  documentActions.pin(["w"], PS1);
  documentActions.pin(["v"], PS1);
  await valuesCarried();
  expect([valueHeld("v"), valueHeld("w")]).toEqual([1, 2]);
});

it("asks nothing of the application where no value can move", async () => {
  documentActions.pin(["asked"], PS1);
  documentActions.rename("read", "read_v");
  expect(valuesCarried()).toBeUndefined();
  expect(methods()).toEqual([]);
});

it("a value that is on no other task is not assigned", async () => {
  documentActions.pin(["v"], PS0);
  await valuesCarried();
  expect(methods()).not.toContain("variables.bringBack");
  expect(useApp.getState().notices).toEqual([]);
});

it("waits for the run of the document, whose values change until then", async () => {
  showRun(runOf({ state: "running" }));
  documentActions.pin(["v"], PS1);
  expect(notice()).toBe("The values of the variables follow the edit when the run is over.");
  expect(methods()).toEqual([]);
  held.set(`${PS0} v`, 5);
  showRun(runOf());
  await valuesCarried();
  expect(valueHeld("v")).toBe(5);
});

const waiting = (documentId: string) => ({ queueId: "q", documentId, steps: 1 });

it("waits for the runs of the document in the queue, which train with the earlier pins", async () => {
  const { id } = useDocument.getState().document;
  showRun(runOf({ state: "running" }));
  useRun.setState({ queue: [waiting(id ?? ""), waiting("another")] });
  documentActions.pin(["v"], PS1);
  showRun(runOf());
  showRun(runOf({ runId: "r2", state: "running" }));
  useRun.setState({ queue: [waiting("another")] });
  held.set(`${PS0} v`, 5);
  expect(methods()).toEqual([]);
  showRun(runOf({ runId: "r2" }));
  await valuesCarried();
  expect(valueHeld("v")).toBe(5);
});

it("does not wait for a run in a tab that was closed", async () => {
  const { document } = useDocument.getState();
  const other = openSession();
  inSession(other, () => {
    openDocument(document);
    showRun(runOf({ state: "running" }));
    documentActions.pin(["v"], PS1);
  });
  const carrying = inSession(other, valuesCarried);
  closeSession(other);
  await carrying;
  expect(methods()).toEqual([]);
});

it("says no longer that values follow if the edit was undone", async () => {
  showRun(runOf({ state: "running" }));
  documentActions.pin(["v"], PS1);
  expect(notice()).toBe("The values of the variables follow the edit when the run is over.");
  documentActions.undo();
  showRun(runOf());
  await valuesCarried();
  expect(useApp.getState().notices).toEqual([]);
});

it("does not take away what other work on values said meanwhile", async () => {
  showRun(runOf({ state: "running" }));
  documentActions.pin(["v"], PS1);
  const problem = { code: "OK", message: "Saved 2 variables." };
  showNotice({ kind: "info", key: VALUES_NOTICE, session: activeSession(), problem });
  documentActions.undo();
  showRun(runOf());
  await valuesCarried();
  expect(notice()).toBe("Saved 2 variables.");
});

it("a run begins when the values are there", async () => {
  documentActions.pin(["v"], PS1);
  await sendRun({ feeds: [], fetches: ["read:0"], targets: [], steps: 1, trace: false });
  expect(methods().slice(-2)).toEqual(["variables.bringBack", "runs.start"]);
});

it("asks where values cannot be read, and leaves the variables where they were unless told otherwise", async () => {
  const message = "worker/0 does not answer.";
  showRun(runOf());
  failures.set("variables.inspect", new ProblemError({ code: "UNAVAILABLE", message }));
  documentActions.pin(["v"], PS1);
  await question();
  expect(useUi.getState().dialog).toMatchObject({ text: expect.stringContaining(message) });
  await answer(undefined);
  await valuesCarried();
  expect(useDocument.getState().document.nodes.get("v")?.device).toBe("");
  expect(useDocument.getState().redoLabel).toBeDefined();
  documentActions.redo();
  await answer("move");
  await valuesCarried();
  expect(useDocument.getState().document.nodes.get("v")?.device).toBe(PS1);
});

describe("variables that stay where they were", () => {
  const failing = (method: string, code: ProblemError["problem"]["code"] = "UNAVAILABLE") =>
    failures.set(method, new ProblemError({ code, message: "gone" }));
  const deviceOf = (name: string) => useDocument.getState().document.nodes.get(name)?.device;

  it("keep the other edits that were made since", async () => {
    failing("variables.bringBack", "FAILED_PRECONDITION");
    documentActions.pin(["v"], PS1);
    await valuesCarried();
    documentActions.pin(["asked"], PS1);
    documentActions.rename("read", "read_v");
    await valuesCarried();
    failing("variables.bringBack");
    const carrying = valuesCarried();
    await answer(undefined);
    await carrying;
    expect([deviceOf("v"), deviceOf("asked"), deviceOf("read_v")]).toEqual(["", PS1, ""]);
    expect(useDocument.getState().undoLabel).toBe("Leave 1 variable as it was");
    documentActions.undo();
    expect(deviceOf("v")).toBe(PS1);
    await answer(undefined);
    await valuesCarried();
  });

  it("keep edits that are no edits of nodes, made while the question was open", async () => {
    failing("variables.bringBack");
    documentActions.pin(["v"], PS1);
    await question();
    documentActions.setSteps(7);
    await answer(undefined);
    await valuesCarried();
    expect(deviceOf("v")).toBe("");
    expect(useDocument.getState().document.runConfig.steps).toBe(7);
  });

  it("are asked about once where another edit took the place of undone ones", async () => {
    documentActions.pin(["asked"], PS1);
    documentActions.rename("read", "read_v");
    failing("variables.bringBack", "FAILED_PRECONDITION");
    documentActions.pin(["v"], PS1);
    await valuesCarried();
    for (let count = 0; count < 3; count++) documentActions.undo();
    documentActions.pin(["w", "v"], PS1);
    failing("variables.bringBack");
    await answer(undefined);
    await valuesCarried();
    expect([deviceOf("v"), deviceOf("w")]).toEqual(["", ""]);
  });

  it("have their earlier names, too", async () => {
    failing("variables.bringBack", "FAILED_PRECONDITION");
    documentActions.pin(["v"], PS1);
    await valuesCarried();
    documentActions.rename("v", "u");
    await valuesCarried();
    failing("variables.bringBack");
    const carrying = valuesCarried();
    await answer(undefined);
    await carrying;
    expect([deviceOf("u"), deviceOf("v")]).toEqual([undefined, ""]);
    expect(valueHeld("v")).toBe(1);
    expect(valuesCarried()).toBeUndefined();
  });

  it("are put back when the history is full", async () => {
    for (let count = 0; count < 600; count++) documentActions.pin(["asked"], count % 2 ? PS0 : PS1);
    failing("variables.bringBack");
    documentActions.pin(["v"], PS1);
    await answer(undefined);
    await valuesCarried();
    expect(deviceOf("v")).toBe("");
  });
});

it("values that could not follow do not replace those that a later run made", async () => {
  documentActions.pin(["v"], PS1);
  await valuesCarried();
  held.set(`${PS1} v`, 7);
  failures.set(
    "variables.setAside",
    new ProblemError({ code: "FAILED_PRECONDITION", message: "ps/1 is stopped." }),
  );
  documentActions.undo();
  await sendRun({ feeds: [], fetches: ["read:0"], targets: [], steps: 1, trace: false });
  held.set(`${PS0} v`, 9);
  failures.clear();
  documentActions.rename("read", "read_v");
  await valuesCarried();
  expect(valueHeld("v")).toBe(9);
});

it("an edit that follows while the graph cannot be inspected has its values carried", async () => {
  failures.set("variables.inspect", new ProblemError({ code: "INVALID_ARGUMENT", message: "unfinished" }));
  documentActions.pin(["v"], PS1);
  const carrying = valuesCarried();
  await Promise.resolve();
  await Promise.resolve();
  expect(methods()).toEqual(["variables.inspect"]);
  documentActions.pin(["w"], PS1);
  failures.clear();
  await carrying;
  expect([valueHeld("v"), valueHeld("w")]).toEqual([1, 2]);
});

it("undo is taken back, too, if the values cannot be assigned", async () => {
  documentActions.pin(["v"], PS1);
  await valuesCarried();
  failures.set("variables.bringBack", new ProblemError({ code: "UNAVAILABLE", message: "gone" }));
  documentActions.undo();
  await answer(undefined);
  await valuesCarried();
  expect(useDocument.getState().document.nodes.get("v")?.device).toBe(PS1);
});

it("a task that is not started has the values before the next run", async () => {
  documentActions.pin(["v"], PS1);
  await valuesCarried();
  failures.set(
    "variables.bringBack",
    new ProblemError({ code: "FAILED_PRECONDITION", message: "ps/0 is stopped." }),
  );
  documentActions.undo();
  await valuesCarried();
  expect(notice()).toBe(
    "The value of 1 variable follows the edit before the next run. Not yet: ps/0 is stopped.",
  );
  failures.clear();
  held.delete(`${PS0} v`);
  await sendRun({ feeds: [], fetches: ["read:0"], targets: [], steps: 1, trace: false });
  expect(valueHeld("v")).toBe(1);
});
