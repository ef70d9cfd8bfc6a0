/** This machine as a task host, both for its own window and for those of paired machines. */

import { inBackground } from "../../worker-runtime/faults.js";
import type { LogLine } from "../api/cluster.js";
import type { Gpu, MachineFacts } from "../api/machines.js";
import type { GpuLoad } from "../api/samples.js";
import { machineEngines } from "../machine/engines.js";
import { log } from "../shared/log/log.js";
import { defined, problem } from "../shared/problems.js";
import type { JsonFile } from "../storage/json-file.js";
import { clearServerState } from "./clear-state.js";
import { gpuNumbers, visibleGpus } from "./gpu-assignment.js";
import type { OpenProbe } from "./health.js";
import type { LaunchTask, TaskPlan } from "./launcher.js";
import type { ManagedTask } from "./managed-task.js";
import type { Ports } from "./ports.js";
import type { ReadUsage } from "./process-usage.js";
import type { FixedCluster, HostTask, TaskHost, TaskOrder, TaskSamples } from "./task-host.js";
import { TaskSupervisor } from "./task-supervisor.js";
import { type WantedTask, wantedTasksFile } from "./wanted-tasks.js";

export interface LocalTaskHostCollaborators {
  /** May be decorated, e.g. to close the raw port of a task whose plan asks for that. */
  readonly launch: LaunchTask;
  readonly openProbe: OpenProbe;
  /** GPUs of this machine, as far as known. */
  readonly gpus: () => readonly (Gpu & GpuLoad)[];
  /** The engines of this machine, once detected; only the portable engine unless given. */
  readonly engines?: () => Promise<MachineFacts["engines"]>;
  /** Whether the network may reach tasks of a machine, by its device ID; of all unless given. */
  readonly mayExpose?: (owner: string) => boolean;
  /** File that keeps the tasks across restarts; without it they are not restored. */
  readonly wantedFile?: string;
  readonly readUsage?: ReadUsage;
  readonly ports?: Ports;
  /** Replaced in tests whose tasks are not TensorFlow servers. */
  readonly clearState?: typeof clearServerState;
}

/** The facts about a task that the supervisor does not have. */
interface TaskFacts {
  readonly isolate: boolean;
  fixed: FixedCluster | undefined;
  /** Whether it should be running: from a start until a stop, regardless of its process. */
  runs: boolean;
  /** GPUs that it was given at its last start. */
  gpus: readonly number[];
}

export class LocalTaskHost implements TaskHost {
  readonly #collaborators: LocalTaskHostCollaborators;
  readonly #supervisor: TaskSupervisor;
  readonly #wantedFile: JsonFile<WantedTask[]> | undefined;
  readonly #facts = new Map<string, TaskFacts>();
  /** Tasks of a previous run that have not been restored yet; they are kept until they are. */
  readonly #awaited = new Map<string, WantedTask>();
  /** Resolves when they are known: nothing is written over them before. */
  readonly #loaded: Promise<void>;
  /** Orders in progress, so that a repeated order waits for the first. */
  readonly #starting = new Map<string, Promise<HostTask>>();
  readonly #changeListeners = new Set<() => void>();
  readonly #logListeners = new Set<(taskId: string, lines: LogLine[]) => void>();
  readonly #sampleListeners = new Set<(samples: TaskSamples) => void>();

