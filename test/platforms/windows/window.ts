/** The headless host on Windows, with its window in Chromium on Linux. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { ClusterState } from "../../../main/api/cluster.js";
import { openWindow } from "../../main/support/window.js";
import type { PeerProcess } from "../../support/processes.js";
import type { Check } from "../check.js";
import { headlessHost, SETTINGS, WALK, walkThroughWindow } from "../window-walk.js";
import type { WineMachine } from "./wine-machine.js";

const FOLDER = "/trial/Fenster é";
/** This only ends what hangs. */
const HANGING_MILLIS = 120_000;

export function windowOfHost(machine: WineMachine): readonly Check[] {
  return [
    {
      name: WALK,
      // The dialog opens the account's folder, in which an earlier run has saved.
      run: () =>
        withHost(machine, (link) => walkThroughWindow(link, `größer é ${process.pid}.pbtxt`, HANGING_MILLIS)),
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
  writeFileSync(machine.file(`${FOLDER}/data/settings.json`), SETTINGS);
  const { args, ...options } = headlessHost(
    (path) => machine.windowsPath(`/tensordeck/${path}`),
    machine.windowsPath(`${FOLDER}/data`),
  );
  const host: PeerProcess = await machine.node(args, { cwd: FOLDER, ...options });
  try {
    await use(host.match?.[1] ?? "");
  } catch (error) {
    throw new Error(`${error instanceof Error ? (error.stack ?? "") : String(error)}\n${host.output()}`);
  } finally {
    await host.stop();
  }
}
