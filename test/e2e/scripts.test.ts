/** Running a script: the dialog, its view while it runs, in another window, and when a task fails. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium", "python"))("a script in the window", () => {
  test.override({ appOptions: { programs: true } });

  test("is chosen, runs as three tasks, is stopped, and says why it failed", async ({ window, app }) => {
    const project = join(app.folder, "project");
    mkdirSync(join(project, "data"), { recursive: true });
    copyFileSync(fileURLToPath(new URL("scripts/train.py", import.meta.url)), join(project, "train.py"));
    writeFileSync(join(project, ".gitignore"), "data/\nlogs/\n");
    const { page } = window;

    const dialog = await window.chooseScript("project", "train.py");
    await dialog.getByText("TF_CONFIG found in train.py, line 11").waitFor();
    await dialog.getByText("2 files,").waitFor();
    await dialog.getByText("Left out: data/").waitFor();
    await dialog.getByRole("combobox", { name: "Machine of worker/1" }).waitFor();
    await dialog.getByText('"task": {"type":"worker","index":0}').waitFor();
    await dialog.getByRole("combobox", { name: "Device of worker/1" }).selectOption("cpu");
    await dialog.getByRole("textbox", { name: "Arguments" }).fill('--wait "in peace"');
    await dialog.getByRole("button", { name: "Start when ready" }).click();

    await page.getByRole("button", { name: /^worker\/1 running/ }).waitFor();
    const log = page.getByRole("log", { name: "Output of the script" });
    await log.getByText("waiting --wait in peace").first().waitFor();
    await log.getByText("all 3").first().waitFor();
    await page.getByRole("region", { name: "Curve of loss" }).getByText("step 5").waitFor();
    await page.getByRole("progressbar", { name: "Progress" }).getByText("epoch 2 of 2").waitFor();

    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    try {
      await other.ready();
      await other.press("Control+8");
      const there = other.page.getByRole("log", { name: "Output of the script" });
      await there.getByText("step 3 loss 0.3333").waitFor();
      await other.page.getByRole("region", { name: "Curve of loss" }).getByText("0.2").waitFor();
      await other.button("Stop").click();
    } finally {
      await other.close();
    }
    await page.getByRole("button", { name: /^worker\/0 stopped/ }).waitFor();

    await page.getByRole("button", { name: "Change and run…" }).click();
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("--fail --wait");
    await dialog.getByRole("button", { name: "Start when ready" }).click();
    const problem = page.getByRole("alert").filter({ hasText: "worker/1 failed (exit code 1)." });
    await problem.getByText("ValueError: the loss is not a number").waitFor();
    await problem.getByRole("button", { name: "Show the log of worker/1" }).click();
    await log.getByText("Traceback").waitFor();
    const jobs = page.getByRole("combobox", { name: "Script" });
    expect(await jobs.getByRole("option").allTextContents()).toEqual([
      expect.stringMatching(/failed$/),
      expect.stringMatching(/stopped$/),
    ]);
  });
});
