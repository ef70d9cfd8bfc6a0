/** The lines of a script's tasks as one list, in reading order; pure. */
import type { LogLine } from "../../../main/api/cluster.js";

export interface TaskLine extends LogLine {
  /** "worker/0"; "" for what is said of the job itself. */
  readonly task: string;
}

/** A line that one or several tasks wrote. */
export interface LogRow extends LogLine {
  readonly tasks: readonly string[];
}

/** The same line of another task that is later than this is a line of its own. */
const TOGETHER_MILLIS = 2000;

/**
 * All lines, the oldest first. A line that every one of several tasks wrote at about the same time is one row, at the
 * time of the last.
 */
export function logRows(lines: readonly TaskLine[], taskCount: number): LogRow[] {
  const sorted = [...lines].sort((a, b) => a.at - b.at || a.sequence - b.sequence);
  if (taskCount < 2) return sorted.map(rowOf);
  /** Lines that may still become one, by text, the oldest first. */
  const open = new Map<string, TaskLine[]>();
  const merged = new Map<TaskLine, readonly string[]>();
  const gone = new Set<TaskLine>();
  for (const line of sorted) {
    if (line.task === "") continue;
    const before = (open.get(line.text) ?? []).filter(
      ({ at, task }) => line.at - at <= TOGETHER_MILLIS && task !== line.task,
    );
    const group = [...before, line];
    if (group.length < taskCount) open.set(line.text, group);
    else {
      open.delete(line.text);
      merged.set(
        line,
        group.map(({ task }) => task),
      );
      for (const one of before) gone.add(one);
    }
  }
  return sorted
    .filter((line) => !gone.has(line))
    .map((line) => ({ ...rowOf(line), tasks: merged.get(line) ?? [line.task] }));
}

function rowOf({ task, ...line }: TaskLine): LogRow {
  return { ...line, tasks: [task] };
}
