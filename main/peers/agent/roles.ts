/** Which role a paired machine needs for which call. */
import type { Role } from "../../api/machines.js";
import { problem } from "../../shared/problems.js";
import type { AgentMethodName } from "./service-definition.js";

interface Admission {
  readonly role: Role;
  /** The act that the call is, as the subject of a sentence. */
  readonly act: string;
}

const SEEING = { role: "view", act: "seeing it" } as const;
const TASKS = { role: "run", act: "managing tasks there" } as const;
const TESTS = { role: "run", act: "testing connections from there" } as const;
const FIREWALL = { role: "manage", act: "looking at its firewall or changing it" } as const;

const admissions: Readonly<Record<AgentMethodName, Admission>> = {
  describe: SEEING,
  watch: SEEING,
  watchLog: SEEING,
  sink: SEEING,
  ping: SEEING,
  unpair: SEEING,
  startTask: TASKS,
  startAgain: TASKS,
  stopTask: TASKS,
  removeTask: TASKS,
  clearState: TASKS,
  setTunnels: TASKS,
  runScript: { role: "run", act: "running scripts there" },
  probe: TESTS,
  measureThroughput: TESTS,
  inspectFirewall: FIREWALL,
  planFirewall: FIREWALL,
  applyFirewall: FIREWALL,
  openWindow: { role: "manage", act: "opening its window" },
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
  const { role: needed, act } = admissions[method];
  if (includesRole(granted, needed)) return;
  throw problem("PERMISSION_DENIED", `${thisMachine} does not permit that.`, {
    reason: `It granted this machine the role "${granted}"; ${act} needs the role "${needed}".`,
    remedy: `Let the user of ${thisMachine} raise the role of this machine there.`,
  });
}

/** Whether a machine may run scripts here: with the role that lets it call RunScript. */
export function mayRunScripts(
  trust: { get(deviceId: string): { readonly grantedRole: Role } | undefined },
  deviceId: string,
): boolean {
  const granted = trust.get(deviceId)?.grantedRole;
  return granted !== undefined && includesRole(granted, admissions.runScript.role);
}
