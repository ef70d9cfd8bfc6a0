/** What may be done on a machine from here. Pure. */
import type { Machine } from "../../main/api/cluster.js";

/** May tasks be added on the machine from here? */
export function takesTasks({ kind, presence, role }: Machine): boolean {
  if (kind === "this") return true;
  return kind === "paired" && presence === "online" && role !== "view";
}
