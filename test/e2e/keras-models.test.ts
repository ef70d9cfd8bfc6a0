import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { DENSE, hdf5File, kerasArchive, sequentialConfig, writeDense } from "../support/keras-file.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { startApp } from "./support/app.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const smallModel = async () => kerasArchive(sequentialConfig(DENSE), await hdf5File(writeDense));

async function feed(window: WindowPage): Promise<void> {
  await window.dockTab("What to run").click();
  const value = window.page.getByRole("region", { name: "Feeds" }).getByRole("textbox", { name: "Value" });
  await value.first().fill("[[1, 2]]");
  await value.first().press("Tab");
}

async function seeScores(window: WindowPage): Promise<void> {
  await window.dockTab("Results").click();
  await window.page.getByRole("row").getByText("[21.5, 42.5, 63.5]", { exact: true }).waitFor();
}

describe.skipIf(peerMissing("chromium"))("models of Keras", () => {
  test("one is opened and runs with its weights at once", async ({ window, app }) => {
    writeFileSync(join(app.folder, "small.keras"), await smallModel());
    await window.startTwoWorkers();
    await window.openFile("small.keras");
    await window.node("features").waitFor();
    await feed(window);
    const signatures = window.page.getByRole("region", { name: "Signatures" });
    expect(await signatures.getByRole("radio", { name: "serving_default" }).isChecked()).toBe(true);
    await window.runButton.click();
    await seeScores(window);
  });

  test.skipIf(peerMissing("tensorflow"))(
    "one is saved as a SavedModel that Python loads",
    async ({ window, app }) => {
      writeFileSync(join(app.folder, "small.keras"), await smallModel());
      await window.openFile("small.keras");
      await window.node("features").waitFor();
      await window.saveAs("saved_model.pb");
      mkdirSync(join(app.folder, "exported"));
      renameSync(join(app.folder, "saved_model.pb"), join(app.folder, "exported", "saved_model.pb"));
      const script =
        "import sys, tensorflow as tf; m = tf.saved_model.load(sys.argv[1]); print(m.signatures['serving_default'](features=tf.constant([[1., 2.]]))['scores'].numpy().tolist())";
      const python = execFileSync(tensorflowPython(), ["-c", script, join(app.folder, "exported")], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect(python.toString().trim()).toBe("[[21.5, 42.5, 63.5]]");
    },
  );

  test("one that was never saved outlives its page and the application, and starts with its weights whatever runs first", async ({
    window,
    app,
  }) => {
    writeFileSync(join(app.folder, "small.keras"), await smallModel());
    await window.startTwoWorkers();
    await window.openFile("small.keras");
    await window.node("features").waitFor();
    const drafts = join(app.folder, "data", "drafts");
    const keeps = (text: string) =>
      existsSync(drafts) &&
      readdirSync(drafts).some((name) => readFileSync(join(drafts, name)).includes(text));
    await expect.poll(() => keeps("scores/kernel")).toBe(true);
    await window.page.reload();
    await window.node("features").waitFor();
    expect(await window.page.title()).toBe("small · Tensordeck");
    await feed(window);
    // An edit is kept half a second after it was made.
    await expect.poll(() => keeps("[[1, 2]]")).toBe(true);
    await window.runButton.click();
    await seeScores(window);
    await window.dockTab("Variables").click();
    await window.page.getByRole("row", { name: /^scores\/kernel/ }).waitFor();
    expect(window.errors).toEqual([]);
    await app.kill();
    await window.page.close();
    window.errors.length = 0;

    const next = await startApp({ folder: app.folder });
    const again = await WindowPage.open(await sharedBrowser(), next.link);
    try {
      await again.ready();
      const offer = again.page.getByRole("region", { name: "Unsaved edits" });
      await offer.getByText(/^small was edited just now and not saved/).waitFor();
      await offer.getByRole("button", { name: "Restore" }).click();
      await again.node("features").waitFor();
      await again.saveAs("small.pbtxt");
      await again.closeDocument();
      // Tasks are started again with the application, without the variables that they had.
      await again
        .task("worker/0")
        .and(again.page.getByRole("treeitem", { name: /, running,/ }))
        .waitFor();
      await again.openFile("small.pbtxt");
      await again.node("features").waitFor();
      await again.node("scores/output").click({ button: "right" });
      await again.page.getByRole("menuitem", { name: /^Run to here/ }).click();
      await seeScores(again);
      expect(again.errors).toEqual([]);
    } finally {
      await again.close();
      await next.stop();
    }
  });
});
