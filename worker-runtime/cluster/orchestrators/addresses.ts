/** Addresses of tasks, for exports that start each task on the machine that its address names. */
import { invalidArgument } from "../../protocol/status.js";
import { addressProblem, type HostPort, parseHostPort } from "../address.js";
import { ClusterSpec } from "../cluster-spec.js";
import { taskText } from "../device-name.js";
import type { ExportTask } from "./export-model.js";

/**
 * Host and port of a task.
 * @throws TensorFlowError INVALID_ARGUMENT if it has no address, or one without a fixed port.
 */
export function requireAddress(task: ExportTask, target: string): HostPort {
  const { address } = task;
  if (address === undefined) {
    throw invalidArgument(
      `${taskText(task)} has no address yet, and ${target} needs one. Write host:port into the cluster's table.`,
    );
  }
  const parsed = parseHostPort(address);
  if (parsed === undefined || parsed.port === 0) {
    throw invalidArgument(
      `The address '${address}' of ${taskText(task)} ${addressProblem(address) ?? "has no fixed port"}.`,
    );
  }
  return parsed;
}

/**
 * The cluster with the addresses that its tasks have.
 * @throws TensorFlowError INVALID_ARGUMENT if one lacks its address, or two tasks have the same.
 */
export function clusterWithAddresses(tasks: readonly ExportTask[], target: string): ClusterSpec {
  const jobs: Record<string, Record<number, string>> = {};
  for (const task of tasks) {
    requireAddress(task, target);
    jobs[task.job] = { ...jobs[task.job], [task.index]: task.address ?? "" };
  }
  const cluster = ClusterSpec.from(jobs);
  cluster.validate();
  return cluster;
}
