import { taskDeviceName, taskOfDevice } from "../../../cluster/device-name.js";
import { internalError } from "../../../protocol/status.js";

const taskByDevice = new Map<string, string>();
/** Devices are few; but names from many clusters must not fill the memory. */
const MAX_REMEMBERED = 10_000;

/** "/job:ps/replica:0/task:0" of the full name of one of its devices. */
export function taskOf(device: string): string {
  const known = taskByDevice.get(device);
  if (known !== undefined) {
    return known;
  }
  const task = taskOfDevice(device);
  if (task === undefined) {
    throw internalError(`'${device}' is not the full name of a device.`);
  }
  if (taskByDevice.size >= MAX_REMEMBERED) {
    taskByDevice.clear();
  }
  const name = taskDeviceName(task);
  taskByDevice.set(device, name);
  return name;
}
