/**
 * Tasks run here in the name of a machine for as long as it may run any. A server has no login: one that went on would still
 * do, for whoever reaches its port, what the machine that wanted it may no longer do.
 */

import { inBackground } from "../../worker-runtime/faults.js";
import type { Role } from "../api/machines.js";
import { log } from "../shared/log/log.js";
import { messageOf } from "../shared/problems.js";
import type { TaskHost } from "../tasks/task-host.js";
import { includesRole } from "./agent/roles.js";

export interface OwnersTrust {
  get(deviceId: string): { readonly grantedRole: Role } | undefined;
  onChange(listener: (deviceId: string) => void): () => void;
}

/** Whether a machine may have tasks here. @param ownId This one, which always may. */
export function mayOwnTasks(trust: Pick<OwnersTrust, "get">, ownId: string, deviceId: string): boolean {
  const role = trust.get(deviceId)?.grantedRole;
  return deviceId === ownId || (role !== undefined && includesRole(role, "run"));
}

/**
 * Removes the tasks of a machine as soon as it is forgotten or may only view, until the returned function is called. A task
 * that it has ordered and that is not listed yet follows once it is.
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
      log.error(`${name}, whose owner may not run tasks here any more, did not end: ${messageOf(error)}`);
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
