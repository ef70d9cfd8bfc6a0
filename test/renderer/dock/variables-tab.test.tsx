// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { VariableFigures, VariableState } from "../../../main/api/variables.js";
import { ProblemError } from "../../../main/api/wire.js";
import { AssignDialog } from "../../../renderer/dialogs/assign-dialog.js";
import TensorTab from "../../../renderer/dock/tensor-tab.js";
import VariablesTab from "../../../renderer/dock/variables/variables-tab.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { constant, documentOf, node, type, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const shape = (...sizes: number[]) => ({
  value: {
    $case: "shape" as const,
    value: { unknownRank: false, dim: sizes.map((size) => ({ size: BigInt(size), name: "" })) },
  },
});
const variable = (name: string, ...sizes: number[]) =>
  node(name, "VariableV2", [], { dtype: type("float32"), shape: shape(...sizes) }, "/job:worker/task:1");

/** A kernel with an initializer, and a bias without one. */
const layer = () =>
  documentOf([
    variable("kernel", 16, 8),
    variable("bias", 2),
    constant("zeros", "0"),
    node("kernel/Assign", "Assign", ["kernel", "zeros"], { T: type("float32") }),
  ]);

const DEVICE = "/job:worker/replica:0/task:0/device:CPU:0";
const state = (name: string, initialized: boolean): VariableState => ({ name, initialized, device: DEVICE });
const FIGURES: VariableFigures[] = [
  {
    ...{ name: "kernel", dtype: "float32", shape: [16, 8], byteLength: 512 },
    figures: { mean: 0.25, std: 1.5, min: -1, max: 2, bins: [1, 0, 3], notFinite: 2 },
  },
];

function answers(more: Readonly<Record<string, unknown>> = {}) {
  connect({
    "variables.inspect": { graphId: "g", variables: [state("kernel", true), state("bias", false)] },
    "variables.figures": FIGURES,
    "variables.assign": {},
    ...more,
  });
}

const row = (name: string) => screen.getByRole("row", { name: new RegExp(`^${name}`) });
const cells = (name: string) =>
  within(row(name))
    .getAllByRole("cell")
    .slice(0, 5)
    .map(({ textContent }) => textContent);

beforeEach(() => {
  answers();
  openDocument(layer());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
});

