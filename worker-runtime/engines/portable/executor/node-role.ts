import type { NodeRole } from "./compiled-node.js";

const roles = new Map<string, NodeRole>([
  ["Merge", "merge"],
  ["RefMerge", "merge"],
  ["Enter", "enter"],
  ["RefEnter", "enter"],
  ["Exit", "exit"],
  ["RefExit", "exit"],
  ["NextIteration", "next-iteration"],
  ["RefNextIteration", "next-iteration"],
  ["ControlTrigger", "control-trigger"],
  ["_Send", "transfer"],
  ["_HostSend", "transfer"],
  ["_Recv", "transfer"],
  ["_HostRecv", "transfer"],
]);

/** The part that nodes of an op play in the rules of a step. */
export function roleOf(op: string): NodeRole {
  return roles.get(op) ?? "plain";
}

const opsThatLeaveDead: ReadonlySet<string> = new Set([
  "Switch",
  "RefSwitch",
  "_SwitchN",
  "_Recv",
  "_HostRecv",
]);

/** Whether a live node of the op may leave an output without a value. */
export function mayLeaveDead(op: string): boolean {
  return opsThatLeaveDead.has(op);
}
