import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import { makeTrainable } from "./support/training.js";

afterAll(closeBrowser);

/** y = 2x + 1 with an accuracy that nobody reads, to be trained; and a model that looks words up in a vocabulary. */
const PYTHON = `
import os, sys
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
with tf.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder(tf.float32, [None, 1], name="x")
    labels = v1.placeholder(tf.float32, [None, 1], name="labels")
    w = v1.get_variable("w", initializer=[[2.0]])
    y = tf.add(tf.matmul(x, w), 1.0, name="y")
    loss = v1.losses.mean_squared_error(labels, y)
    v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
    v1.summary.scalar("loss", loss)
    init = v1.global_variables_initializer()
    saver = v1.train.Saver()
    v1.train.export_meta_graph(os.path.join(folder, "training.meta"), saver_def=saver.as_saver_def())
with open(os.path.join(folder, "words.txt"), "w") as file: file.write("alpha\\nbeta\\n")
class Module(tf.Module):
    def __init__(self):
        self.rows = tf.Variable([[1.5, 2.5], [3.5, 4.5]])
        self.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(os.path.join(folder, "words.txt"), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def rows_of(self, words):
        return {"rows": tf.gather(self.rows, self.table.lookup(words))}
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def ids_of(self, words):
        return {"ids": self.table.lookup(words)}
module = Module()
tf.saved_model.save(module, os.path.join(folder, "model"), signatures={"serving_default": module.rows_of, "ids": module.ids_of})
`;

/** Rows of words from a table; the loss is how far row i is from i + 1. */
const TRAINED = `
import os, sys
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]
path = os.path.join(folder, "vocabulary.txt")
with open(path, "w") as file: file.write("alpha\\nbeta\\n")
with tf.Graph().as_default(), v1.Session() as session:
    words = v1.placeholder(tf.string, [None], name="words")
    asset = tf.constant(path)
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 2)
    rows = v1.get_variable("rows", initializer=[5.0, 6.0, 7.0])
    ids = table.lookup(words)
    found = tf.gather(rows, ids, name="found")
    loss = tf.reduce_mean(tf.square(found - tf.cast(ids + 1, tf.float32)), name="loss")
    session.run([v1.global_variables_initializer(), v1.tables_initializer()])
    builder = v1.saved_model.builder.SavedModelBuilder(os.path.join(folder, "words"))
    signature = v1.saved_model.predict_signature_def({"words": words}, {"loss": loss})
    builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature}, assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS), main_op=v1.tables_initializer())
    builder.save()
`;

/** The results of an exported model. */
const FOUND = `
import json, sys
import tensorflow as tf
found = tf.saved_model.load(sys.argv[1]).signatures["serving_default"](words=tf.constant(["beta", "alpha", "other"]))
print(json.dumps(found["found"].numpy().tolist()))
`;

