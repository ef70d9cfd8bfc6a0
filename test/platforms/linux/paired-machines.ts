/** A "Pi" that is emulated and a "GPU PC" that is not, on a network of their own. */
import assert from "node:assert/strict";
import { Installation } from "../../net/support/installation.js";
import { Network } from "../../net/support/network.js";
import { type EmulatedMachine, HANGING_MILLIS } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DATA = "/work/paired";

/** By the code that the agent prints; the welcome graph is pinned to a task of each. */
export function pairedMachines(machine: EmulatedMachine): LinuxCheck {
  return {
    name: "an agent is found by a PC, paired by its code, and runs a part of a graph through secure tunnels",
    form: "full",
    run: async () => {
      const network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
      try {
        await pairAndRun(machine, network);
      } finally {
        await network.dispose();
      }
    },
  };
}

async function pairAndRun(machine: EmulatedMachine, network: Network): Promise<void> {
  machine.empty(DATA);
  const env = { TENSORDECK_DATA_DIR: DATA, TENSORDECK_NETWORK: "lan" };
  const [program, ...args] = machine.commandLine("node", ["/tensordeck/build/bin/tensordeck.mjs", "agent"], {
    env,
  });
  const pc = await Installation.start(network.host("gpu-pc"));
  try {
    const agent = await network.host("raspberrypi").spawn(program, args, {
      ready: /^agent listening on port 2220$/m,
      readyTimeoutMillis: HANGING_MILLIS,
    });
    const agentId = /^device ID (\S+)$/m.exec(agent.output())?.[1] ?? "";
    const found = await pc.machine(agentId, ({ kind }) => kind === "discovered", HANGING_MILLIS);
    assert.equal(found.name, "raspberrypi");
    await pc.api.call("pairing.start", { machineId: agentId, grantedRole: "run" });
    await pc.pairing(({ step }) => step === "code");
    const [, code = ""] = await agent.waitForOutput(/type this code there: (\d{6})$/m, HANGING_MILLIS);
    await pc.api.call("pairing.enterCode", { code });
    await pc.pairing(({ step }) => step === "paired");
    await pc.api.call("pairing.close");
    await pc.machine(
      agentId,
      ({ kind, presence }) => kind === "paired" && presence === "online",
      HANGING_MILLIS,
    );
    await pc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await pc.tasks(1, HANGING_MILLIS);
    await pc.api.call("cluster.addTasks", { machineId: agentId, job: "worker", count: 1 });
    await pc.tasks(2, HANGING_MILLIS);
    assert.equal((await pc.api.call("cluster.get")).access, "secure");
    const run = await pc.runWelcome();
    assert.equal(run.state, "done", JSON.stringify(run));
    assert.deepEqual(await agent.stop(), { code: 0, signal: null }, agent.output());
  } finally {
    await pc.stop();
  }
}
