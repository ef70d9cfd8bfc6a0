/** Whether a cluster is fixed or dynamic depends on how its tasks were started, from any window. Pure. */
import type { Membership } from "../api/cluster.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import type { HostTask } from "../tasks/task-host.js";
import { isActive } from "./cluster-task.js";

/** The membership with which a task was started. */
export function membershipOfTask({ fixed }: Pick<HostTask, "fixed">): Membership {
  return fixed ? "fixed" : "dynamic";
}

/**
 * The membership that sessions use.
 *
 * @param wanted This window's latest choice. It applies as long as one of the tasks has it; if another window started
 *   all of them with the other one, the cluster has that one.
 */
export function membershipOf(wanted: Membership, machines: readonly ClusterMachine[]): Membership {
  const usable = machines.filter(({ facts }) => facts.role !== "view" && facts.presence === "online");
  const started = usable
    .flatMap(({ tasks }) => tasks?.tasks() ?? [])
    .filter(isActive)
    .map(membershipOfTask);
  const [first = wanted] = started;
  return started.includes(wanted) ? wanted : first;
}
