// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../../protos/generated/tensorflow/meta_graph.js";
import { TrainingBar } from "../../../../renderer/canvas/training-bar.js";
import MakeTrainableDialog from "../../../../renderer/dialogs/training/make-trainable-dialog.js";
import { readDocument, writeDocument } from "../../../../renderer/document/document-file.js";
import { useApp } from "../../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../../renderer/stores/document-store.js";
import { useGraphView } from "../../../../renderer/stores/graph-view-store.js";
import { uiActions, useUi } from "../../../../renderer/stores/ui-store.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { clusterOf, machineOf, taskOf } from "../../support/cluster-states.js";
import { connect, expectAccessible, show } from "../../support/components.js";
import { readOps } from "../../support/documents.js";

/** A sum of constants. */
function openSum(): void {
  const graph = new Graph();
  ops.reduceSum(ops.constant(graph, [1, 2], { dtype: "float32", name: "x" }), undefined, { name: "sum" });
  readOps();
  const metaGraph = MetaGraphDef.encode(graph.toMetaGraphDef()).finish();
  documentActions.load({ name: "sum", kind: "meta_graph", format: "binary", metaGraph });
}

/** A line through four points, with a second scalar, and a constant if it has a name. */
function openLine(constant?: string): void {
  const graph = new Graph();
  if (constant !== undefined) ops.constant(graph, 1, { dtype: "float32", name: constant });
  const x = ops.constant(graph, [[0], [1], [2], [3]], { dtype: "float32", name: "x" });
  const y = ops.constant(graph, [[0], [2], [4], [6]], { dtype: "float32", name: "y" });
  const w = ops.variable(graph, [[0.5]], { name: "w" });
  ops.variable(graph, [1], { name: "apart" });
  const error = ops.subtract(ops.matMul(x, w.value), y);
  ops.reduceMean(ops.square(error), undefined, { name: "loss" });
  ops.reduceSum(error, undefined, { name: "bias" });
  readOps();
  const metaGraph = MetaGraphDef.encode(graph.toMetaGraphDef()).finish();
  documentActions.load({ name: "line", kind: "meta_graph", format: "binary", metaGraph });
}

function startTasks(...names: readonly string[]): void {
  receiveCluster(clusterOf([machineOf("laptop", { tasks: names.map((name) => taskOf(name)) })]));
}

const present = () => useDocument.getState().document;
const names = () => [...present().nodes.keys()];
const make = () => screen.getByRole<HTMLButtonElement>("button", { name: "Make trainable" });
const card = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name: new RegExp(name) });

beforeEach(() => {
  connect();
  openLine();
});

