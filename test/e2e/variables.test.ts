import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { writeNpy } from "../../worker-runtime/io/npy.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** Writes a graph with a kernel on one worker and a bias and a step on the other, and a .npy file for the bias. */
function writeLayer(folder: string): void {
  const graph = new Graph();
  const resource = { kind: "resource" } as const;
  const kernel = graph.withDevice("/job:worker/task:0", () =>
    ops.variable(graph, ops.randomUniform(graph, [16, 8], { seed: 1 }), { name: "layer/kernel" }),
  );
  const bias = graph.withDevice("/job:worker/task:1", () => {
    const step = ops.variable(graph, 0n, { name: "global_step", ...resource });
    ops.assignAdd(step, 1n, { name: "count" });
    return ops.variable(graph, ops.zeros(graph, [8]), { name: "layer/bias", ...resource });
  });
  ops.add(ops.matMul(ops.ones(graph, [1, 16]), kernel.value), bias.value, { name: "y" });
  ops.globalVariablesInitializer(graph);
  writeFileSync(join(folder, "layer.meta"), MetaGraphDef.encode(graph.toMetaGraphDef()).finish());
  const values = Float32Array.from({ length: 8 }, (_, index) => index);
  writeFileSync(join(folder, "bias.npy"), writeNpy(new Tensor("float32", [8], values)));
}

const LOAD = `
import sys, tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
print(sorted(reader.get_variable_to_shape_map()), reader.get_tensor("layer/bias").tolist(), reader.get_tensor("global_step"))
`;

describe.skipIf(peerMissing("chromium"))("variables in the window", () => {
  test("are initialized, seen, assigned, saved to a checkpoint, and restored", async ({ window, app }) => {
    const { page } = window;
    writeLayer(app.folder);
    await window.startTwoWorkers();
    await window.openFile("layer.meta");
    await window.dockTab("Variables").click();
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} `) });
    await row("layer/kernel").getByText("no value yet").waitFor();
    await window.button("Initialize all").click();
    await row("layer/kernel")
      .getByRole("img", { name: /^Histogram of \d+ bins/ })
      .waitFor();
    await row("global_step").getByText("0", { exact: true }).waitFor();
    await window.button(/worker\/1.*2 variables/).waitFor();

    const choose = async (name: string, what: string) => {
      await row(name)
        .getByRole("button", { name: `More for ${name}` })
        .click();
      await page.getByRole("menuitem", { name: what }).click();
    };
    await choose("global_step", "Assign…");
    const dialog = page.getByRole("dialog", { name: "Assign global_step" });
    await dialog.getByLabel("Value").fill("[1, 2]");
    await dialog.getByRole("button", { name: "Assign", exact: true }).click();
    await dialog.getByText(/The value has shape \[2\]/).waitFor();
    await dialog.getByLabel("Value").fill("41");
    await dialog.getByRole("button", { name: "Assign", exact: true }).click();
    await row("global_step").getByText("41", { exact: true }).waitFor();

    await choose("layer/bias", "Assign…");
    await window.button("From a file…").click();
    const files = page.getByRole("dialog", { name: "Value of layer/bias" });
    await files.getByRole("option", { name: "bias.npy" }).click();
    await files.getByRole("button", { name: "Open", exact: true }).click();
    await row("layer/bias").getByText("μ 3.5").waitFor();

    await window.button("Show the value of layer/bias").click();
    await page
      .getByRole("grid", { name: "Values of layer/bias" })
      .getByRole("gridcell", { name: "7.000" })
      .waitFor();
    await window.dockTab("Variables").click();

    await window.button("Save all…").click();
    const saving = page.getByRole("dialog", { name: "Save the variables" });
    await saving.getByLabel("Name").fill("model.ckpt.index");
    await saving.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Saved 3 variables \(552 B\) to .*model\.ckpt\.$/).waitFor();

    const replacing = page.getByRole("dialog", { name: "Replace the values?" });
    const initialiseAgain = async () => {
      await window.button("Initialize all").click();
      await replacing.getByRole("button", { name: "Initialize" }).click();
      await row("global_step").getByText("0", { exact: true }).waitFor();
    };
    await initialiseAgain();
    await window.button("Bring the values back").click();
    await row("global_step").getByText("41", { exact: true }).waitFor();
    await initialiseAgain();
    await window.button("Restore…").click();
    const restoring = page.getByRole("dialog", { name: "Restore the variables from a checkpoint" });
    await restoring.getByRole("option", { name: "model.ckpt.index" }).click();
    await restoring.getByRole("button", { name: "Open", exact: true }).click();
    await replacing.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored 3 variables.").waitFor();
    await row("global_step").getByText("41", { exact: true }).waitFor();
  });

  test("keep their values when they are pinned to another task, and when that is undone", async ({
    window,
    app,
  }) => {
    const { page } = window;
    const graph = new Graph();
    const device = "/job:worker/task:1";
    graph.withDevice(device, () => ops.variable(graph, 41n, { name: "counter", kind: "resource" }));
    ops.globalVariablesInitializer(graph);
    writeFileSync(join(app.folder, "counter.meta"), MetaGraphDef.encode(graph.toMetaGraphDef()).finish());
    await window.startTwoWorkers();
    await window.openFile("counter.meta");
    await window.dockTab("Variables").click();
    await window.button("Initialize all").click();
    const isOn = async (task: string) => {
      await window.button(new RegExp(`${task}.*1 variable`)).waitFor();
      await page
        .getByRole("row", { name: /^counter / })
        .getByText("41", { exact: true })
        .waitFor();
    };
    await isOn("worker/1");
    await window.select("counter");
    await window.device.selectOption("/job:worker/task:0");
    await page.getByText("1 variable has its value on the new task.").waitFor();
    await isOn("worker/0");
    await window.undoButton.click();
    await isOn("worker/1");
  });

  test.skipIf(peerMissing("tensorflow"))(
    "are saved to a checkpoint that TensorFlow reads",
    async ({ window, app }) => {
      const { page } = window;
      writeLayer(app.folder);
      await window.startTwoWorkers();
      await window.openFile("layer.meta");
      await window.dockTab("Variables").click();
      await window.button("Initialize all").click();
      await page
        .getByRole("row", { name: /^global_step / })
        .getByText("0", { exact: true })
        .waitFor();
      await window.button("Save all…").click();
      const saving = page.getByRole("dialog", { name: "Save the variables" });
      await saving.getByLabel("Name").fill("model.ckpt.index");
      await saving.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(/^Saved 3 variables/).waitFor();
      const read = execFileSync(tensorflowPython(), ["-c", LOAD, join(app.folder, "model.ckpt")], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect(read.toString().trim()).toBe(
        "['global_step', 'layer/bias', 'layer/kernel'] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] 0",
      );
    },
  );
});
