/** The samples of the cluster's machines, apart from its state. */
import type { MachineSample, NewestSamples, Samples, TaskSample } from "../api/samples.js";
import type { TaskSamples } from "../tasks/task-host.js";

/** The sampling interval of machines: each event then has one sample of nearly all of them. */
const INTERVAL_MILLIS = 1000;

/**
 * Collects the samples that machines and tasks take at different moments of a second into one event. Nothing is
 * dropped: a second sample of the same machine or task flushes the earlier ones.
 */
export class SampleFeed {
  readonly #emit: (samples: Samples) => void;
  readonly #newest = { machines: new Map<string, MachineSample>(), tasks: new Map<string, TaskSample>() };
  #gathered: Samples = { machines: {}, tasks: {} };
  /** Set if and only if samples are pending. */
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: (samples: Samples) => void) {
    this.#emit = emit;
  }

  get newest(): NewestSamples {
    return this.#newest;
  }

  addMachine(machineId: string, sample: MachineSample): void {
    if (machineId in this.#gathered.machines) this.#tell();
    this.#gathered.machines[machineId] = sample;
    this.#newest.machines.set(machineId, sample);
    this.#await();
  }

  addTasks(samples: TaskSamples): void {
    for (const [taskId, sample] of samples) {
      if (taskId in this.#gathered.tasks) this.#tell();
      this.#gathered.tasks[taskId] = sample;
      this.#newest.tasks.set(taskId, sample);
    }
    if (samples.size > 0) this.#await();
  }

  /** Drops the samples of machines and tasks that are gone. */
  keep(machineIds: ReadonlySet<string>, taskIds: ReadonlySet<string>): void {
    for (const id of this.#newest.machines.keys()) if (!machineIds.has(id)) this.#newest.machines.delete(id);
    for (const id of this.#newest.tasks.keys()) if (!taskIds.has(id)) this.#newest.tasks.delete(id);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #await(): void {
    this.#timer ??= setTimeout(() => this.#tell(), INTERVAL_MILLIS);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const samples = this.#gathered;
    this.#gathered = { machines: {}, tasks: {} };
    this.#emit(samples);
  }
}
