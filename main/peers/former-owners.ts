/**
 * Tasks of a machine run here only as long as it may run any. A server has no login: one that kept running would still
 * let anyone who reaches its port do what its owner is no longer permitted to do.
 */

import { shortTaskText } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Role } from "../api/machines.js";
import { log } from "../shared/log/log.js";
import { messageOf } from "../shared/problems.js";
import type { HostTask, TaskHost } from "../tasks/task-host.js";
import { includesRole } from "./agent/roles.js";

export interface OwnersTrust {
  get(deviceId: string): { readonly grantedRole: Role } | undefined;
  onChange(listener: (deviceId: string) => void): () => void;
}

/** Whether a machine may have tasks here. @param ownId This machine, which always may. */
export function mayOwnTasks(trust: Pick<OwnersTrust, "get">, ownId: string, deviceId: string): boolean {
  const role = trust.get(deviceId)?.grantedRole;
  return deviceId === ownId || (role !== undefined && includesRole(role, "run"));
}

/** Names of the tasks of a machine that would end here. */
export function activeTasksOf(owner: string, tasks: readonly HostTask[]): string[] {
  return tasks
    .filter((task) => task.owner === owner && task.state !== "stopped" && task.state !== "failed")
    .map(shortTaskText);
}

/**
 * Removes the tasks of a machine as soon as it is unpaired or may only view, until the returned function is called. A
 * task that it has ordered but that is not listed yet is removed once it is.
 */
export function removeTasksOfFormerOwners(
  trust: OwnersTrust,
  ownId: string,
  tasks: Pick<TaskHost, "tasks" | "remove" | "onChange">,
): () => void {
  const leaving = new Set<string>();
  const remove = async (id: string, name: string) => {
    if (leaving.has(id)) return;
    leaving.add(id);
    try {
      await tasks.remove(id);
    } catch (error) {
      log.error(`${name}, whose owner may no longer run tasks here, did not end: ${messageOf(error)}`);
    } finally {
      leaving.delete(id);
    }
  };
  const review = () => {
    for (const { id, job, index, owner } of tasks.tasks()) {
      if (!mayOwnTasks(trust, ownId, owner)) inBackground(remove(id, `${job}/${index}`));
    }
  };
  const stops = [trust.onChange(review), tasks.onChange(review)];
  return () => {
    for (const stop of stops) stop();
  };
}
