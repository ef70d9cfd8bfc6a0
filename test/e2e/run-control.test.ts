import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("control of runs in the window", () => {
  test("a long run is paused and goes on; another waits for it and begins when it is stopped", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    await window.startLongRun();
    const progress = window.page.getByRole("progressbar", { name: "Run" });
    await window.button("Pause the run").click();
    await progress
      .getByText(/^paused after step [\d,]+$/)
      .first()
      .waitFor();
    await window.press("Control+6");
    await window.page.getByRole("row", { name: /run 1 .*paused/ }).waitFor();
    await window.button("Resume the run").click();
    await progress
      .getByText(/^step [\d,]+$/)
      .first()
      .waitFor();

    await window.button("Add to the queue").click();
    const waiting = window.page.getByRole("region", { name: "Waiting runs" });
    await waiting.getByText(/^Main of Welcome, 1 step, waiting/).waitFor();
    await window.button("Add to the queue").click();
    await expect.poll(() => waiting.getByRole("listitem").count(), { timeout: 30_000 }).toBe(2);
    await waiting.getByRole("button", { name: "Take Main of Welcome out of the queue" }).first().click();
    await expect.poll(() => waiting.getByRole("listitem").count(), { timeout: 30_000 }).toBe(1);
    await window.button("Stop").click();
    await window.page.getByRole("row", { name: /run 1 .*stopped/ }).waitFor();
    await window.page.getByRole("row", { name: /run 2 .*done/ }).waitFor();
    await waiting.waitFor({ state: "hidden" });
  });

  test("part of the graph is run: to a node, and a node alone with the values of the last run", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    const choose = async (node: string, command: RegExp) => {
      await window.node(node).locator("[data-node-head]").click({ button: "right" });
      await window.page.getByRole("menuitem", { name: command }).click();
    };
    await choose("z", /^Run alone/);
    await window.page.getByRole("alert").getByText("x:0 and y:0 have no value of an earlier run.").waitFor();
    await choose("x", /^Run to here/);
    await window.value("x").getByText("5.0", { exact: true }).waitFor();
    await window.value("z").getByText("11.0", { exact: true }).waitFor({ state: "detached" });
    await window.runAndSee("z", "11.0");
    await choose("z", /^Run alone/);
    await window.press("Control+6");
    const details = window.page.getByRole("region", { name: "Chosen runs" });
    await details.getByRole("row", { name: "Configuration z alone" }).waitFor();
    await details.getByRole("row", { name: /^z:0 11\.0/ }).waitFor();
    // Only z was computed, and what it was fed stays.
    await details.getByRole("row", { name: /^x:0 5\.0/ }).waitFor();
    expect(await details.getByRole("row", { name: /^y .* on worker/ }).count()).toBe(0);
  });

  test("a long run goes on without a window, and is found again in another one", async ({ window, app }) => {
    await window.startTwoWorkers();
    await window.startLongRun();
    await window.page.goto("about:blank");
    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    try {
      await other.ready();
      await other.firstStep();
      await other.value("z").getByText("11.0", { exact: true }).waitFor();
      await other.button("Stop").click();
      await other.button("Stop").waitFor({ state: "hidden" });
      await other.press("Control+6");
      await other.page.getByRole("row", { name: /run 1 .*stopped/ }).waitFor();
    } finally {
      await other.close();
    }
  });
});
