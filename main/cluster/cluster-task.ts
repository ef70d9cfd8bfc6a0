import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import type { Device, Engine, Task, TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";

/** A snapshot of a task of the cluster, on any machine and started by anyone. */
export interface ClusterTask {
  readonly id: string;
  /** "worker/0" */
  readonly name: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
  /** Machine that it runs on; for a foreign server the known machine with its address, or "foreign:" and the host. */
  readonly machineId: string;
  /** The name of that machine; undefined for this one. */
  readonly elsewhere: string | undefined;
  /** A server that was started outside Tensordeck. */
  readonly foreign: boolean;
  readonly state: TaskState;
  /** host:port as in the ClusterSpec; empty until its port is chosen. */
  readonly address: string;
  /** Named by job and index above; empty while the task does not run. */
  readonly devices: readonly Device[];
  /**
   * Changes whenever another server takes this index, and when its state was cleared; undefined while none has
   * answered.
   */
  readonly incarnation: string | undefined;
  /** As `incarnation`, but a server that was cleared is still the same. */
  readonly server: string | undefined;
  /** Why no session can use it, though it may be running. */
  readonly unusable: Problem | undefined;
  /** Why it cannot be started, stopped or cleared from here. */
  readonly locked: Problem | undefined;
  /** Whether another port would make it usable. */
  readonly needsPort: boolean;
  /** As sent to the windows. */
  readonly snapshot: Task;
}

/** "worker/0" */
export function taskName({ job, index }: { readonly job: string; readonly index: number }): string {
  return `${job}/${index}`;
}

/** "worker/0, worker/1 and ps/0" */
export function taskNames(tasks: readonly { readonly job: string; readonly index: number }[]): string {
  const names = tasks.map(taskName);
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}

/** Whether a task has a process or is about to have one, as far as known. */
export function isActive({ state }: Pick<ClusterTask, "state">): boolean {
  return state !== "stopped" && state !== "failed";
}

/** For sorting: parameter servers are started before those that use them. */
export function serversFirst(a: { readonly job: string }, b: { readonly job: string }): number {
  return Number(b.job === PARAMETER_SERVER_JOB) - Number(a.job === PARAMETER_SERVER_JOB);
}
