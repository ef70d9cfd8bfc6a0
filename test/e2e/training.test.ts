import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import { makeTrainable, writeLine } from "./support/training.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("training in the window", () => {
  test("a graph is made trainable, two workers train it, and a checkpoint of it is restored", async ({
    window,
    app,
  }) => {
    const { page } = window;
    writeLine(app.folder);
    await window.startTwoWorkers();
    await window.openFile("line.meta");
    await makeTrainable(window, "0.001", /Between-graph, async/);
    await window.dockTab("What to run").click();
    await page.getByLabel("Checkpoint every").fill("400");
    await page.keyboard.press("Enter");
    await window.button("Run 1000 steps").click();
    await window.dockTab("Training").click();
    await page.getByText("step 1000 / 1000").waitFor();
    const steps = await page
      .getByRole("table", { name: "Workers" })
      .getByRole("row", { name: /^worker\// })
      .locator("td:nth-child(2)")
      .allTextContents();
    expect(steps).toHaveLength(2);
    expect(steps.reduce((sum, text) => sum + Number(text.replace(",", "")), 0)).toBe(1000);
    await page.getByRole("heading", { name: "Staleness of applied gradients" }).waitFor();
    const checkpoints = page.getByRole("table", { name: "Checkpoints" });
    await checkpoints.getByRole("row", { name: /^ckpt-1000 latest 1000/ }).waitFor();
    expect(existsSync(join(app.folder, "line.checkpoints", "ckpt-1000.index"))).toBe(true);
    await checkpoints
      .getByRole("row")
      .last()
      .getByRole("button", { name: /^Restore/ })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText(/^Restored 2 variables\./).waitFor();
  });

  test("the loss is picked and the trainable graph looked at on the canvas", async ({ window, app }) => {
    const { page } = window;
    writeLine(app.folder);
    await window.startTwoWorkers();
    await window.openFile("line.meta");
    await window.press("Control+k");
    await page.getByRole("combobox", { name: /commands/i }).fill("Make trainable");
    await window.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Make trainable" });
    await dialog.getByLabel("Learning rate").fill("0.003");
    await dialog.getByRole("button", { name: "Pick on canvas: loss" }).click();
    const bar = page.getByRole("region", { name: "Make trainable" });
    await window.select("Square");
    await bar.getByText("What is selected computes no scalar of floats.").waitFor();
    await window.select("loss");
    await bar.getByRole("button", { name: "Use loss:0" }).click();
    expect(await dialog.getByLabel("Learning rate").inputValue()).toBe("0.003");
    await dialog.getByRole("radio", { name: /Between-graph, sync/ }).check();

    await dialog.getByRole("button", { name: "Preview on canvas" }).click();
    await bar.getByText(/^Preview: \d+ nodes are added in the scope train\.$/).waitFor();
    // The scope is open: its nodes are drawn.
    await window.node("train/init/init").or(window.node("train/init")).first().waitFor();
    await bar.getByRole("button", { name: "Back to the choices" }).click();
    expect(await dialog.getByRole("radio", { name: /Between-graph, sync/ }).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Preview on canvas" }).click();
    await bar.getByRole("button", { name: "Keep" }).click();
    await bar.waitFor({ state: "detached" });
    await window.button("Run configuration: train").waitFor();
  });

  test("ends when the loss has not improved for so many values", async ({ window, app }) => {
    const { page } = window;
    writeLine(app.folder);
    await window.startTwoWorkers();
    await window.openFile("line.meta");
    // Its steps are too long: the line is missed by more each time.
    await makeTrainable(window, "0.3", /As it is/);
    await window.dockTab("What to run").click();
    await window.button("Add condition").click();
    await page.getByLabel("Condition 1", { exact: true }).selectOption("does not improve");
    await page.getByLabel("Values without improvement in condition 1").fill("5");
    await page.keyboard.press("Enter");
    await window.button("Run 1000 steps").click();
    await window.dockTab("Results").click();
    await page.getByText(/ended because loss:0 did not improve on \S+ in 5 values/).waitFor();
    await window.dockTab("Training").click();
    await page.getByText("step 6 / 1000").waitFor();
  });

  test("is evaluated on pictures of its own, and the best checkpoint is kept and restored", async ({
    window,
    app,
  }) => {
    const { page } = window;
    await window.menu("Gallery of examples");
    await window.button("Run example: Train on digits").click();
    await window.runDone(2, 500);
    await window.saveAs("digits.meta");
    await window.dockTab("What to run").click();
    const fill = async (name: string, text: string) => {
      await page.getByLabel(name, { exact: true }).fill(text);
      await page.keyboard.press("Enter");
    };
    await fill("Evaluate every", "20");
    await fill("Checkpoint every", "100");
    await page.getByLabel("And the best by").selectOption("highest evaluation/accuracy:0");
    await window.button("Add condition").click();
    await page.getByLabel("Tensor of condition 1").selectOption("evaluation/accuracy:0");
    await page.getByLabel("Condition 1", { exact: true }).selectOption("does not improve");
    await fill("Values without improvement in condition 1", "3");
    await page.getByRole("checkbox", { name: "then restore the best checkpoint" }).check();
    await window.button("Run 500 steps").click();
    await window.dockTab("Training").click();
    const ended = page.getByText(/^Evaluated after step/);
    await ended.waitFor();
    await page.getByRole("row", { name: /^ckpt-\d+ best evaluation\/accuracy:0: 0\.\d+/ }).waitFor();
    await window.dockTab("Results").click();
    await page
      .getByText(
        /accuracy:0 did not improve on 0\.\d+ in 3 values; the variables have the values of step \d+ again/,
      )
      .waitFor();
    const best = join(app.folder, "digits.checkpoints", "best");
    expect(existsSync(join(best, "best.json"))).toBe(true);
    await page
      .getByRole("row", { name: /^evaluation\/accuracy:0/ })
      .first()
      .waitFor();
  });
});
