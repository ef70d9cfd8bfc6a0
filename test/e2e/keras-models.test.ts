import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { DENSE, hdf5File, kerasArchive, sequentialConfig, writeDense } from "../support/keras-file.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("tensorflow", "chromium"))("models of Keras", () => {
  test("one is opened, runs with its weights at once, and is saved as a SavedModel that Python loads", async ({
    window,
    app,
  }) => {
    const model = kerasArchive(sequentialConfig(DENSE), await hdf5File(writeDense));
    writeFileSync(join(app.folder, "small.keras"), model);
    await window.startTwoWorkers();
    await window.openFile("small.keras");
    await window.node("features").waitFor();
    await window.dockTab("What to run").click();
    const signatures = window.page.getByRole("region", { name: "Signatures" });
    expect(await signatures.getByRole("radio", { name: "serving_default" }).isChecked()).toBe(true);
    const value = window.page.getByRole("region", { name: "Feeds" }).getByRole("textbox", { name: "Value" });
    await value.first().fill("[[1, 2]]");
    await value.first().press("Tab");
    await window.runButton.click();
    await window.dockTab("Results").click();
    await window.page.getByRole("row").getByText("[21.5, 42.5, 63.5]", { exact: true }).waitFor();

    await window.saveAs("saved_model.pb");
    mkdirSync(join(app.folder, "exported"));
    renameSync(join(app.folder, "saved_model.pb"), join(app.folder, "exported", "saved_model.pb"));
    const script =
      "import sys, tensorflow as tf; m = tf.saved_model.load(sys.argv[1]); print(m.signatures['serving_default'](features=tf.constant([[1., 2.]]))['scores'].numpy().tolist())";
    const python = execFileSync(tensorflowPython(), ["-c", script, join(app.folder, "exported")], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(python.toString().trim()).toBe("[[21.5, 42.5, 63.5]]");
  });
});
