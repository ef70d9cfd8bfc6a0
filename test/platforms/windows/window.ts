/** The headless host on Windows, with its window in Chromium on Linux. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { ClusterState } from "../../../main/api/cluster.js";
import { WindowPage } from "../../e2e/support/window-page.js";
import { openWindow } from "../../main/support/window.js";
import { launchBrowser } from "../../support/browser.js";
import type { PeerProcess } from "../../support/processes.js";
import type { Check } from "../check.js";
import type { WineMachine } from "./wine-machine.js";

const HEADLESS = "/tensordeck/build/out/program/headless/main.js";
const FOLDER = "/trial/Fenster é";
/** This only ends what hangs. */
const HANGING_MILLIS = 120_000;

export function windowOfHost(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "the window of the headless host starts two workers, runs, pins by dragging, saves and opens a file",
      run: () =>
        withHost(machine, async (link) => {
          const browser = await launchBrowser();
          try {
            const window = await WindowPage.open(browser, link);
            window.page.setDefaultTimeout(HANGING_MILLIS);
            await window.ready();
            await window.startTwoWorkers();
            await window.runAndSee("z", "11.0");
            await window.drag(window.node("x"), window.task("worker/1"));
            await window.chip("x").getByText("worker/1").waitFor();
            await window.runAndSee("z", "11.0");
            // The dialog opens the account's folder, in which an earlier run has saved.
            const name = `größer é ${process.pid}.pbtxt`;
            await window.saveAs(name);
            await window.closeDocument();
            await window.openFile(name);
            await window.chip("x").getByText("worker/1").waitFor();
            assert.deepEqual(window.errors, []);
          } finally {
            await browser.close();
          }
        }),
    },
    {
      name: "the load of tasks and of the machine is measured, and a task that is killed is said to have failed",
      run: () =>
        withHost(machine, async (link) => {
          const window = await openWindow(link);
          const isIn = (state: string) => (cluster: ClusterState) =>
            cluster.machines[0]?.tasks[0]?.state === state;
          const running = window.next("cluster", isIn("running"), HANGING_MILLIS);
          await window.call("cluster.addTasks", { job: "worker", count: 1, engine: "portable" });
          const [task] = (await running).machines[0]?.tasks ?? [];
          assert.ok(task?.pid !== undefined);
          const { tasks } = await window.next(
            "samples",
            (samples) => samples.tasks[task.id] !== undefined,
            HANGING_MILLIS,
          );
          const { memoryBytes = 0 } = tasks[task.id] ?? {};
          assert.ok(memoryBytes > 20e6 && memoryBytes < 2e9, `${memoryBytes} bytes`);
          const failed = window.next("cluster", isIn("failed"), HANGING_MILLIS);
          await machine.evaluate(`process.kill(${task.pid}, "SIGKILL");`);
          const [ended] = (await failed).machines[0]?.tasks ?? [];
          assert.ok(ended?.problem !== undefined);
          window.close();
        }),
    },
  ];
}

async function withHost(machine: WineMachine, use: (link: string) => Promise<void>): Promise<void> {
  rmSync(machine.file(FOLDER), { recursive: true, force: true });
  mkdirSync(machine.file(`${FOLDER}/data`), { recursive: true });
  const settings = { tourSeen: true, runtimeBannerDismissed: true };
  writeFileSync(machine.file(`${FOLDER}/data/settings.json`), JSON.stringify(settings));
  const data = machine.windowsPath(`${FOLDER}/data`);
  const host: PeerProcess = await machine.node(
    [machine.windowsPath(HEADLESS), "--port", "0", "--data-dir", data],
    {
      cwd: FOLDER,
      env: { TENSORDECK_NETWORK: "loopback" },
      ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
    },
  );
  try {
    await use(host.match?.[1] ?? "");
  } catch (error) {
    throw new Error(`${error instanceof Error ? (error.stack ?? "") : String(error)}\n${host.output()}`);
  } finally {
    await host.stop();
  }
}
