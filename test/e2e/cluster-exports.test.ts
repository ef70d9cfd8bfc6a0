import { readFile } from "node:fs/promises";
import { afterAll, describe, expect } from "vitest";
import { importCluster } from "../../worker-runtime/cluster/orchestrators/import-cluster.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("a cluster", () => {
  test("is exported for another system, and imported from the file", async ({ window }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search or run a command").fill("export cluster");
    await page.getByRole("option", { name: /^Export cluster/ }).click();
    const dialog = page.getByRole("dialog", { name: "Export cluster" });
    await dialog.getByRole("combobox", { name: /^System/ }).selectOption("Kubeflow TFJob");
    const preview = dialog.getByRole("region", { name: "Preview" });
    await preview.getByText("TFJob").first().waitFor();
    const downloading = page.waitForEvent("download");
    await dialog.getByRole("button", { name: /^Save tensordeck\.tfjob/ }).click();
    const download = await downloading;
    const text = await readFile(await download.path(), "utf8");
    expect(text).toBe(await preview.textContent());
    expect(importCluster(text).source).toBe("tfjob");
    await dialog.getByRole("button", { name: "Close" }).last().click();

    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search or run a command").fill("cluster as a table");
    await page.getByRole("option", { name: /^Edit the cluster as a table/ }).click();
    const table = page.getByRole("dialog", { name: /^Cluster: / });
    await table.getByRole("button", { name: "Import…" }).click();
    const choosing = page.waitForEvent("filechooser");
    await table.getByRole("button", { name: "Open a file…" }).click();
    await (await choosing).setFiles({ name: "lab.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
    await table.getByText(/^A TFJob: its names are known within the Kubernetes cluster only/).waitFor();
    await table.getByRole("button", { name: "Take over 2 rows" }).click();
    await expect
      .poll(() => table.getByLabel("Address of worker/1").inputValue())
      .toBe("tensordeck-worker-1.default.svc:2222");
  });
});
