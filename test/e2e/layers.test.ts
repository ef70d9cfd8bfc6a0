import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** Writes `images.meta`, with images to build a network on. */
function writeImages(folder: string): void {
  const graph = new Graph();
  const two = ops.ones(graph, [2, 8, 8, 3]);
  graph.op("PlaceholderWithDefault", [two], { shape: [-1, 8, 8, 3] }, "images");
  writeFileSync(join(folder, "images.meta"), MetaGraphDef.encode(graph.toMetaGraphDef()).finish());
}

describe.skipIf(peerMissing("chromium"))("layer blocks in the window", () => {
  test("are added one behind the other, drawn as blocks, and run with their variables", async ({
    window,
    app,
  }) => {
    const { page } = window;
    writeImages(app.folder);
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
