import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** A kernel on one worker and a bias and a step on the other, and a .npy file for the bias. */
const PYTHON = `
import os, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
with tf.Graph().as_default():
    with tf.device("/job:worker/task:0"):
        w = v1.get_variable("layer/kernel", initializer=tf.random.stateless_normal([16, 8], [1, 2]))
    with tf.device("/job:worker/task:1"):
        b = v1.get_variable("layer/bias", initializer=tf.zeros([8]), use_resource=True)
        step = v1.get_variable("global_step", initializer=tf.constant(0, tf.int64), use_resource=True)
        count = v1.assign_add(step, 1, name="count")
    y = tf.add(tf.matmul(tf.ones([1, 16]), w), b, name="y")
    v1.global_variables_initializer()
    v1.train.export_meta_graph(os.path.join(folder, "layer.meta"))
np.save(os.path.join(folder, "bias.npy"), np.arange(8, dtype=np.float32))
`;

const LOAD = `
import sys, tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
print(sorted(reader.get_variable_to_shape_map()), reader.get_tensor("layer/bias").tolist(), reader.get_tensor("global_step"))
`;

const python = (script: string, ...args: string[]) =>
  execFileSync(tensorflowPython(), ["-c", script, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();

describe.skipIf(peerMissing("tensorflow", "chromium"))("variables in the window", () => {
  test("are initialized, seen, assigned, saved to a checkpoint that TensorFlow reads, and restored", async ({
    window,
    app,
  }) => {
    const { page } = window;
    python(PYTHON, app.folder);
    await window.startTwoWorkers();
    await window.openFile("layer.meta");
    await window.dockTab("Variables").click();
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} `) });
    await row("layer/kernel").getByText("no value yet").waitFor();
    await window.button("Initialize all").click();
    await row("layer/kernel")
      .getByRole("img", { name: /^Histogram of 12 bins/ })
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
    expect(python(LOAD, join(app.folder, "model.ckpt")).trim()).toBe(
      "['global_step', 'layer/bias', 'layer/kernel'] [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] 41",
    );

    await window.button("Initialize all").click();
    await row("global_step").getByText("0", { exact: true }).waitFor();
    await window.button("Restore…").click();
    const restoring = page.getByRole("dialog", { name: "Restore the variables from a checkpoint" });
    await restoring.getByRole("option", { name: "model.ckpt.index" }).click();
    await restoring.getByRole("button", { name: "Open", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Replace the values?" })
      .getByRole("button", { name: "Restore" })
      .click();
    await page.getByText("Restored 3 variables.").waitFor();
    await row("global_step").getByText("41", { exact: true }).waitFor();
  });
});
