/** Tasks that are killed from outside while the window trains. */
import { afterAll, describe, expect } from "vitest";
import type { ClusterState, Task } from "../../main/api/cluster.js";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import { closeBrowser, test } from "./support/fixtures.js";
import { makeTrainable, writeLine } from "./support/training.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const tasksOf = ({ machines }: ClusterState): Task[] => machines.flatMap(({ tasks }) => tasks);
const named = (state: ClusterState, name: string) =>
  tasksOf(state).find(({ job, index }) => `${job}/${index}` === name);

/** Ends the process of a task from outside. */
async function kill(api: ApiClient, name: string): Promise<void> {
  const pid = named(await api.call("cluster.get"), name)?.pid;
  if (pid === undefined) throw new Error(`${name} has no process.`);
  process.kill(pid, "SIGKILL");
}

/** The number in "step 1,234 / 100,000". */
async function stepOf({ page }: WindowPage): Promise<number> {
  const text = await page
    .getByText(/^step [\d,]+ \/ /)
    .first()
    .textContent();
  return Number(/step ([\d,]+)/.exec(text ?? "")?.[1]?.replaceAll(",", ""));
}

describe.skipIf(peerMissing("chromium"))("a task that is killed while the window trains", () => {
  test("as a ps: the training stops, and goes on from the last checkpoint on one click; as a worker: it joins again", async ({
    window,
    app,
  }) => {
    const { page } = window;
    writeLine(app.folder);
    const api = await ApiClient.connect(await app.newLink());
    try {
      await window.startTwoWorkers();
      await api.call("cluster.addTasks", { job: "ps", count: 1 });
      await window
        .task("ps/0")
        .and(page.getByRole("treeitem", { name: /, running,/ }))
        .waitFor();
      await window.openFile("line.meta");
      await makeTrainable(window, "0.00001", /Between-graph, async/);
      await window.dockTab("What to run").click();
      await page.getByLabel("Steps", { exact: true }).fill("900000");
      await page.keyboard.press("Enter");
      await page.getByLabel("Checkpoint every").fill("50");
      await page.keyboard.press("Enter");
      await window.button(/^Run 900,?000 steps/).click();
      await window.dockTab("Training").click();
      const checkpoints = page.getByRole("table", { name: "Checkpoints" });
      await checkpoints
        .getByRole("row", { name: /^ckpt-/ })
        .nth(1)
        .waitFor();

      await kill(api, "ps/0");
      const panel = page.getByRole("region", { name: "Workers and checkpoints" });
      const goOn = panel.getByRole("button", { name: /^Restore from step [\d,]+ and go on$/ });
      await goOn.waitFor();
      await panel.getByText(/^ps\/0 was lost after step [\d,]+\.$/).waitFor();
      await window.alerts.getByText(/^The training stopped after step \d+ because ps\/0/).waitFor();
      const stoppedAt = await stepOf(window);
      const from = Number(/step ([\d,]+)/.exec((await goOn.textContent()) ?? "")?.[1]?.replaceAll(",", ""));
      expect(from).toBeGreaterThan(0);
      await goOn.click();
      await panel.getByText(/The training went on from the checkpoint of step/).waitFor();
      await expect.poll(() => stepOf(window), { timeout: 60_000 }).toBeGreaterThan(stoppedAt);
      expect(await window.alerts.getByText(/^The training stopped/).count()).toBe(0);

      await kill(api, "worker/1");
      await panel.getByText(/^worker\/1 was lost after step [\d,]+\.$/).waitFor();
      const lostAt = await stepOf(window);
      await expect.poll(() => stepOf(window), { timeout: 60_000 }).toBeGreaterThan(lostAt);
      await panel.getByRole("button", { name: /^Start worker\/1/ }).click();
      await panel
        .getByRole("table", { name: "Workers" })
        .getByRole("row", { name: /^worker\/1 came back/ })
        .waitFor();
      await panel.getByText(/^worker\/1 was lost/).waitFor({ state: "detached" });
      await window.button(/^Stop/).first().click();
      await page.getByRole("progressbar", { name: "Run" }).waitFor({ state: "detached" });
    } finally {
      api.close();
    }
  });
});
