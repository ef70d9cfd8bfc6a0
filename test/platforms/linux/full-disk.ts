/** A disk that is full: files that were there stay whole, and it is said what happened. */
import { openWindow } from "../../main/support/window.js";
import { freePort } from "../../support/free-port.js";
import { saveOnFullDisk } from "../full-disk.js";
import { runScript, TARGET } from "../stock/stock-clients.js";
import { headlessHost } from "../window-walk.js";
import type { EmulatedMachine } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DISK = "/trial/small disk";

export function fullDisk(machine: EmulatedMachine): readonly LinuxCheck[] {
  return [
    {
      name: "a checkpoint on a full disk is RESOURCE_EXHAUSTED, and the one before it stays",
      form: "full",
      run: async () => {
        const args = ["worker", "--engine=portable", `--files=${DISK}`, `--port=${await freePort()}`];
        const worker = await machine.tensordeck(args, { ready: TARGET, smallDisk: DISK });
        try {
          await runScript("stock_full_disk.py", [worker.match?.[1] ?? "", DISK], worker);
        } finally {
          await worker.stop();
        }
      },
    },
    {
      name: "a graph that is saved on a full disk is refused in words, and the file before it stays",
      form: "full",
      run: async () => {
        const { args, ...options } = headlessHost((path) => `/tensordeck/${path}`, "/trial/data");
        const host = await machine.spawn("node", args, { ...options, smallDisk: DISK });
        try {
          const window = await openWindow(host.match?.[1] ?? "");
          await saveOnFullDisk(window, `${DISK}/model.pbtxt`);
          window.close();
        } finally {
          await host.stop();
        }
      },
    },
  ];
}
