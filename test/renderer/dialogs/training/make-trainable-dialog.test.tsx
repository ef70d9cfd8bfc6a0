// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../../protos/generated/tensorflow/meta_graph.js";
import MakeTrainableDialog from "../../../../renderer/dialogs/training/make-trainable-dialog.js";
import { readDocument, writeDocument } from "../../../../renderer/document/document-file.js";
import { receiveCluster } from "../../../../renderer/stores/cluster-store.js";
import { documentActions, useDocument } from "../../../../renderer/stores/document-store.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { clusterOf, machineOf, taskOf } from "../../support/cluster-states.js";
import { connect, expectAccessible, show } from "../../support/components.js";
import { readOps } from "../../support/documents.js";

/** A line through four points, with a second scalar. */
function openLine(): void {
  const graph = new Graph();
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
