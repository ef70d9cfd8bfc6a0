import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** A graph whose results are known to NumPy: a kernel, a batch of photos, and a tensor of 24 MB. */
const PYTHON = `
import os, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
kernel = np.random.default_rng(3).normal(0, 0.04, (5, 5, 32, 64)).astype(np.float32)
photos = (np.arange(3 * 16 * 16 * 3).reshape(3, 16, 16, 3) % 256).astype(np.uint8)
with tf.Graph().as_default():
    tf.identity(tf.constant(kernel, name="kernel_value"), name="kernel")
    tf.identity(tf.constant(photos, name="photos_value"), name="photos")
    tf.reshape(tf.range(6000000), [2000, 3000], name="big")
    v1.train.export_meta_graph(os.path.join(folder, "tensors.meta"))
np.save(os.path.join(folder, "kernel.npy"), kernel)
`;

const COMPARE = `
import sys, numpy as np
folder = sys.argv[1]
saved, whole = np.load(f"{folder}/part.npy"), np.load(f"{folder}/kernel.npy")
print(saved.dtype == whole.dtype and np.array_equal(saved, whole[2, 1, 4:20:2]))
`;

const python = (script: string, ...args: string[]) =>
  execFileSync(tensorflowPython(), ["-c", script, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();

async function openTensor(window: WindowPage, name: string): Promise<void> {
  await window.dockTab("Results").click();
  await window.page
    .getByRole("row", { name: new RegExp(`^${name}`) })
    .getByRole("button", { name: "Open" })
    .click();
}

describe.skipIf(peerMissing("chromium"))("tensors in the window", () => {
  test.skipIf(peerMissing("tensorflow"))(
    "are sliced, drawn and saved as NumPy has them; a large one is never sent whole",
    async ({ window, app }) => {
      const { page } = window;
      python(PYTHON, app.folder);
      await window.startTwoWorkers();
      await window.openFile("tensors.meta");
      await window.node("kernel").waitFor();
      let received = 0;
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      session.on("Network.webSocketFrameReceived", ({ response }) => {
        received += response.payloadData.length;
      });
      await window.runButton.click();

      await openTensor(window, "big:0");
      const grid = page.getByRole("grid", { name: "Values of big:0" });
      await grid.getByRole("gridcell", { name: "3001", exact: true }).waitFor();
      await grid.press("Control+End");
      await grid.getByRole("gridcell", { name: "5999999", exact: true }).waitFor();
      await page.getByText("[1999, 2999] = 5999999").waitFor();
      await page.getByText("6,000,000 values, 33 bins").waitFor();
      // Base64 of a fraction of its 24 MB.
      expect(received).toBeLessThan(2_000_000);

      await openTensor(window, "kernel:0");
      const slice = page.getByRole("textbox", { name: "Slice, as in Python" });
      await slice.fill("[2, 1, 4:20:2, :]");
      await page
        .getByRole("region", { name: "Part of the tensor" })
        .getByText("8 × 64", { exact: true })
        .waitFor();
      await window.button("Save").click();
      await page.getByRole("menuitem", { name: "As .npy…" }).click();
      const dialog = page.getByRole("dialog", { name: "Save kernel:0" });
      await dialog.getByLabel("Name").fill("part.npy");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(/^Saved 2\.2 kB to .*part\.npy\.$/).waitFor();
      expect(python(COMPARE, app.folder).trim()).toBe("True");

      await openTensor(window, "photos:0");
      const photo = page.getByRole("img", { name: "Image photos:0[1], 16 by 16, 3 channels" });
      await photo.waitFor();
      const pixel = await photo.evaluate((canvas) => {
        const data = (canvas as unknown as HTMLCanvasElement).getContext("2d")?.getImageData(2, 1, 1, 1).data;
        return [...(data ?? [])];
      });
      const first = 16 * 16 * 3 + 16 * 3 + 2 * 3;
      expect(pixel).toEqual([first % 256, (first + 1) % 256, (first + 2) % 256, 255]);
      await window.button("Enlarge [1]").click();
      const download = page.waitForEvent("download");
      await window.button("PNG").click();
      const path = join(app.folder, "photo.png");
      await (await download).saveAs(path);
      expect(readFileSync(path).subarray(1, 4).toString()).toBe("PNG");
    },
  );

  test("scalars of a run are curves over its steps, beside those of an earlier run", async ({ window }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await window.dockTab("Results").click();
    for (const run of [1, 2]) {
      await window.button("Run 1000 steps").click();
      await window.runDone(run, 1000);
    }
    await page.getByRole("checkbox", { name: "run 1" }).check();
    const chart = page.getByRole("img", { name: /^z:0 by step/ });
    await chart.press("Home");
    await page.getByText("step 1: run 2 11, run 1 11").waitFor();
    await chart.press("End");
    await page.getByText("step 1000: run 2 11, run 1 11").waitFor();
    await window.button("Table").click();
    await page
      .getByRole("region", { name: "Scalars by step" })
      .getByRole("row", { name: "1000 11" })
      .waitFor();
  });
});
