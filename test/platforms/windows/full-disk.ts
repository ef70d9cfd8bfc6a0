/** A disk that is full: it is said what had no room, and what was there before stays whole. */
import assert from "node:assert/strict";
import { openWindow } from "../../main/support/window.js";
import { freePort } from "../../support/free-port.js";
import type { Check } from "../check.js";
import { saveGraph, saveOnFullDisk } from "../full-disk.js";
import { runScript, TARGET } from "../stock/stock-clients.js";
import type { StartOptions, WineMachine } from "./wine-machine.js";

const HEADLESS = "/tensordeck/build/out/program/headless/main.js";
const DISK_KIB = 1024;
/** This only ends what hangs. */
const HANGING_MILLIS = 120_000;

export function fullDisk(machine: WineMachine): readonly Check[] {
  /** Runs a program that has the disk `S:` to itself. */
  const withDisk = async (use: (options: StartOptions) => Promise<void>) => {
    await machine.close();
    try {
      await use({ diskKib: DISK_KIB });
    } finally {
      await machine.close();
    }
  };
  return [
    {
      name: "a full disk: a checkpoint is RESOURCE_EXHAUSTED, and the one before it stays",
      run: () =>
        withDisk(async (options) => {
          const args = ["worker", "--engine", "portable", "--files", "S:\\", "--port"];
          const worker = await machine.tensordeck([...args, String(await freePort())], {
            ...options,
            ready: TARGET,
          });
          try {
            for (const folder of ["S:", "s:\\"]) {
              await runScript("stock_full_disk.py", [worker.match?.[1] ?? "", folder], worker);
            }
          } finally {
            await worker.stop();
          }
        }),
    },
    {
      name: "a full disk: a graph is not saved, the file before it stays, and the application goes on",
      run: () =>
        withDisk(async (options) => {
          const host = await machine.node(
            [machine.windowsPath(HEADLESS), "--port", "0", "--data-dir", "S:\\Daten é"],
            { ...options, env: { TENSORDECK_NETWORK: "loopback" }, ready: /^open (\S+)$/m },
          );
          const window = await openWindow(host.match?.[1] ?? "");
          try {
            await saveOnFullDisk(window, "S:\\model.pbtxt");
            for (let bytes = DISK_KIB << 9; bytes > 1000; bytes >>= 1) {
              await saveGraph(window, `S:\\fill ${bytes}.pbtxt`, bytes).catch(() => undefined);
            }
            await assert.rejects(window.call("settings.set", { tourSeen: true }), { name: "ProblemError" });
            const running = window.next(
              "cluster",
              ({ machines }) => machines[0]?.tasks[0]?.state === "running",
              HANGING_MILLIS,
            );
            await window.call("cluster.addTasks", { job: "worker", count: 1, engine: "portable" });
            await running;
            assert.match(host.output(), /S:\\Daten é\\settings\.json\.[\s\S]*reason: 'The disk is full\.'/);
          } finally {
            window.close();
            await host.stop();
          }
        }),
    },
    {
      name: "a full disk: run names the file of a result and of a trace, and the older ones stay",
      run: () =>
        withDisk(async (options) => {
          const output = await machine.evaluate(RUN_ON_FULL_DISK, options);
          for (const file of ["z.npy", "trace.json"]) {
            const failure = `RESOURCE_EXHAUSTED: S:\\${file}; No space left on device`;
            assert.ok(output.includes(failure), output);
          }
          assert.match(output, /^files fill,trace\.json,z\.npy$/m, output);
          assert.match(output, /^z\.npy old$/m, output);
          assert.match(output, /^trace\.json old$/m, output);
        }),
    },
  ];
}

const RUN_ON_FULL_DISK = `
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
for (const name of ["z.npy", "trace.json"]) writeFileSync("S:\\\\" + name, "old");
try {
  for (;;) appendFileSync("S:\\\\fill", Buffer.alloc(4096));
} catch (error) {
  console.log(error.code);
}
const program = "Z:\\\\tensordeck\\\\build\\\\bin\\\\tensordeck.mjs";
for (const args of [["--output", "z=@S:\\\\z.npy"], ["--trace", "S:\\\\trace.json"]]) {
  const { status, stderr } = spawnSync(process.execPath, [program, "run", "example:welcome", ...args]);
  console.log(status, String(stderr));
}
console.log("files " + readdirSync("S:\\\\").sort());
for (const name of ["z.npy", "trace.json"]) console.log(name, readFileSync("S:\\\\" + name, "utf8"));
`;
