/** A portable worker with as much memory as a small machine, which the system ends if it takes more. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeMemoryGroup } from "../../../build/lib/peers/memory-groups.mjs";
import { repositoryRoot } from "../../support/find-peers.js";
import { freePort } from "../../support/free-port.js";
import { spawnPeer } from "../../support/processes.js";
import { runScript, TARGET } from "../stock/stock-clients.js";
import { type EmulatedMachine, HANGING_MILLIS, PROGRAM } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const GROUP_BYTES = 2 ** 30;
const DOUBLING_LOOP = join(repositoryRoot, "test/interop/scripts/doubling_loop.py");

/** qemu's own memory is in the group, too. */
export function memoryLimit(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "in a control group of 1 GiB, loops that double a tensor are RESOURCE_EXHAUSTED, and the worker goes on",
    form: "full",
    run: async () => {
      const group = makeMemoryGroup(GROUP_BYTES);
      const options = ["--engine=portable", `--port=${await freePort()}`];
      const command = machine.commandLine("node", [PROGRAM, "worker", ...options]);
      try {
        const worker = await spawnPeer(group.command, [...group.args, ...command], {
          ready: TARGET,
          readyTimeoutMillis: HANGING_MILLIS,
        });
        try {
          const output = await runScript(DOUBLING_LOOP, [worker.match?.[1] ?? ""], worker);
          assert.equal(output.match(/exhausted/g)?.length, 6, output);
          assert.match(output, /answers/);
        } finally {
          await worker.stop();
        }
      } finally {
        group.dispose();
      }
    },
  };
}
