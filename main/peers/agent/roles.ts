/** Which role a paired machine needs for which call. */
import type { Role } from "../../api/machines.js";
import { problem } from "../../shared/problems.js";
import { type AgentMethodName, wireName } from "./service-definition.js";

const neededRole: Readonly<Record<AgentMethodName, Role>> = {
  describe: "view",
  watch: "view",
  watchLog: "view",
  sink: "view",
  ping: "view",
  unpair: "view",
  startTask: "run",
  startAgain: "run",
  stopTask: "run",
  removeTask: "run",
  clearState: "run",
  setTunnels: "run",
  runScript: "run",
  probe: "run",
  measureThroughput: "run",
  inspectFirewall: "manage",
  planFirewall: "manage",
  applyFirewall: "manage",
  openWindow: "manage",
};

const rank: Readonly<Record<Role, number>> = { view: 0, run: 1, manage: 2 };

/** Whether a role includes another one. */
export function includesRole(role: Role, needed: Role): boolean {
  return rank[role] >= rank[needed];
}

/**
 * @param granted what the calling machine may do here; undefined when it is not paired.
 * @throws ProblemError UNAUTHENTICATED when it is not paired, PERMISSION_DENIED when its role is too low.
 */
export function admitCall(method: AgentMethodName, granted: Role | undefined, thisMachine: string): void {
  if (granted === undefined) {
    throw problem("UNAUTHENTICATED", `${thisMachine} is not paired with the requesting machine.`, {
      remedy: "Pair the two machines.",
    });
  }
  const needed = neededRole[method];
  if (includesRole(granted, needed)) return;
  throw problem("PERMISSION_DENIED", `${thisMachine} does not permit that.`, {
    reason: `It granted the role "${granted}", and ${wireName(method)} needs "${needed}".`,
    remedy: `Let the user of ${thisMachine} raise the role of this machine there.`,
  });
}

/** Whether a machine may run scripts here: with the role that lets it call RunScript. */
export function mayRunScripts(
  trust: { get(deviceId: string): { readonly grantedRole: Role } | undefined },
  deviceId: string,
): boolean {
  const granted = trust.get(deviceId)?.grantedRole;
  return granted !== undefined && includesRole(granted, neededRole.runScript);
}
