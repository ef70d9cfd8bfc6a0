import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished } from "vitest";
import { ApiServer } from "../../main/kubernetes/api-server.js";
import { Kubelet } from "../main/kubernetes/support/kubelet.js";
import { reportPod, schedulePods } from "../main/kubernetes/support/node.js";
import { startStandIn } from "../main/kubernetes/support/stand-in-server.js";
import { writeKubeconfig } from "../main/kubernetes/support/test-server.js";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("tensorflow", "chromium"))("the cluster in Kubernetes", () => {
  test("is deployed from its export, and its tasks are shown and reached", async ({ window }) => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    const kubelet = new Kubelet();
    const server = await startStandIn(kubelet);
    onTestFinished(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const kubeconfig = await writeKubeconfig(server, folder, "default");
    const { page } = window;
    const command = async (name: string) => {
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Search or run a command").fill(name);
      await page
        .getByRole("option", { name: new RegExp(`^${name}`) })
        .first()
        .click();
    };
    await window.startTwoWorkers();
    await command("Kubernetes");
    const dialog = page.getByRole("dialog", { name: "Kubernetes" });
    await dialog.getByLabel("Kubeconfig", { exact: true }).fill(kubeconfig);
    await dialog.getByRole("button", { name: "Read" }).click();
    await dialog.getByText(server.url).waitFor();
    await dialog.getByRole("button", { name: "Connect", exact: true }).click();
    await dialog.getByText("Nothing is deployed in this namespace yet.").waitFor();
    await dialog.getByRole("button", { name: "Deploy a cluster…" }).click();
    const exporting = page.getByRole("dialog", { name: "Export cluster" });
    await exporting.getByRole("combobox", { name: /^System/ }).selectOption("Kubernetes");
    await exporting.getByLabel("Name", { exact: true }).fill("lab");
    await exporting.getByRole("button", { name: "Deploy to lab" }).click();
    await dialog.getByRole("region", { name: "lab" }).waitFor();

    const api = await ApiServer.connect({ kubeconfig });
    const pods = await schedulePods(api, "default", server);
    kubelet.write("lab-worker-0", "Started server with target: grpc://lab-worker-0:2222");
    for (const pod of pods) {
      await reportPod(api, "default", pod, {
        ready: true,
        state: { running: { startedAt: "2026-01-02T03:04:05Z" } },
      });
    }
    const tasks = dialog.getByRole("list", { name: "Tasks of lab" });
    await expect.poll(() => tasks.getByText("running").count()).toBe(2);
    await tasks.getByRole("button", { name: "Log" }).first().click();
    await dialog.getByText(/^Started server with target/).waitFor();
    await tasks.getByRole("button", { name: "Reach it from here" }).first().click();
    await tasks.getByText(/^grpc:\/\/127\.0\.0\.1:\d+$/).waitFor();
    await page.keyboard.press("Escape");

    const panel = page.getByRole("region", { name: "Kubernetes: lab" });
    await panel.getByText("2 of 2 tasks running").waitFor();
    await command("Disconnect from Kubernetes");
    await panel.waitFor({ state: "detached" });
  });
});