describe("the variables tab", () => {
  it("lists variables under the task that holds them, with their figures", async () => {
    const { user } = show(<VariablesTab />);
    await screen.findByText("μ 0.25");
    expect(cells("kernel")).toEqual(["kernel", "float32", "[16,8]", "512 B", "μ 0.25σ 1.52 NaN or Inf"]);
    expect(cells("bias")).toEqual(["bias", "float32", "[2]", "8 B", "no value yet"]);
    expect(calls.filter(({ method }) => method === "variables.figures").map(({ params }) => params)).toEqual([
      { graphId: "g", names: ["kernel"] },
    ]);
    const task = screen.getByRole("button", { name: /worker\/0.*laptop, 2 variables/ });
    await expectAccessible();
    await user.click(task);
    expect(screen.queryByText("kernel")).toBeNull();
    await user.click(task);
    await user.type(screen.getByRole("textbox", { name: "Find a variable by name, type or task" }), "bia");
    await screen.findByText("1 of 2");
    expect(screen.queryByText("kernel")).toBeNull();
  });

  it("opens a value as a tensor, of which it says when it was read", async () => {
    answers({
      "variables.keep": {
        ...{ address: { runId: "variable-0", name: "kernel" }, dtype: "float32", shape: [16, 8] },
        ...{ elementCount: 128, byteLength: 512, reading: 1 },
      },
      "tensors.cells": { values: Array(128).fill("0.25"), rows: 16, columns: 8, step: 1 },
    });
    const { user, change } = show(<VariablesTab />);
    await screen.findByText("μ 0.25");
    expect(screen.getByRole("button", { name: "Show the value of bias" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await user.click(screen.getByRole("button", { name: "Show the value of kernel" }));
    await waitFor(() => expect(useUi.getState().dockTab).toBe("tensor:kernel"));
    change(<TensorTab name="kernel" />);
    expect(screen.getByText(/^read at \d\d:\d\d$/)).toBeDefined();
    const grid = screen.getByRole("grid", { name: "Values of kernel" });
    expect((await within(grid).findAllByText("0.25")).length).toBeGreaterThan(0);
  });

  it("says why values cannot be read, and shows what is declared", async () => {
    const message = "kernel is pinned to worker/1, which is stopped.";
    answers({ "variables.inspect": new ProblemError({ code: "FAILED_PRECONDITION", message }) });
    show(<VariablesTab />);
    await screen.findByText(message);
    expect(cells("kernel")).toEqual(["kernel", "float32", "[16,8]", "512 B", "–"]);
    expect(screen.getByRole("button", { name: /worker\/1.*2 variables/ })).toBeDefined();
    await expectAccessible();
  });

  it("initializes what has an initializer, and says so of what has none", async () => {
    const { user } = show(<VariablesTab />);
    await screen.findByText("μ 0.25");
    await user.click(screen.getByRole("button", { name: "More for bias" }));
    await user.click(await screen.findByRole("menuitem", { name: "Initialize" }));
    await waitFor(() =>
      expect(useApp.getState().notices.at(-1)?.problem.message).toBe("bias has no initializer."),
    );
    answers({
      "runs.start": { runId: "r1" },
      "variables.inspect": { graphId: "g", variables: [state("kernel", false), state("bias", false)] },
    });
    await user.click(screen.getByRole("button", { name: "Initialize all" }));
    await waitFor(() =>
      expect(calls.find(({ method }) => method === "runs.start")?.params).toMatchObject({
        fetches: [],
        targets: ["kernel/Assign"],
      }),
    );
    expect(useUi.getState().dialog).toBeUndefined();
  });

  it("asks before it replaces values that variables have, keeps them, and brings them back", async () => {
    answers({
      "runs.start": { runId: "r1" },
      "variables.setAside": { keptId: "k1" },
      "variables.bringBack": { restored: 1 },
    });
    const { user } = show(<VariablesTab />);
    await screen.findByText("μ 0.25");
    const initialiseAll = () => user.click(screen.getByRole("button", { name: "Initialize all" }));
    const choose = (choice: string | undefined) =>
      act(async () => {
        const { dialog } = useUi.getState();
        if (dialog?.kind === "confirm") dialog.resolve(choice);
        uiActions.close();
      });
    await initialiseAll();
    await waitFor(() => expect(useUi.getState().dialog).toMatchObject({ kind: "confirm" }));
    expect(useUi.getState().dialog).toMatchObject({
      title: "Replace the values?",
      text: expect.stringMatching(/^Initializing replaces the value of kernel\. Until the application ends/),
    });
    await choose(undefined);
    expect(calls.map(({ method }) => method)).not.toContain("runs.start");

    await initialiseAll();
    await waitFor(() => expect(useUi.getState().dialog).toMatchObject({ kind: "confirm" }));
    await choose("initialise");
    await waitFor(() => expect(calls.map(({ method }) => method)).toContain("runs.start"));
    const order = calls.map(({ method }) => method);
    expect(order.indexOf("variables.setAside")).toBeLessThan(order.indexOf("runs.start"));
    expect(calls.find(({ method }) => method === "variables.setAside")?.params).toMatchObject({
      graphId: "g",
      names: ["kernel"],
    });
    act(() => showRun(runOf({ runId: "r1", state: "done" })));
    await waitFor(() =>
      expect(useApp.getState().notices.at(-1)?.action?.label).toBe("Bring the values back"),
    );
    await act(async () => useApp.getState().notices.at(-1)?.action?.run());
    expect(calls.find(({ method }) => method === "variables.bringBack")?.params).toMatchObject({
      ...{ graphId: "g", keptId: "k1", names: ["kernel"] },
    });
    expect(useApp.getState().notices.at(-1)?.problem.message).toBe(
      "1 variable has its value of before the initialization.",
    );
  });

  it("says that a graph has none", () => {
    openDocument(welcome());
    show(<VariablesTab />);
    expect(screen.getByText(/^The graph has no variables\./)).toBeDefined();
  });
});

describe("the value to be assigned", () => {
  it("is sent, and stays in the dialog if it does not fit", async () => {
    const problem = { code: "INVALID_ARGUMENT", message: "The value for bias cannot be used." };
    answers({ "variables.assign": new ProblemError(problem) });
    const { user } = show(<AssignDialog variable="bias" />);
    expect(screen.getByText("float32 [2]")).toBeDefined();
    const assign = screen.getByRole<HTMLButtonElement>("button", { name: "Assign" });
    expect(assign.disabled).toBe(true);
    await user.type(screen.getByRole("textbox", { name: "Value" }), "3");
    await user.click(assign);
    await screen.findByText(problem.message);
    await expectAccessible();
    answers();
    await user.click(assign);
    await waitFor(() =>
      expect(calls.findLast(({ method }) => method === "variables.assign")?.params).toEqual({
        graphId: "g",
        name: "bias",
        value: { kind: "literal", text: "3" },
      }),
    );
  });
});
