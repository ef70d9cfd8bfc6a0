/** The time that a task costs a step besides its nodes: until the master has started it, and until the master has its answer. */
import { type Measurements, quantile } from "./measurements.js";
import type { PlacementTask } from "./placement-task.js";

/**
 * A task beside the master's on one machine: from the beginning of a step of two constants to its first node, and from
 * its last node to the end of the step, it took 1 to 3 ms each with portable tasks. On another machine, the way there and
 * back comes to it.
 */
const ASSUMED_START_MICROS = 500;
const ASSUMED_END_MICROS = 500;

/** In the order of the tasks. */
export interface TaskTimes {
  readonly startMicros: Float64Array;
  readonly endMicros: Float64Array;
}

/**
 * As the newest traced step measured it of each task, else of others, else assumed.
 *
 * @param master the name of the task whose master runs the step
 * @param latencyMicros from one task to another, row by row
 */
export function taskTimesOf(
  tasks: readonly PlacementTask[],
  master: string | undefined,
  latencyMicros: Float64Array,
  { starts, endMicros }: Pick<Measurements, "starts" | "endMicros">,
): TaskTimes {
  const names = tasks.map(({ engine }) => engine.name);
  const at = Math.max(0, names.indexOf(master ?? ""));
  const others = [...starts].flatMap(([name, micros]) => (name === names[at] ? [] : [micros]));
  const toTask = (task: number) => latencyMicros[at * tasks.length + task] ?? 0;
  const toMaster = (task: number) => latencyMicros[task * tasks.length + at] ?? 0;
  return {
    startMicros: Float64Array.from(names, (name, task) => {
      if (task === at) return 0;
      const known = starts.get(name) ?? (others.length > 0 ? quantile(others, 0.5) : undefined);
      return known ?? ASSUMED_START_MICROS + toTask(task);
    }),
    endMicros: Float64Array.from(names, (_, task) =>
      task === at ? 0 : (endMicros ?? ASSUMED_END_MICROS + toMaster(task)),
    ),
  };
}
