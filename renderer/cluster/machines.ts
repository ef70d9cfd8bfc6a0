/** What may be done on a machine from here. Pure. */
import type { Machine } from "../../main/api/cluster.js";

/** Why no tasks can be added on the machine from here; undefined: they can. */
export function whyNoTasks({ kind, presence, role, name }: Machine): string | undefined {
  if (kind === "this") return undefined;
  if (kind !== "paired") return `${name} is not paired with this machine.`;
  if (presence !== "online") return `${name} is not connected.`;
  return role === "view" ? `${name} lets this machine view only.` : undefined;
}

/** May tasks be added on the machine from here? */
export function takesTasks(machine: Machine): boolean {
  return whyNoTasks(machine) === undefined;
}
