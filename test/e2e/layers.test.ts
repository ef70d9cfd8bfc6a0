import { execFileSync } from "node:child_process";
import { afterAll, describe } from "vitest";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** Images to build a network on. */
const PYTHON = `
import os, sys
import tensorflow as tf
v1 = tf.compat.v1
with tf.Graph().as_default():
    v1.placeholder_with_default(tf.ones([2, 8, 8, 3]), [None, 8, 8, 3], name="images")
    v1.train.export_meta_graph(os.path.join(sys.argv[1], "images.meta"))
`;

describe.skipIf(peerMissing("tensorflow", "chromium"))("layer blocks in the window", () => {
  test("are added one behind the other, drawn as blocks, and run with their variables", async ({
    window,
    app,
  }) => {
    const { page } = window;
    execFileSync(tensorflowPython(), ["-c", PYTHON, app.folder], { stdio: "ignore" });
    await window.startTwoWorkers();
    await window.openFile("images.meta");
    await window.select("images");
    await page.getByRole("tab", { name: "Ops" }).click();
    const add = async (layer: string, settings: Readonly<Record<string, string>> = {}) => {
      await window.button("Add a layer…").click();
      const dialog = page.getByRole("dialog", { name: "Add a layer" });
      await dialog.getByRole("combobox", { name: "Layer" }).selectOption(layer);
      for (const [field, value] of Object.entries(settings)) await dialog.getByLabel(field).fill(value);
      await dialog.getByRole("button", { name: "Add", exact: true }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    await add("Conv2D", { Filters: "6" });
    await add("GlobalAveragePooling2D");
    await add("Dense", { Units: "5" });
    await window.dockTab("Variables").click();
    await window.button("Initialize all").click();
    await page
      .getByRole("row", { name: /^Dense\/kernel / })
      .getByRole("img", { name: /^Histogram/ })
      .waitFor();
    await window.runButton.click();
    await window.dockTab("Results").click();
    await page.getByRole("row", { name: /^Dense\/output:0 float32 \[2,5\]/ }).waitFor();
    await window.press("Control+z");
    await window.dockTab("Variables").click();
    await page.getByRole("row", { name: /^Dense\/kernel / }).waitFor({ state: "detached" });
  });
});
