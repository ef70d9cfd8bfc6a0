import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import type { RunningApp } from "./support/app.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

/** Two thirds of 360 bytes, twice, in TensorFlow's chunks. */
const RECEIVED_IN_RING = "Received: worker/1 488 B, worker/2 488 B and worker/0 464 B.";

describe.skipIf(peerMissing("chromium"))("the gallery of examples", () => {
  test("runs a trained classifier with one click and shows its classes by name", async ({ window }) => {
    const { page } = window;
    await window.menu("Gallery of examples");
    await page.getByRole("dialog", { name: "Examples" }).waitFor();
    await window.button("Run example: Handwritten digits").click();
    const classes = page.getByRole("region", { name: "Classes of scores:0" });
    await classes.getByRole("row", { name: /^3 three / }).waitFor();

    // Another picture, and what it shows.
    await window.select("number");
    const value = window.inspector.getByRole("textbox", { name: "value" });
    await value.fill("12");
    await value.press("Tab");
    await window.runButton.click();
    await classes.getByRole("row", { name: /^6 six / }).waitFor();
    await window.dockTab("Results").click();
    await page
      .getByRole("row", { name: /^picture:0/ })
      .getByRole("button", { name: "Open" })
      .click();
    await page.getByRole("img", { name: /^Image picture:0, 8 by 8/ }).waitFor();
    expect(await window.alerts.count()).toBe(0);
  });

  test("trains a network on two workers with one click, shows its curves, and evaluates it", async ({
    window,
  }) => {
    const { page } = window;
    await window.menu("Gallery of examples");
    await window.button("Run example: Train on digits").click();
    // Their last values, once the run is over.
    await window.runDone(2, 500);
    await page.getByRole("row", { name: /^loss:0/ }).waitFor();

    await window.button("Run configuration: train").click();
    await page.getByRole("menuitemcheckbox", { name: "evaluate" }).click();
    await window.runButton.click();
    const result = page.getByRole("row", { name: /^evaluation\/accuracy:0/ });
    await result.waitFor();
    expect(Number(/0\.\d+/.exec(await result.innerText())?.[0])).toBeGreaterThan(0.85);
    expect(await window.alerts.count()).toBe(0);
  });

  test("runs a collective operation on the portable engine's tasks as they are", async ({ window, app }) => {
    await addWorkers(app, "portable");
    await window.menu("Open example", "Sum by a collective operation");
    await window.node("sum_0").waitFor();
    await window.runButton.click();
    await window.dockTab("Timeline").click();
    await window.page.getByText(RECEIVED_IN_RING).waitFor();
    expect(await window.page.getByText("fixed", { exact: true }).count()).toBe(0);
  });
});

describe.skipIf(peerMissing("tensorflow", "chromium"))(
  "collective operations of TensorFlow's servers",
  () => {
    test.override({ appOptions: { engine: "tensorflow" } });

    test("add vectors of three workers, and it is said what each received", async ({ window }) => {
      const { page } = window;
      await window.menu("Gallery of examples");
      await window.button("Run example: Sum by a collective operation").click();
      await page.getByRole("tab", { name: /^sum_0:0/ }).waitFor();
      await window.dockTab("Timeline").click();
      await page.getByText(RECEIVED_IN_RING).waitFor();
      expect(await window.alerts.count()).toBe(0);

      // The same sum through a parameter server moves more, most of it to one task.
      await window.menu("Gallery of examples");
      await window.button("Run example: Sum by a parameter server").click();
      await page.getByRole("dialog").getByRole("button", { name: "Restart 3 tasks" }).click();
      await page.getByRole("tab", { name: /^sum_0:0/ }).waitFor();
      await window.dockTab("Timeline").click();
      await page
        .getByText("Received: ps/0 1.1 kB, worker/0 360 B, worker/1 360 B and worker/2 360 B.")
        .waitFor();
    });

    test("are offered a fixed cluster, which they need", async ({ window, app }) => {
      await addWorkers(app, "tensorflow");
      await window.menu("Open example", "Sum by a collective operation");
      await window.node("sum_0").waitFor();
      await window.runButton.click();
      await window.button("Make the cluster fixed and run").click();
      await window.page.getByRole("dialog").getByRole("button", { name: "Restart 3 tasks" }).click();
      await window.dockTab("Timeline").click();
      await window.page.getByText(RECEIVED_IN_RING).waitFor();
    });
  },
);

async function addWorkers(app: RunningApp, engine: "portable" | "tensorflow"): Promise<void> {
  const api = await ApiClient.connect(await app.newLink());
  try {
    await api.call("cluster.addTasks", { job: "worker", count: 3, engine });
    await api.runningTasks(3);
  } finally {
    api.close();
  }
}
