import type { ClusterDeviceFilters } from "../../protos/generated/tensorflow/device_filters.js";
import type { ClusterSpec, ClusterTask } from "./cluster-spec.js";
import { deviceMatches, parseDeviceName, type TaskName } from "./device-name.js";

/**
 * True when a device is seen through the filters of a session (ConfigProto.device_filters): there are none, or one of
 * them matches. A part that a filter leaves out matches anything.
 * @throws TensorFlowError INVALID_ARGUMENT when a filter or the device is not a device name.
 */
export function passesFilters(filters: readonly string[], device: string): boolean {
  const parts = parseDeviceName(device);
  return filters.length === 0 || filters.some((filter) => deviceMatches(parseDeviceName(filter), parts));
}

/**
 * The tasks that a session with these filters waits for when it is created. A filter names devices, so a task stays when
 * the parts that say which task it is do not contradict: "/job:ps", "/job:worker/task:1/device:CPU:0".
 * @throws TensorFlowError INVALID_ARGUMENT when a filter is not a device name.
 */
export function tasksPassing(cluster: ClusterSpec, filters: readonly string[]): ClusterTask[] {
  const patterns = filters.map((filter) => {
    const { job, replica, task } = parseDeviceName(filter);
    return { job, replica, task };
  });
  return cluster
    .tasks()
    .filter(
      ({ job, index }) =>
        patterns.length === 0 ||
        patterns.some((pattern) => deviceMatches(pattern, { job, replica: 0, task: index })),
    );
}

/** The filters of one task: the devices of other tasks that it sees. Its own are always visible to it. */
export interface TaskFilters extends TaskName {
  readonly filters: readonly string[];
}

/**
 * tf.config.experimental.ClusterDeviceFilters on the wire; jobs and tasks sorted.
 * @throws TensorFlowError INVALID_ARGUMENT when a filter is not a device name.
 */
export function makeClusterDeviceFilters(tasks: readonly TaskFilters[]): ClusterDeviceFilters {
  for (const filter of tasks.flatMap((task) => task.filters)) {
    parseDeviceName(filter);
  }
  const jobs = [...new Set(tasks.map((task) => task.job))].sort();
  return {
    jobs: jobs.map((name) => ({
      name,
      tasks: new Map(
        tasks
          .filter((task) => task.job === name)
          .sort((a, b) => a.index - b.index)
          .map((task) => [task.index, { deviceFilters: [...task.filters] }]),
      ),
    })),
  };
}
