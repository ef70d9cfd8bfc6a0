import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, describe, expect } from "vitest";
import { writeNpy } from "../../worker-runtime/io/npy.js";
import { encodeExample } from "../../worker-runtime/io/tfrecord/example.js";
import { writeTfRecords } from "../../worker-runtime/io/tfrecord/records.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** The sum of all elements of a placeholder. */
function sumGraph(shape: readonly number[]): string {
  const sizes = shape.map((size) => `dim { size: ${size} }`).join(" ");
  const axes = shape.map((_, axis) => `int_val: ${axis}`).join(" ");
  const type = (key: string, value: string) => `attr { key: "${key}" value { type: ${value} } }`;
  return [
    `node { name: "x" op: "Placeholder" ${type("dtype", "DT_FLOAT")}`,
    `attr { key: "shape" value { shape { ${sizes} } } } }`,
    `node { name: "axes" op: "Const" ${type("dtype", "DT_INT32")} attr { key: "value" value {`,
    `tensor { dtype: DT_INT32 tensor_shape { dim { size: ${shape.length} } } ${axes} } } } }`,
    `node { name: "sum" op: "Sum" input: "x" input: "axes" ${type("T", "DT_FLOAT")} ${type("Tidx", "DT_INT32")}`,
    `attr { key: "keep_dims" value { b: false } } }`,
  ].join("\n");
}

async function openSum(window: WindowPage, folder: string, shape: readonly number[]): Promise<void> {
  await window.startTwoWorkers();
  writeFileSync(join(folder, "sum.pbtxt"), sumGraph(shape));
  await window.openFile("sum.pbtxt");
  await window.node("sum").waitFor();
  await window.select("x");
}

describe.skipIf(peerMissing("chromium"))("feeds in the window", () => {
  test("an array of a .npz file is fed in batches until its epoch is over", async ({ window, app }) => {
    await openSum(window, app.folder, [-1, 2]);
    const rows = Float32Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? index / 2 : 0));
    const arrays = {
      "features.npy": writeNpy(new Tensor("float32", [10, 2], rows)),
      "wide.npy": writeNpy(new Tensor("float32", [10, 3], new Float32Array(30))),
    };
    writeFileSync(join(app.folder, "data.npz"), zipSync(arrays));
    await window.inspector.locator('input[data-feed-file="x:0"]').setInputFiles(join(app.folder, "data.npz"));
    await window.inspector.getByRole("alert").getByText("Choose one of features, wide.").waitFor();
    const array = window.inspector.getByRole("combobox", { name: "Array" });
    await array.fill("wide");
    await array.press("Enter");
    await window.inspector
      .getByRole("alert")
      .getByText("It has shape [10, 3], but x takes [?, 2].")
      .waitFor();
    await array.fill("features");
    await array.press("Enter");
    await window.inspector.getByText("float32 [10, 2]").waitFor();
    await window.inspector.getByRole("checkbox", { name: "Some rows in each step" }).check();

    await window.press("Control+5");
    const feeds = window.page.getByRole("region", { name: "Feeds" });
    for (const [name, text] of [
      ["Batch", "4"],
      ["Epochs", "1"],
    ] as const) {
      await feeds.getByRole("textbox", { name }).fill(text);
      await window.press("Enter");
    }
    await window.button(/Run 1,?000 steps/).click();
    await window.dockTab("Results").click();
    const results = window.page.getByRole("tabpanel", { name: "Results" });
    // The third batch has the rows 8 and 9.
    await results.getByText(/step 3 .*ended because its epoch was over/).waitFor();
    await window.value("sum").getByText("17.0", { exact: true }).waitFor();
  });

  test("a feature of a TFRecord file is fed; a record that does not fit is named before", async ({
    window,
    app,
  }) => {
    await openSum(window, app.folder, [-1, 2]);
    const rows = Array.from({ length: 10 }, (_, index) => ({
      x: [index, 0],
      wide: index === 4 ? [1, 2, 3] : [1, 2],
    }));
    await writeTfRecords(join(app.folder, "data.tfrecord"), rows.map(encodeExample));
    const input = window.inspector.locator('input[data-feed-file="x:0"]');
    await input.setInputFiles(join(app.folder, "data.tfrecord"));
    const feature = window.inspector.getByRole("combobox", { name: "Feature" });
    await feature.fill("wide");
    await feature.press("Enter");
    await window.inspector
      .getByRole("alert")
      .getByText("Record 5 has 3 values of wide, but shape [2] takes 2.")
      .waitFor();
    await feature.fill("x");
    await feature.press("Enter");
    await window.inspector.getByText("10 records, float32 [2] each").waitFor();
    await window.runAndSee("sum", "45.0");
  });

  test("a picture is cut and scaled to what the placeholder takes", async ({ window, app }) => {
    await openSum(window, app.folder, [1, 2, 2, 3]);
    // White in the middle half, black at both ends.
    const picture = await window.page.evaluate(() => {
      const canvas = document.createElement("canvas");
      canvas.width = 4;
      canvas.height = 2;
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.fillStyle = "black";
      context.fillRect(0, 0, 4, 2);
      context.fillStyle = "white";
      context.fillRect(1, 0, 2, 2);
      return canvas.toDataURL("image/png");
    });
    const path = join(app.folder, "photo.png");
    writeFileSync(path, Buffer.from(picture.slice(picture.indexOf(",") + 1), "base64"));
    await window.inspector.locator('input[data-feed-images="x:0"]').setInputFiles(path);
    await window.inspector.getByText("[1, 2, 2, 3], cut from 4 × 2").waitFor();
    await window.runAndSee("sum", "12.0");
    await window.inspector.getByRole("combobox", { name: "Values" }).selectOption("0 to 255");
    await window.runAndSee("sum", "3060.0");
    writeFileSync(path, "no picture");
    await window.inspector.locator('input[data-feed-images="x:0"]').setInputFiles(path);
    await window.inspector
      .getByRole("alert")
      .getByText("photo.png is no image that this browser can read.")
      .waitFor();
    expect(await window.undoButton.isEnabled()).toBe(true);
  });
});
