import type { Problem } from "../../../api/problem.js";
import type { Diagnosis } from "../../../api/reachability.js";
import { defined } from "../../../shared/problems.js";
import type { Situation } from "./situation.js";

/** Recognises one kind of problem, once for each machine or task that has it. */
export type Rule = (situation: Situation) => readonly Finding[];

/** A diagnosis without its id, which is the rule's. */
export interface Finding {
  readonly severity: Diagnosis["severity"];
  readonly problem: Problem;
  readonly machineId?: string;
  readonly taskId?: string;
}

interface Words {
  /** TensorFlow's name of the status; FAILED_PRECONDITION when left out. */
  readonly code?: string;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly remedy?: string | undefined;
  readonly details?: string | undefined;
}

interface Place {
  readonly machineId?: string | undefined;
  readonly taskId?: string | undefined;
  /** "worker/0" */
  readonly task?: string | undefined;
}

export function finding(severity: Diagnosis["severity"], words: Words, place: Place = {}): Finding {
  const { code = "FAILED_PRECONDITION", ...more } = words;
  const { machineId, taskId, task } = place;
  return defined({ severity, problem: defined({ code, ...more, task }), machineId, taskId });
}

/** Items that have the same key, in order of appearance. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** "1.4 GB" */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
