/** The rights of this installation on machines. Pure. */
import type { Machine } from "../../main/api/cluster.js";
import { texts } from "../texts/texts.js";

const words = texts.cluster.machines;

/** Why no tasks can be added on the machine from here; undefined: they can. */
export function whyNoTasks({ kind, presence, role, name }: Machine): string | undefined {
  if (kind === "this") return undefined;
  if (kind !== "paired") return words.notPaired({ name });
  if (presence !== "online") return words.notConnected({ name });
  return role === "view" ? words.viewOnly({ name }) : undefined;
}

/** Why the machine's firewall and window are out of reach from here by the role that it grants; undefined: they are not. */
export function whyNotManaged({ kind, role, name }: Machine): string | undefined {
  return kind === "this" || role === "manage" ? undefined : words.notManaged({ name });
}

/** May tasks be added on the machine from here? */
export function takesTasks(machine: Machine): boolean {
  return whyNoTasks(machine) === undefined;
}
