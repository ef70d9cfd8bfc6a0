/** Ops that the devices of a group run together: CollectiveReduceV2 and the like. */
import { shortTaskText, taskOfDevice } from "../cluster/device-name.js";

export function isCollectiveOp(op: string): boolean {
  return op.startsWith("Collective");
}

interface PlacedNode {
  readonly op: string;
  readonly device: string;
}

/** The tasks, "worker/0", that collective ops of a graph are pinned to. */
export function tasksOfCollectives(nodes: Iterable<PlacedNode>): ReadonlySet<string> {
  const tasks = new Set<string>();
  for (const { op, device } of nodes) {
    const task = isCollectiveOp(op) ? taskOfDevice(device) : undefined;
    if (task !== undefined) tasks.add(shortTaskText(task));
  }
  return tasks;
}
