/** What is measured on the machines of the cluster, apart from its state. */
import type { MachineSample, NewestSamples, Samples, TaskSample } from "../api/samples.js";
import type { TaskSamples } from "../tasks/task-host.js";

/** As often as machines measure: each event then has one number set of nearly all of them. */
const INTERVAL_MILLIS = 1000;

/**
 * Gathers what machines and tasks measure at different moments of a second into one event. Nothing is left out: a second
 * number set of the same machine or task sends the ones before it.
 */
export class SampleFeed {
  readonly #emit: (samples: Samples) => void;
  readonly #newest = { machines: new Map<string, MachineSample>(), tasks: new Map<string, TaskSample>() };
  #gathered: Samples = { machines: {}, tasks: {} };
  /** Set if and only if something is gathered. */
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

  /** Forgets what was measured of machines and tasks that are no longer there. */
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
