/** The pins that make a placement true. */
import { formatDeviceName, tryParseDeviceName } from "../../worker-runtime/cluster/device-name.js";
import type { GraphDocument } from "../document/model.js";
import type { DocumentStep } from "./document-step.js";
import type { Assignment } from "./step-problem.js";

/**
 * Devices by node. All nodes of the step are pinned, also those that stay: which task a master chooses for the others
 * depends on the pins of the rest. Of the nodes besides the step, only those change that are pinned to a place that
 * their unit leaves: a pin that has no effect, as it contradicts that of the unit's variable, stays with the unit. What a pin says about the device within a task is kept.
 */
export function pinsOf(
  { nodes }: Pick<GraphDocument, "nodes">,
  { nodes: ran, members, tasks, start }: DocumentStep,
  assignment: Assignment,
): ReadonlyMap<string, string> {
  const inStep = new Set(ran);
  const pins = new Map<string, string>();
  for (const [unit, names] of members.entries()) {
    const task = tasks[assignment[unit] ?? 0]?.engine;
    for (const name of names) {
      const node = nodes.get(name);
      if (!task || !node || (node.device === "" && !inStep.has(name))) continue;
      // An invalid name is replaced as a whole.
      const parts = tryParseDeviceName(node.device) ?? {};
      if (parts.job === task.job && parts.task === task.index) continue;
      const namesTask = parts.job !== undefined && parts.task !== undefined;
      if (namesTask && assignment[unit] === start[unit]) continue;
      const { type, index } = parts;
      pins.set(name, formatDeviceName({ job: task.job, task: task.index, type, index }));
    }
  }
  return pins;
}
