/** The names of a task: as the window shows it, and as a node's device field pins to it. Pure. */
import {
  shortTaskText,
  type TaskName,
  taskOfDevice,
  taskText,
} from "../../worker-runtime/cluster/device-name.js";

/** "worker/0", as the user interface names a task everywhere. */
export function taskName(task: TaskName): string {
  return shortTaskText(task);
}

/** Tasks by their names; of several with one name the first, which is the one that sessions use. */
export function byTaskName<T extends TaskName>(tasks: readonly T[]): ReadonlyMap<string, T> {
  return new Map(tasks.map((task) => [taskName(task), task] as const).reverse());
}

/** "/job:worker/task:0", as a node's device field pins to the task. */
export function taskDevice(task: TaskName): string {
  return taskText(task);
}

/** Devices parsed before. A large graph has tens of thousands of nodes on few devices. */
const namesOfDevices = new Map<string, string | undefined>();
const MOST_DEVICES = 1000;

/** "worker/0" of "/job:worker/replica:0/task:0/device:CPU:0"; undefined where job or task is missing. */
export function taskNameOfDevice(device: string): string | undefined {
  if (namesOfDevices.has(device)) return namesOfDevices.get(device);
  const task = taskOfDevice(device);
  const name = task === undefined ? undefined : taskName(task);
  if (namesOfDevices.size >= MOST_DEVICES) namesOfDevices.clear();
  namesOfDevices.set(device, name);
  return name;
}