describe("the dialog that makes a graph trainable", () => {
  it("says that a graph without variables has nothing to train, and what to add", () => {
    openSum();
    startTasks("worker/0");
    show(<MakeTrainableDialog />);
    expect(screen.getByRole("alert").textContent).toMatch(/^The graph has no variables.*Add a layer…/);
    expect(make().disabled).toBe(true);
  });

  it("adds what trains the graph and a run that does, in one step of undo", async () => {
    startTasks("ps/0", "worker/0", "worker/1");
    const before = names();
    const { user } = show(<MakeTrainableDialog />);
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Loss" }).value).toBe("loss:0");
    await user.selectOptions(screen.getByRole("combobox", { name: "Optimizer" }), "Momentum");
    const rate = screen.getByRole("textbox", { name: "Learning rate" });
    await user.clear(rate);
    await user.type(rate, "0.05");
    await user.click(card("Between-graph, sync"));
    await expectAccessible();
    await user.click(make());
    const { runConfig, nodes } = present();
    expect(runConfig).toMatchObject({
      name: "train",
      fetches: ["loss:0"],
      steps: 1000,
      training: { scheme: "sync", workers: ["worker/0", "worker/1"] },
    });
    expect(useApp.getState().notices.map(({ problem }) => problem.message)).toEqual([
      expect.stringMatching(
        /^Added \d+ nodes in the scope train\. Run now trains the graph, with the run configuration train\.$/,
      ),
    ]);
    expect(useGraphView.getState().next).toEqual({ kind: "fit" });
    expect(nodes.get("w")?.device).toBe("/job:ps/task:0");
    expect(nodes.has("w/Momentum")).toBe(true);
    act(() => documentActions.undo());
    expect(names()).toEqual(before);
    expect(present().runConfig.training).toBeUndefined();
  });

  it("says which variables have a gradient, and what does not suit a scheme", async () => {
    startTasks("worker/0", "worker/1", "worker/2");
    const { user } = show(<MakeTrainableDialog node="loss" />);
    const rows = within(screen.getByRole("list", { name: "Variables" }));
    expect(rows.getByRole<HTMLInputElement>("checkbox", { name: "w" }).checked).toBe(true);
    expect(rows.getByRole<HTMLInputElement>("checkbox", { name: "apart" }).disabled).toBe(true);
    expect(rows.getByText("the loss does not read it")).toBeDefined();
    expect(card("In-graph").disabled).toBe(true);
    expect(screen.getAllByText("4 examples cannot be divided evenly among 3 workers")).toHaveLength(2);
    await user.click(rows.getByRole("checkbox", { name: "w" }));
    expect(screen.getByRole("alert").textContent).toBe("Choose at least one variable to train.");
    expect(make().disabled).toBe(true);
  });

  it("goes to the canvas and back, with what was chosen, to pick nodes there", async () => {
    startTasks("worker/0", "worker/1");
    const bar = () => screen.getByRole("region", { name: "Make trainable" });
    const reopened = () => {
      const { dialog } = useUi.getState();
      if (dialog?.kind !== "make-trainable" || !dialog.draft)
        throw new Error("The dialog is not open again.");
      return <MakeTrainableDialog draft={dialog.draft} />;
    };
    act(() => uiActions.open({ kind: "make-trainable" }));
    const { user, change } = show(<MakeTrainableDialog />);
    await user.selectOptions(screen.getByRole("combobox", { name: "Optimizer" }), "Adam");
    await user.click(card("Between-graph, async"));
    await user.click(screen.getByRole("button", { name: "Pick on canvas: loss" }));
    expect(useUi.getState().dialog).toBeUndefined();
    change(<TrainingBar />);
    expect([...useDocument.getState().selection]).toEqual(["loss"]);
    act(() => documentActions.select(["x"]));
    expect(within(bar()).getByText("What is selected computes no scalar of floats.")).toBeDefined();
    expect(within(bar()).getByRole<HTMLButtonElement>("button", { name: "Use it" }).disabled).toBe(true);
    await expectAccessible();
    act(() => documentActions.select(["bias"]));
    await user.click(within(bar()).getByRole("button", { name: "Use bias:0" }));
    change(reopened());
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Loss" }).value).toBe("bias:0");
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Optimizer" }).value).toBe("Adam");
    expect(card("Between-graph, async").checked).toBe(true);

    // Examples: of x and y, y alone.
    await user.click(screen.getByRole("button", { name: "Pick on canvas: examples" }));
    change(<TrainingBar />);
    act(() => documentActions.select(["y"]));
    await user.click(within(bar()).getByRole("button", { name: "Use y:0" }));
    change(reopened());
    const examples = () => within(screen.getByRole("list", { name: /examples/i }));
    expect(examples().getByRole<HTMLInputElement>("checkbox", { name: "y:0" }).checked).toBe(true);
    expect(examples().getByRole<HTMLInputElement>("checkbox", { name: "x:0" }).checked).toBe(false);

    // Escape leaves everything as it was.
    await user.click(screen.getByRole("button", { name: "Pick on canvas: variables" }));
    change(<TrainingBar />);
    act(() => documentActions.select([]));
    await user.keyboard("{Escape}");
    change(reopened());
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "w" }).checked).toBe(true);
  });

  it("shows on the canvas what would be added, which is kept or taken back", async () => {
    startTasks("worker/0");
    const before = names();
    const { user, change } = show(<MakeTrainableDialog />);
    await user.click(screen.getByRole("button", { name: "Preview on canvas" }));
    change(<TrainingBar />);
    const added = names().length - before.length;
    expect(screen.getByText(`Preview: ${added} nodes are added in the scope train.`)).toBeDefined();
    expect(useDocument.getState().selection.size).toBe(added);
    await user.click(screen.getByRole("button", { name: "Back to the choices" }));
    expect(names()).toEqual(before);
    const { dialog } = useUi.getState();
    if (dialog?.kind !== "make-trainable") throw new Error("The dialog is not open again.");
    change(<MakeTrainableDialog draft={dialog.draft} />);
    await user.click(screen.getByRole("button", { name: "Preview on canvas" }));
    change(<TrainingBar />);
    await user.click(screen.getByRole("button", { name: "Keep" }));
    expect(screen.queryByRole("region", { name: "Make trainable" })).toBeNull();
    expect(present().runConfig.training).toBeDefined();
  });

  it("offers what the graph computes from variables as losses, and nothing of its training", async () => {
    startTasks("worker/0");
    const { user, change } = show(<MakeTrainableDialog />);
    const losses = () => within(screen.getByRole("combobox", { name: "Loss" })).getAllByRole("option");
    const offered = losses().map(({ textContent }) => textContent);
    expect(offered).toEqual(["bias:0", "loss:0"]);
    await user.selectOptions(screen.getByRole("combobox", { name: "Optimizer" }), "Adam");
    await user.click(make());
    change(<MakeTrainableDialog key="again" />);
    expect(losses().map(({ textContent }) => textContent)).toEqual(offered);
  });

  it("says which scope the nodes are in where the name train is taken", async () => {
    openLine("train");
    startTasks("worker/0");
    const { user, change } = show(<MakeTrainableDialog />);
    expect(screen.getByRole("status").textContent).toMatch(/in the scope train_1: gradients/);
    await user.click(screen.getByRole("button", { name: "Preview on canvas" }));
    change(<TrainingBar />);
    expect(screen.getByText(/nodes are added in the scope train_1\.$/)).toBeDefined();
    expect(present().nodes.has("train_1/init")).toBe(true);
  });

  it("trains the graph as it is where there are no workers", async () => {
    startTasks("worker/0");
    const { user } = show(<MakeTrainableDialog />);
    expect(card("Ring all-reduce").disabled).toBe(true);
    await user.click(make());
    expect(present().runConfig).toMatchObject({ targets: ["train/update"], training: { scheme: "single" } });
    // The plan is saved with the document, which opens with it.
    const { name, kind, format, runConfig } = present();
    const read = readDocument({ name, kind, format, metaGraph: writeDocument(present()) });
    expect([read.runConfig.name, read.defaultRun]).toEqual(["train", "train"]);
    expect(read.runConfig.training).toEqual(runConfig.training);
  });
});
