/** A "Pi" that is emulated and a "GPU PC" that is not, on a network of their own. */
import assert from "node:assert/strict";
import { toProblem } from "../../../main/api/wire.js";
import { Installation } from "../../net/support/installation.js";
import { Network } from "../../net/support/network.js";
import type { PeerProcess } from "../../support/processes.js";
import { type EmulatedMachine, HANGING_MILLIS, PROGRAM } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

const DATA = "/trial/paired";
const MAX_ATTEMPTS = 5;

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
  agent: readonly [string, ...string[]],
): Promise<void> {
  const network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
  try {
    await pairAndRunIn(network, machine, agent);
  } finally {
    await network.dispose();
  }
}

async function pairAndRunIn(
  network: Network,
  machine: EmulatedMachine,
  [agentProgram, ...agentArguments]: readonly [string, ...string[]],
): Promise<void> {
  machine.empty(DATA);
  const env = { TENSORDECK_DATA_DIR: DATA, TENSORDECK_NETWORK: "lan" };
  const [program, ...args] = machine.commandLine(agentProgram, agentArguments, { env });
  const pc = await Installation.start(network.host("gpu-pc"));
  try {
    const agent = await network.host("raspberrypi").spawn(program, args, {
      ready: /^agent listening on port 2220$/m,
      readyTimeoutMillis: HANGING_MILLIS,
    });
    const agentId = /^device ID (\S+)$/m.exec(agent.output())?.[1] ?? "";
    const found = await pc.machine(
      agentId,
      ({ kind, presence }) => kind === "discovered" && presence === "online",
      HANGING_MILLIS,
    );
    assert.equal(found.name, "raspberrypi");
    await pair(pc, agent, agentId);
    await pc.machine(
      agentId,
      ({ kind, presence }) => kind === "paired" && presence === "online",
      HANGING_MILLIS,
    );
    await pc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await pc.tasks(1, HANGING_MILLIS);
    await addTask(pc, agentId);
    await pc.tasks(2, HANGING_MILLIS);
    assert.equal((await pc.api.call("cluster.get")).access, "secure");
    const run = await pc.runWelcome(1, HANGING_MILLIS);
    assert.equal(run.state, "done", JSON.stringify(run));
    assert.deepEqual(await agent.stop(), { code: 0, signal: null }, agent.output());
  } finally {
    await pc.stop();
  }
}

/** A connection that is given up because the emulated machine is slow is tried again, as its user would. */
async function pair(pc: Installation, agent: PeerProcess, agentId: string): Promise<void> {
  const problems: (string | undefined)[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const read = agent.output().length;
    await pc.machine(agentId, ({ presence }) => presence === "online", HANGING_MILLIS);
    try {
      await pc.api.call("pairing.start", { machineId: agentId, grantedRole: "run" });
    } catch (error) {
      problems.push(toProblem(error).message);
      continue;
    }
    const shown = await pc.pairing(({ step }) => ["code", "failed"].includes(step), HANGING_MILLIS);
    if (shown.step === "code") {
      const code = await newCode(agent, read);
      await pc.api.call("pairing.enterCode", { code });
      const end = await pc.pairing(
        ({ step }) => ["paired", "failed", "wrong"].includes(step),
        HANGING_MILLIS,
      );
      problems.push(end.problem?.message);
      await pc.api.call("pairing.close");
      if (end.step === "paired") return;
    } else {
      problems.push(shown.problem?.message);
      await pc.api.call("pairing.close");
    }
  }
  throw new Error(`They could not be paired: ${problems.join(" ")}\n${agent.output()}`);
}

/** A machine that is too slow to answer in time is asked again, unless it has begun with it. */
async function addTask(pc: Installation, machineId: string): Promise<void> {
  const problems: string[] = [];
  while (problems.length < MAX_ATTEMPTS) {
    const { tasks } = await pc.machine(machineId, ({ presence }) => presence === "online", HANGING_MILLIS);
    if (tasks.length > 0) return;
    try {
      await pc.api.call("cluster.addTasks", { machineId, job: "worker", count: 1 });
      return;
    } catch (error) {
      problems.push(toProblem(error).message);
    }
  }
  throw new Error(`It takes no task: ${problems.join(" ")}`);
}

/** The code that the agent prints next after so many characters. */
async function newCode(agent: PeerProcess, read: number): Promise<string> {
  const pattern = new RegExp(`^[\\s\\S]{${read},}type this code there: (\\d{6})$`, "m");
  return (await agent.waitForOutput(pattern, HANGING_MILLIS))[1] ?? "";
}
