/** Resource usage of processes of Windows, with those that they have started. */
import { type ListedProcess, listProcesses, measureProcess } from "../../worker-runtime/windows/processes.js";
import { log } from "../shared/log/log.js";
import { messageOf } from "../shared/problems.js";
import type { ProcessUsage, ReadUsage } from "./process-usage.js";

/** Windows' functions; the tests give others. */
export interface WindowsProcesses {
  readonly list: typeof listProcesses;
  readonly measure: typeof measureProcess;
}

/**
 * A reader that measures a process with its descendants: the python.exe of a virtual environment only starts another one
 * and waits for it. Where Windows does not answer, it says so once in the log and gives no usage.
 */
export function windowsUsageReader(
  { list, measure }: WindowsProcesses = { list: listProcesses, measure: measureProcess },
): ReadUsage {
  let isTold = false;
  return async (pids) => {
    try {
      const children = childrenByParent(list());
      const separate = new Set(pids);
      return new Map(
        pids.flatMap((pid) => {
          const usage = usageOfTree(pid, children, separate, measure);
          return usage === undefined ? [] : [[pid, usage] as const];
        }),
      );
    } catch (error) {
      if (!isTold)
        log.warning(`The processor time and memory of tasks cannot be measured: ${messageOf(error)}`);
      isTold = true;
      return new Map();
    }
  };
}

function childrenByParent(processes: readonly ListedProcess[]): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of processes) {
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

/** @param separate processes that are measured by themselves, wherever they were started. */
function usageOfTree(
  root: number,
  children: ReadonlyMap<number, readonly number[]>,
  separate: ReadonlySet<number>,
  measure: WindowsProcesses["measure"],
): ProcessUsage | undefined {
  const measured = measure(root);
  if (measured === undefined) return undefined;
  let { cpuMillis, memoryBytes } = measured;
  const counted = new Set([root]);
  const parents = [{ pid: root, created: measured.created }];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const pid of children.get(parent.pid) ?? []) {
      if (counted.has(pid) || separate.has(pid)) continue;
      const child = measure(pid);
      // One that is older has another parent, which had the same number before.
      if (child === undefined || child.created < parent.created) continue;
      counted.add(pid);
      cpuMillis += child.cpuMillis;
      memoryBytes += child.memoryBytes;
      parents.push({ pid, created: child.created });
    }
  }
  return { cpuMillis, memoryBytes };
}
