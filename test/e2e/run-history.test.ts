import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { startApp } from "./support/app.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("the history of runs in the window", () => {
  test("two runs are compared, also in another window, and forgotten", async ({ window, app }) => {
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await window.press("Control+5");
    const configs = window.page.getByRole("region", { name: "Run configurations" });
    await configs.getByRole("button", { name: "New" }).click();
    const field = window.page.getByRole("combobox", { name: "Tensor or operation to add" });
    await field.fill("x:0");
    await window.press("Enter");
    await window.button(/Run 1,?000 steps/).click();
    await window.button("Stop").waitFor({ state: "hidden" });

    await window.press("Control+6");
    await window.page.getByRole("checkbox", { name: "run 1", exact: true }).check();
    const details = window.page.getByRole("region", { name: "Chosen runs" });
    await details.getByRole("row", { name: "Configuration differs New run Main" }).waitFor();
    await details.getByRole("row", { name: /^z:0 11\.0 11\.0/ }).waitFor();
    await details.getByRole("row", { name: /^Steps differs 1,?000 of 1,?000 1 of 1/ }).waitFor();
    await details.getByRole("region", { name: "Curve of x:0" }).waitFor();

    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    try {
      await other.ready();
      await other.press("Control+6");
      await other.page.getByRole("checkbox", { name: "run 2", exact: true }).waitFor();
      await other.page
        .getByRole("region", { name: "Chosen runs" })
        .getByRole("row", { name: /^z:0 11\.0/ })
        .waitFor();
    } finally {
      await other.close();
    }

    await window.dockTab("Timeline").click();
    await window.page.getByRole("radio", { name: "Memory" }).click();
    await window.page
      .getByRole("img", { name: /^Memory over the step: peak / })
      .first()
      .waitFor();
    await window.page.getByRole("radio", { name: "Compare" }).click();
    await window.page.getByRole("combobox", { name: "A" }).selectOption("run 1, step 1");
    await window.page.getByRole("combobox", { name: "B" }).selectOption("run 2, step 1");
    await window.page.getByRole("row", { name: /^Step [\d.]+ m?s [\d.]+ m?s [+−]/ }).waitFor();
    await window.page
      .getByRole("table", { name: "Nodes of both steps" })
      .getByRole("button", { name: "z", exact: true })
      .click();
    await window.inspector.getByRole("textbox", { name: "Name" }).waitFor();
    await window.press("Control+6");

    await window.page.getByRole("button", { name: "Clear…" }).click();
    await window.button("Forget them").click();
    await window.page.getByText(/are kept here, with their values/).waitFor();
    expect(await window.page.getByRole("checkbox", { name: "run 1", exact: true }).count()).toBe(0);
  });

  test("the runs of a saved document are listed after a restart, and forgotten also on disk", async ({
    app,
    window,
  }) => {
    const files = () => readdirSync(join(app.folder, "data", "runs"));
    await window.saveAs("kept.pbtxt");
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    await expect
      .poll(() => files().sort())
      .toEqual([expect.stringMatching(/\.run$/), expect.stringMatching(/\.tensors$/)]);
    await window.page.goto("about:blank");
    await app.kill();

    const next = await startApp({ folder: app.folder });
    const again = await WindowPage.open(await sharedBrowser(), next.link);
    try {
      await again.ready();
      await again.openFile("kept.pbtxt");
      await again.press("Control+6");
      await again.page.getByRole("checkbox", { name: "run 1", exact: true }).waitFor();
      const details = again.page.getByRole("region", { name: "Chosen runs" });
      await details.getByRole("row", { name: /^z:0 11\.0/ }).waitFor();
      await details.getByRole("row", { name: /^z [\d.]+ .?s on worker\/1/ }).waitFor();
      await details.getByRole("button", { name: "11.0", exact: true }).click();
      await again.page
        .getByRole("grid", { name: "Values of z:0 of run 1" })
        .getByText("11.00", { exact: true })
        .waitFor();
      await again.press("Control+6");
      await again.page.getByRole("button", { name: "Clear…" }).click();
      await again.button("Forget them").click();
      await expect.poll(files).toEqual([]);
      expect(again.errors).toEqual([]);
    } finally {
      await again.close();
      await next.stop();
    }
  });
});
