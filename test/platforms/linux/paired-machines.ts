/** A "Pi" that is emulated and a "GPU PC" that is not, on a network of their own. */
import assert from "node:assert/strict";
import { Installation } from "../../net/support/installation.js";
import { Network } from "../../net/support/network.js";
import { AGENT_LISTENS, pairAndRun as pairAndRunOn } from "../paired-machines.js";
import { type EmulatedMachine, HANGING_MILLIS, PROGRAM } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DATA = "/trial/paired";

/** By the code that the agent prints; the welcome graph is pinned to a task of each. */
export function pairedMachines(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "an agent is found by a PC, paired by its code, and runs a part of a graph through secure tunnels",
    form: "full",
    run: () => pairAndRun(machine, ["node", PROGRAM, "agent"]),
  };
}

/** The same with an agent that is started by any command line of the machine. */
export async function pairAndRun(
  machine: EmulatedMachine,
  [agentProgram, ...agentArguments]: readonly [string, ...string[]],
): Promise<void> {
  const network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
  try {
    machine.empty(DATA);
    const env = { TENSORDECK_DATA_DIR: DATA, TENSORDECK_NETWORK: "lan" };
    const [program, ...args] = machine.commandLine(agentProgram, agentArguments, { env });
    const pc = await Installation.start(network.host("gpu-pc"));
    try {
      const { output, ...exit } = await pairAndRunOn(pc, network.host("raspberrypi"), (host) =>
        host.spawn(program, args, { ready: AGENT_LISTENS, readyTimeoutMillis: HANGING_MILLIS }),
      );
      assert.deepEqual(exit, { code: 0, signal: null }, output);
    } finally {
      await pc.stop();
    }
  } finally {
    await network.dispose();
  }
}
