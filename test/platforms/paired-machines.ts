/** An application and an agent on another machine: discovery, pairing by code, secure tunnels, a task on each, a run on both. */
import assert from "node:assert/strict";
import { toProblem } from "../../main/api/wire.js";
import type { Installation } from "../net/support/installation.js";
import type { Host } from "../net/support/network.js";
import type { PeerExit, PeerProcess } from "../support/processes.js";

/** An agent that listens has printed it, and its device ID before. */
export const AGENT_LISTENS = /^agent listening on port 2220$/m;
/** An emulation takes many times as long; this only ends what hangs. */
const HANGING_MILLIS = 600_000;
const MAX_ATTEMPTS = 5;

/**
 * Pairs an application with an agent that it finds, by the code that the agent prints; the welcome graph is pinned to a task
 * of each. Gives how the agent ended.
 *
 * @param startAgent Starts it on a host; resolves when it listens.
 * @param andThen Goes on with the paired machines.
 */
export async function pairAndRun(
  pc: Installation,
  host: Host,
  startAgent: (host: Host) => Promise<PeerProcess>,
  andThen?: () => Promise<void>,
): Promise<PeerExit & { readonly output: string }> {
  const agent = await startAgent(host);
  const agentId = /^device ID (\S+)$/m.exec(agent.output())?.[1] ?? "";
  const found = await pc.machine(
    agentId,
    ({ kind, presence }) => kind === "discovered" && presence === "online",
    HANGING_MILLIS,
  );
  assert.equal(found.name, host.name);
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
  await andThen?.();
  return { ...(await agent.stop()), output: agent.output() };
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