  constructor(collaborators: LocalTaskHostCollaborators) {
    this.#collaborators = collaborators;
    this.#wantedFile =
      collaborators.wantedFile === undefined ? undefined : wantedTasksFile(collaborators.wantedFile);
    this.#loaded = this.#load();
    const { launch, openProbe, readUsage, ports } = collaborators;
    this.#supervisor = new TaskSupervisor(
      defined({
        launch,
        openProbe,
        readUsage,
        ports,
        onChange: () => {
          for (const listener of this.#changeListeners) listener();
        },
        onLog: (taskId: string, lines: LogLine[]) => {
          for (const listener of this.#logListeners) listener(taskId, lines);
        },
        onSamples: (samples: TaskSamples) => {
          for (const listener of this.#sampleListeners) listener(samples);
        },
        gpuMemoryOf: (pid: number) => this.#gpuMemoryOf(pid),
      }),
    );
  }

  /**
   * Restores the tasks of a previous run of the application at their old ports; those that were running are started. To
   * be called once. One that cannot be restored does not prevent the others, and is tried again at the next start.
   *
   * @param mayOwn Whether a machine may still have tasks here; those of one that may not are dropped. All may unless given.
   */
  async restore(mayOwn: (deviceId: string) => boolean = () => true): Promise<void> {
    await this.#loaded;
    if (this.#awaited.size === 0) return;
    for (const wanted of [...this.#awaited.values()]) {
      try {
        if (mayOwn(wanted.owner)) await this.#bringBack(wanted);
        this.#awaited.delete(wanted.id);
      } catch (error) {
        log.error(`${wanted.job}/${wanted.index} could not be restored:`, error);
      }
    }
    await this.#save();
  }

  async engines(): Promise<MachineFacts["engines"]> {
    return (await this.#collaborators.engines?.()) ?? machineEngines(undefined);
  }

  tasks(): readonly HostTask[] {
    return this.#supervisor.tasks().map((task) => this.#told(task));
  }

  start(order: TaskOrder): Promise<HostTask> {
    const known = this.#supervisor.find(order.taskId);
    if (known) return Promise.resolve(this.#told(known));
    const starting =
      this.#starting.get(order.taskId) ??
      this.#make(order).finally(() => this.#starting.delete(order.taskId));
    this.#starting.set(order.taskId, starting);
    return starting;
  }

  async startAgain(taskId: string, fixed?: FixedCluster): Promise<void> {
    const facts = this.#factsOf(taskId);
    facts.fixed = fixed;
    facts.runs = true;
    await this.#launch(taskId);
    await this.#save();
  }

  async stop(taskId: string): Promise<void> {
    this.#factsOf(taskId).runs = false;
    await this.#save();
    await this.#supervisor.stop(taskId);
  }

  async remove(taskId: string): Promise<void> {
    await this.#supervisor.remove(taskId);
    this.#facts.delete(taskId);
    await this.#save();
  }

  async clearState(taskId: string): Promise<void> {
    const task = this.#supervisor.get(taskId);
    if (task.state !== "running") {
      throw problem("FAILED_PRECONDITION", `${task.name} is not running, so it holds no state.`, {
        task: task.name,
      });
    }
    const { job, index } = this.#plan(taskId, task.port);
    await (this.#collaborators.clearState ?? clearServerState)(`localhost:${task.port}`, { job, index });
  }

  log(taskId: string, afterSequence: number): Promise<LogLine[]> {
    return Promise.resolve(this.#supervisor.get(taskId).logAfter(afterSequence));
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onLog(listener: (taskId: string, lines: LogLine[]) => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
  }

  onSamples(listener: (samples: TaskSamples) => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  /** Ends every process; resolves when all are gone. The tasks stay wanted and are restored at the next start. */
  async dispose(): Promise<void> {
    await this.#supervisor.dispose();
  }

  async #load(): Promise<void> {
    for (const wanted of (await this.#wantedFile?.load()) ?? []) this.#awaited.set(wanted.id, wanted);
  }

  async #bringBack({ port, isolate, runs, cluster, ...identity }: WantedTask): Promise<void> {
    const { id } = identity;
    if (this.#facts.has(id)) return;
    await this.#supervisor.addAgain(identity, port);
    this.#facts.set(id, { isolate, fixed: cluster && { cluster }, runs, gpus: [] });
    if (runs) await this.#launch(id);
  }

  async #make(order: TaskOrder): Promise<HostTask> {
    const { taskId: id, job, index, engine, gpu, port, fixed, isolate, owner } = order;
    const task = await this.#supervisor.add({ id, job, index, engine, gpu, owner }, port);
    this.#facts.set(id, { isolate, fixed, runs: true, gpus: [] });
    // Listed from here on; does not wait for its process to come up.
    inBackground(this.#launch(id));
    await this.#save();
    return this.#told(task);
  }

  #told(task: ManagedTask): HostTask {
    return { ...task.snapshot(), fixed: this.#facts.get(task.identity.id)?.fixed !== undefined };
  }

  #launch(taskId: string): Promise<void> {
    const facts = this.#factsOf(taskId);
    const plan = (port: number): TaskPlan => {
      const planned = this.#plan(taskId, port);
      facts.gpus = gpuNumbers(planned.gpu, this.#gpuIndices());
      return planned;
    };
    return this.#supervisor.start(taskId, { plan, mayMove: facts.fixed === undefined });
  }

  /**
   * A task of a dynamic cluster starts as the only member of its own job, and the session assigns its job and index: a
   * server refuses a session's ClusterSpec that repeats the job and index it was started with.
   */
  #plan(taskId: string, port: number): TaskPlan {
    const { isolate, fixed } = this.#factsOf(taskId);
    const { job, index, engine, gpu: choice, owner } = this.#supervisor.get(taskId).identity;
    const mayBeExposed = this.#collaborators.mayExpose?.(owner) ?? true;
    const gpu = visibleGpus({ choice, job, engine }, this.#gpuIndices(), this.#gpusInUse(taskId));
    const how = { port, gpu, isolate, mayBeExposed };
    if (fixed) return { cluster: fixed.cluster, job, index, ...how };
    const ownJob = `tensordeck_${taskId.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 8)}`;
    return { cluster: { [ownJob]: { 0: `localhost:${port}` } }, job: ownJob, index: 0, ...how };
  }

  #gpuIndices(): number[] {
    return this.#collaborators.gpus().map(({ index }) => index);
  }

  #gpusInUse(exceptTaskId: string): (readonly number[])[] {
    return this.#supervisor
      .tasks()
      .filter((task) => task.hasProcess && task.identity.id !== exceptTaskId)
      .map((task) => this.#facts.get(task.identity.id)?.gpus ?? []);
  }

  #gpuMemoryOf(pid: number): number | undefined {
    const held = this.#collaborators
      .gpus()
      .flatMap(({ processes }) => processes.filter((process) => process.pid === pid));
    return held.length === 0 ? undefined : held.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** @throws ProblemError NOT_FOUND */
  #factsOf(taskId: string): TaskFacts {
    const facts = this.#facts.get(taskId);
    if (facts) return facts;
    this.#supervisor.get(taskId);
    throw problem("NOT_FOUND", "This task is being removed.");
  }

  async #save(): Promise<void> {
    await this.#loaded;
    const wanted = this.#supervisor.tasks().flatMap((task): WantedTask[] => {
      const facts = this.#facts.get(task.identity.id);
      if (!facts) return [];
      const { isolate, runs, fixed } = facts;
      return [defined({ ...task.identity, port: task.port, isolate, runs, cluster: fixed?.cluster })];
    });
    const awaited = [...this.#awaited.values()].filter(({ id }) => !this.#facts.has(id));
    await this.#wantedFile?.save([...wanted, ...awaited]);
  }
}
