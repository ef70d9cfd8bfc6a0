/** The names of a task: as the window shows it, and as a node's device field pins to it. Pure. */

/** "worker/0", as the user interface names a task everywhere. */
export function taskName(task: { readonly job: string; readonly index: number }): string {
  return `${task.job}/${task.index}`;
}

/** "/job:worker/task:0", as a node's device field pins to the task. */
export function taskDevice(task: { readonly job: string; readonly index: number }): string {
  return `/job:${task.job}/task:${task.index}`;
}

/** "worker/0" of "/job:worker/replica:0/task:0/device:CPU:0"; undefined where job or task is missing. */
export function taskNameOfDevice(device: string): string | undefined {
  const job = /(?:^|\/)job:([A-Za-z][A-Za-z0-9_]*)/.exec(device)?.[1];
  const index = /(?:^|\/)task:(\d+)/.exec(device)?.[1];
  return job === undefined || index === undefined ? undefined : `${job}/${Number(index)}`;
}
