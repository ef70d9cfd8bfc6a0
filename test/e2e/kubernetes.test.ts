import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished } from "vitest";
import { ApiServer } from "../../main/kubernetes/api-server.js";
import { Kubelet } from "../main/kubernetes/support/kubelet.js";
import { reportPod, schedulePods } from "../main/kubernetes/support/node.js";
import { startPodWorkers } from "../main/kubernetes/support/pod-workers.js";
import { ScriptNode } from "../main/kubernetes/support/script-node.js";
import { startStandIn } from "../main/kubernetes/support/stand-in-server.js";
import { writeKubeconfig } from "../main/kubernetes/support/test-server.js";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("the cluster in Kubernetes", () => {
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

  test("runs graphs of the window on its tasks, through ports of this machine", async ({ window, app }) => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    const kubelet = new Kubelet();
    const server = await startStandIn(kubelet);
    const workers = await startPodWorkers(kubelet, folder, 2);
    onTestFinished(async () => {
      await workers.stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const kubeconfig = await writeKubeconfig(server, folder, "default");
    const api = await ApiServer.connect({ kubeconfig });
    const running = { ready: true, state: { running: { startedAt: "2026-01-02T03:04:05Z" } } };
    const client = await ApiClient.connect(await app.newLink());
    await client.call("kubernetes.connect", { kubeconfig });
    await client.call("kubernetes.deploy", {
      tasks: [0, 1].map((index) => ({ job: "worker", index })),
      options: { name: "lab", engine: "portable", image: "example.org/tensordeck" },
    });
    client.close();
    for (const pod of await schedulePods(api, "default", server)) {
      await reportPod(api, "default", pod, running);
    }

    const { page } = window;
    const panel = page.getByRole("region", { name: "Kubernetes: lab" });
    await panel.getByText("2 of 2 tasks running").waitFor();
    await panel.getByRole("button", { name: "Open Kubernetes" }).click();
    const dialog = page.getByRole("dialog", { name: "Kubernetes" });
    await dialog.getByRole("button", { name: "Run graphs here" }).click();
    await dialog.getByRole("button", { name: "Graphs run here" }).waitFor();
    await page.keyboard.press("Escape");
    const tasks = panel.getByRole("tree", { name: "Tasks of lab" });
    await tasks.getByRole("treeitem", { name: /^worker\/0, running, pod,/ }).waitFor();
    await tasks.getByRole("treeitem", { name: /^worker\/1, running, pod,/ }).waitFor();

    // The example is pinned to both workers; this machine has none.
    await window.runAndSee("z", "11.0");
    await window.select("z");
    expect(await window.device.inputValue()).toMatch(/^\/job:worker\/task:\d$/);
    await window.dockTab("Timeline").click();
    await page.getByRole("tabpanel", { name: "Timeline" }).getByText("worker/1").first().waitFor();

    kubelet.write("lab-worker-1", "written in the pod");
    await window.dockTab("Logs").click();
    await page.getByText("written in the pod").waitFor();

    await window.button("Number of steps").click();
    await page.getByRole("menuitem", { name: "Another number…" }).click();
    const steps = page.getByRole("dialog");
    await steps.getByRole("textbox").or(steps.getByRole("spinbutton")).fill("1000000");
    await window.press("Enter");
    await window.firstStep();
    await workers.kill(1);
    await api.request({
      ...{ method: "DELETE", path: "/api/v1/namespaces/default/pods/lab-worker-1" },
      what: "A test's request failed",
    });
    await page
      .getByRole("region", { name: "Messages" })
      .getByRole("alert")
      .getByText(/worker\/1/)
      .first()
      .waitFor();
    await tasks.getByRole("treeitem", { name: /^worker\/1, starting, pod,/ }).waitFor();
    await workers.start(1);
    await schedulePods(api, "default", server);
    await reportPod(api, "default", "lab-worker-1", running);
    await tasks.getByRole("treeitem", { name: /^worker\/1, running, pod,/ }).waitFor();

    await panel.getByRole("button", { name: "Leave" }).click();
    await tasks.waitFor({ state: "detached" });
    await window.button("Start 2 workers").waitFor();
  });

  test.skipIf(peerMissing("python"))(
    "runs a script as pods, with its output and what it made",
    async ({ window, app }) => {
      const folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
      const kubelet = new Kubelet();
      const server = await startStandIn(kubelet);
      const kubeconfig = await writeKubeconfig(server, folder, "default");
      const api = await ApiServer.connect({ kubeconfig });
      const node = await ScriptNode.open({
        api,
        namespace: "default",
        kubelet,
        folder: join(folder, "pods"),
      });
      onTestFinished(async () => {
        await node.close();
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      });
      const project = join(app.folder, "project");
      await mkdir(project);
      await writeFile(
        join(project, "train.py"),
        'import os\nopen("model", "w").write("weights")\nprint("in", os.environ["TENSORDECK_JOB"])\n',
      );
      const client = await ApiClient.connect(await app.newLink());
      await client.call("kubernetes.connect", { kubeconfig });
      client.close();

      const { page } = window;
      await page.getByRole("region", { name: "Kubernetes: lab" }).waitFor();
      const dialog = await window.chooseScript("project", "train.py");
      await dialog
        .getByRole("combobox", { name: "Place" })
        .selectOption({ label: "In Kubernetes: lab, namespace default" });
      await dialog.getByLabel("Memory").fill("1Gi");
      await dialog.getByText(/^Sends .* to each of 1 pod$/).waitFor();
      await dialog.getByRole("button", { name: "Start when ready" }).click();
      const log = page.getByRole("log", { name: "Output of the script" });
      await log.getByText(`in ${join(folder, "pods")}`).waitFor();
      await page.getByRole("button", { name: /^worker\/0 done/ }).waitFor();
      await expect
        .poll(async () =>
          (await readdir(join(project, "runs"), { recursive: true })).filter((name) =>
            name.endsWith("model"),
          ),
        )
        .toHaveLength(1);
    },
  );
});
