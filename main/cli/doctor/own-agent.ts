/** The agent of the machine that the doctor runs on: whether others reach it. */

import type { Machine } from "../../api/cluster.js";
import type { Diagnosis } from "../../api/reachability.js";
import { listText } from "../../network/reachability/explain/evidence.js";
import type { PlannedRoute } from "../../network/reachability/plan.js";
import { probeAddress } from "../../network/reachability/probe.js";
import { loadIdentity } from "../../peers/identity/identity.js";
import { DEFAULT_AGENT_PORT } from "../../peers/port/agent-port.js";
import type { TrustedMachine } from "../../peers/trust/trusted-machine.js";
import { THIS_MACHINE } from "./task-machines.js";

/** Port of the agent that runs here; undefined if none runs, or on a port other than the default. */
export async function ownAgentPort(
  paired: readonly TrustedMachine[],
  dataDir: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  // Without paired machines no machine dials it, and examining a machine should not create an identity.
  if (paired.length === 0) return undefined;
  const { deviceId } = await loadIdentity(dataDir);
  const address = `localhost:${DEFAULT_AGENT_PORT}`;
  const layers = await probeAddress({ address, kind: "agent", tries: 1, signal });
  return layers.some(({ layer, detail }) => layer === "tls" && detail === deviceId)
    ? DEFAULT_AGENT_PORT
    : undefined;
}

/** The notice that no machine could tell whether this machine's agent is reachable, and which ones could. */
export function untestedAgent(machines: readonly Machine[], plans: readonly PlannedRoute[]): Diagnosis[] {
  const paired = machines.filter(({ kind }) => kind === "paired").map(({ name }) => name);
  const self = machines.find(({ id }) => id === THIS_MACHINE);
  if (self?.agentPort === undefined || paired.length === 0) return [];
  if (plans.some(({ kind, to }) => kind === "agent" && to.id === THIS_MACHINE)) return [];
  return [
    {
      id: "own-port-untested",
      severity: "info",
      machineId: THIS_MACHINE,
      problem: {
        code: "UNAVAILABLE",
        message: `Whether other machines reach port ${self.agentPort} of this one is not known.`,
        reason: `None of ${listText(paired)} answers and may be asked to dial.`,
        remedy: `Run tensordeck doctor on ${paired[0]}: it shows what happens to a connection to this machine.`,
      },
    },
  ];
}
