import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { HELD_OUT_PICTURES } from "../../worker-runtime/graph/digits/held-out-pictures.js";
import { digitOf, FULL, pixelsOf } from "../../worker-runtime/graph/digits/picture-lines.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** The digits that a SavedModel and a frozen graph see in the same pictures. */
const PREDICT = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
given = json.load(sys.stdin)
pixels = np.array(given["pixels"], np.float32)
loaded = tf.saved_model.load(given["saved"]).signatures["serving_default"]
saved = loaded(brightness=tf.constant(pixels))
with tf.Graph().as_default(), v1.Session() as session:
    definition = v1.GraphDef.FromString(open(given["frozen"], "rb").read())
    x, y = v1.import_graph_def(definition, return_elements=["held_out/brightness:0", "evaluation/top/BiasAdd:0"])
    frozen = session.run(y, {x: pixels})
scores = saved["BiasAdd"].numpy()
print("RESULT " + json.dumps({"digits": scores.argmax(1).tolist(), "difference": float(np.abs(scores - frozen).max())}))
`;

describe.skipIf(peerMissing("tensorflow", "chromium"))("a trained graph", () => {
  test("is exported as SavedModel and as frozen graph, which TensorFlow loads with equal outputs", async ({
    window,
    app,
  }) => {
    const { page } = window;
    await window.menu("Gallery of examples");
    await window.button("Run example: Train on digits").click();
    await window.runDone(2, 500);
    const exportAs = async (format: string, name: string) => {
      await window.menu("Export", "Model");
      const dialog = page.getByRole("dialog", { name: "Export as a model" });
      await dialog.getByRole("radio", { name: format }).check();
      await dialog.getByLabel("Outputs").fill("evaluation/top/BiasAdd");
      await dialog.getByLabel("Inputs besides the placeholders").fill("held_out/brightness");
      await dialog.getByRole("listitem").filter({ hasText: "brightness" }).waitFor();
      await dialog.getByRole("button", { name: "Export…" }).click();
      const files = page.getByRole("dialog", { name: /^Export as a / });
      await files.getByLabel("Name").fill(name);
      await files.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(/^Exported to .* with 4 variables/).waitFor();
    };
    await exportAs("SavedModel", "digits_model");
    await exportAs("Frozen graph", "digits.pb");
    expect(existsSync(join(app.folder, "digits_model", "variables", "variables.index"))).toBe(true);
    expect(readFileSync(join(app.folder, "digits.pb")).length).toBeGreaterThan(1000);
    const pictures = HELD_OUT_PICTURES;
    const { digits, difference } = await tensorflowResult<{ digits: number[]; difference: number }>(PREDICT, {
      input: {
        pixels: pictures.map((line) => pixelsOf(line).map((value) => value / FULL)),
        ...{ saved: join(app.folder, "digits_model"), frozen: join(app.folder, "digits.pb") },
      },
    });
    expect(difference).toBeLessThan(1e-4);
    const right = digits.filter((digit, at) => digit === digitOf(pictures[at] ?? ""));
    expect(right.length / pictures.length).toBeGreaterThan(0.85);
  });
});
