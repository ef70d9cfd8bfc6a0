/** A machine with a GPU, which is a software Vulkan here, and tasks that use it or not. */
import { afterAll, describe, expect, test } from "vitest";
import { peerMissing, vulkanEnvironment } from "../support/peers.js";
import { startApp } from "./support/app.js";
import { closeBrowser, sharedBrowser } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const GPU = /GPU:0 SwiftShader [^,]+, \d[\d.]* [GM]B/;

/** Adds a worker with the form behind the plus, and waits until it runs. */
async function addWorker(window: WindowPage, name: string, gpu: string): Promise<void> {
  const { page } = window;
  await window.button("Add tasks or a machine").click();
  const choice = page.getByRole("combobox", { name: "GPU" });
  await choice.selectOption({ label: gpu });
  await window.button("Add and start").click();
  await choice.waitFor({ state: "detached" });
  await window
    .task(name)
    .and(page.getByRole("treeitem", { name: /, running,/ }))
    .waitFor();
}

describe.skipIf(peerMissing("chromium", "vulkan"))("a machine with a GPU", () => {
  test("gives it to the task for which it is chosen, a node that is pinned to it runs there, and copies are shown", async () => {
    const app = await startApp({
      env: { ...vulkanEnvironment(), TENSORDECK_SOFTWARE_GPU: "1" },
    });
    try {
      const window = await WindowPage.open(await sharedBrowser(), app.link);
      await window.ready();
      const { page } = window;
      await page.getByRole("treeitem", { name: /this machine.*SwiftShader.*portable engine GPU/ }).waitFor();
      await addWorker(window, "worker/0", "Automatic: one that is free");
      await addWorker(window, "worker/1", "None");
      await window
        .task("worker/0")
        .and(page.getByRole("treeitem", { name: GPU }))
        .waitFor();

      await window.select("z");
      await window.device.selectOption("/job:worker/task:0/device:GPU:0");
      await window.runAndSee("z", "11.0");
      await window.ranOn("z").getByText("GPU:0").waitFor();

      await window.dockTab("Timeline").click();
      await page.getByRole("radio", { name: "Table", exact: true }).click();
      const copied = page.getByRole("row", { name: /^MEMCPYDtoH .*worker\/0 GPU:0 → worker\/0 CPU:0/ });
      await copied.first().waitFor();
      expect(await window.task("worker/1").textContent()).not.toContain("GPU:0");
      expect(window.errors).toEqual([]);
      await window.close();
    } finally {
      await app.stop();
    }
  });
});
