import type { TaskEngine } from "../kernels/task-engines.js";

/** A task that nodes may be placed on, with its machine. */
export interface PlacementTask {
  /** Its name, "worker/0", with what it can compute. */
  readonly engine: TaskEngine;
  /** "/job:worker/task:0" */
  readonly device: string;
  readonly machineId: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** Between the machine and this one; undefined for this one, and while it is unknown. */
  readonly roundTripMillis: number | undefined;
  /** From another machine's id to the measured rate at which this machine sends to it. */
  readonly bytesPerSecond: ReadonlyMap<string, number>;
}

/**
 * Portable tasks run a node at a time, each on a core of its own while there are enough; TensorFlow's tasks spread a node
 * over all cores, so that those of one machine compute in turn.
 */
export function processorsOf(tasks: readonly PlacementTask[]): Int32Array {
  const used = new Map<string, number[]>();
  return Int32Array.from(tasks, ({ machineId, engine, cores }, index) => {
    const key = `${machineId} ${engine.engine}`;
    const processors = used.get(key) ?? [];
    used.set(key, processors);
    const most = engine.engine === "tensorflow" ? 1 : Math.max(1, cores);
    if (processors.length < most) {
      processors.push(index);
      return index;
    }
    return processors[index % processors.length] ?? index;
  });
}