const python = (script: string, ...args: string[]) =>
  execFileSync(tensorflowPython(), ["-c", script, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();

describe.skipIf(peerMissing("tensorflow", "chromium"))("graphs that Python exported", () => {
  test("a training graph runs its train_op and loss; the choice is edited in one place and kept in the file", async ({
    window,
    app,
  }) => {
    python(PYTHON, app.folder);
    await window.startTwoWorkers();
    await window.openFile("training.meta");
    await window.node("y").waitFor();
    await window.dockTab("What to run").click();
    const chosen = window.page.getByRole("region", { name: "Fetched and run" });
    await chosen.getByText(/^Suggested: the graph's training operations/).waitFor();
    const rows = chosen.getByRole("listitem");
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining("mean_squared_error/value:0"),
      expect.stringContaining("train"),
    ]);
    const feeds = window.page.getByRole("region", { name: "Feeds" });
    for (const [i, value] of ["[[1]]", "[[3]]"].entries()) {
      const field = feeds.getByRole("textbox", { name: "Value" }).nth(i);
      await field.fill(value);
      await field.press("Tab");
    }
    await feeds.getByText("Everything that is needed has a value.").waitFor();

    const added = chosen.getByRole("combobox", { name: "Tensor or operation to add" });
    await added.fill("nothing");
    await added.press("Enter");
    await chosen.getByRole("alert").getByText("The graph has no node nothing.").waitFor();
    await added.fill("y");
    await added.press("Enter");
    await chosen.getByText("Chosen by you; saved with the document.").waitFor();
    await rows.filter({ hasText: "y:0" }).waitFor();

    // The variable has no value yet; the window offers what gives it one.
    await window.runButton.click();
    await window.button("Run init, then run again").first().click();
    await window.dockTab("Results").click();
    await window.page.getByRole("row", { name: /y:0/ }).getByText("[3.0]", { exact: true }).waitFor();

    await window.dockTab("What to run").click();
    await window.undoButton.click();
    await chosen.getByText(/^Suggested/).waitFor();
    await window.redoButton.click();
    await window.saveAs("chosen.meta");
    await window.openFile("training.meta");
    await chosen.getByText(/^Suggested/).waitFor();
    await window.openFile("chosen.meta");
    await chosen.getByText("Chosen by you; saved with the document.").waitFor();
    await chosen.getByRole("button", { name: "Reset to the suggestion" }).click();
    await chosen.getByText(/^Suggested/).waitFor();
    const kept = python(
      "import sys, tensorflow as tf; v1 = tf.compat.v1; v1.disable_eager_execution(); v1.train.import_meta_graph(sys.argv[1]); g = v1.get_default_graph(); print([op.name for op in g.get_collection('train_op')], len(g.get_collection('summaries')), len(g.get_collection('tensordeck')))",
      join(app.folder, "chosen.meta"),
    );
    expect(kept.trim()).toBe("['train'] 1 1");
  });

  test("a SavedModel predicts with its saved values, by the signature that is chosen; without its files nothing is passed off as a prediction", async ({
    window,
    app,
  }) => {
    python(PYTHON, app.folder);
    await window.startTwoWorkers();
    await window.openFile("model");
    await window.node("StatefulPartitionedCall").waitFor();
    await window.dockTab("What to run").click();
    const signatures = window.page.getByRole("region", { name: "Signatures" });
    expect(await signatures.getByRole("radio", { name: "serving_default" }).isChecked()).toBe(true);
    const feeds = window.page.getByRole("region", { name: "Feeds" });
    const words = feeds.getByRole("textbox", { name: "Value" }).first();
    await words.fill('["beta"]');
    await words.press("Tab");
    await window.runButton.click();
    await window.dockTab("Results").click();
    const result = (text: string) => window.page.getByRole("row").getByText(text, { exact: true });
    await result("[3.5, 4.5]").waitFor();

    await window.dockTab("What to run").click();
    await signatures.getByRole("radio", { name: "ids" }).check();
    const idWords = feeds.getByRole("textbox", { name: "Value" }).first();
    await idWords.fill('["beta", "gamma"]');
    await idWords.press("Tab");
    await window.runButton.click();
    await window.dockTab("Results").click();
    await result("[1, -1]").waitFor();

    await window.press("Control+s");
    await window.page.getByRole("contentinfo").getByText("Saved", { exact: true }).waitFor();
    const stock = python(
      "import sys, tensorflow as tf; m = tf.saved_model.load(sys.argv[1]); print(m.signatures['serving_default'](tf.constant(['beta']))['rows'].numpy().tolist())",
      join(app.folder, "model"),
    );
    expect(stock.trim()).toBe("[[3.5, 4.5]]");

    // The same model opened without its files.
    rmSync(join(app.folder, "model", "variables"), { recursive: true });
    await window.closeDocument();
    await window.openFile("saved_model.pb");
    await window.dockTab("What to run").click();
    await words.fill('["beta"]');
    await words.press("Tab");
    await window.runButton.click();
    await window.alerts
      .getByText(/model\/variables\/variables\.index/)
      .first()
      .waitFor();
    await window.button("Run without the saved values").click();
    await signatures.getByText(/^Left out/).waitFor();
  });

  test("a SavedModel that looks words up in a table is trained by two workers and exported", async ({
    window,
    app,
  }) => {
    const { page } = window;
    python(TRAINED, app.folder);
    await window.startTwoWorkers();
    await window.openFile("words");
    await window.node("loss").waitFor();
    await makeTrainable(window, "0.05", /Between-graph, async/);
    await window.dockTab("What to run").click();
    const feeds = page.getByRole("region", { name: "Feeds" });
    await feeds.getByRole("textbox", { name: "Value" }).fill('["alpha", "beta", "beta"]');
    await page.keyboard.press("Tab");
    await feeds.getByText("Everything that is needed has a value.").waitFor();
    await window.button("Run 1000 steps").click();
    await window.dockTab("Training").click();
    await page.getByText("step 1000 / 1000").waitFor();
    expect(await window.alerts.count()).toBe(0);

    await window.menu("Export", "Model");
    const dialog = page.getByRole("dialog", { name: "Export as a model" });
    await dialog.getByRole("radio", { name: "SavedModel" }).check();
    await dialog.getByLabel("Outputs").fill("found");
    await dialog.getByRole("button", { name: "Export…" }).click();
    const files = page.getByRole("dialog", { name: /^Export as a / });
    await files.getByLabel("Name").fill("trained");
    await files.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Exported to .* with 1 variable/).waitFor();
    const rows = python(FOUND, join(app.folder, "trained"));
    // The values that the loss asks for: 1 for the first word, 2 for the second. An unknown word has the last row, as before.
    expect(JSON.parse(rows).map((value: number) => Math.round(value * 100) / 100)).toEqual([2, 1, 7]);
  });
});
