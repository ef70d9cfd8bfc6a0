/**
 * The cluster as the window sees it: machines, their tasks, and how the tasks know of each other.
 *
 * In a dynamic cluster a task starts as the only member of a job of its own and the session says which job and index
 * it has: a server refuses a session's ClusterSpec that repeats the job and index it was started with. In a fixed
 * cluster every task is started with the whole ClusterSpec.
 */
import type { ClusterState, Engine, LogLine, Membership } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import type { EmitEvent } from "../events.js";
import type { TaskPlan } from "../tasks/launcher.js";
import type { ManagedTask } from "../tasks/managed-task.js";
import type { TaskSupervisor } from "../tasks/task-supervisor.js";
import { addressesOf } from "./addresses.js";
import type { MachineFacts } from "./this-machine.js";

export interface ClusterCollaborators {
  readonly machine: MachineFacts;
  readonly emit: EmitEvent;
  /** Makes the supervisor; the two know of each other only by what is passed here. */
  readonly supervise: (hooks: {
    onChange: () => void;
    onLog: (taskId: string, lines: LogLine[]) => void;
  }) => TaskSupervisor;
  /** The engine of a task for which none was chosen. */
  readonly chooseEngine: () => Engine;
}

export class ClusterService {
  readonly #collaborators: ClusterCollaborators;
  readonly #supervisor: TaskSupervisor;
  #machine: MachineFacts;
  readonly #listeners = new Set<() => void>();
  #membership: Membership = "dynamic";
  #notice: Problem | undefined;
  #changePending = false;
  /** Commands that concern the cluster as a whole run one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(collaborators: ClusterCollaborators) {
    this.#collaborators = collaborators;
    this.#machine = collaborators.machine;
    this.#supervisor = collaborators.supervise({
      onChange: () => this.#changed(),
      onLog: (taskId, lines) => collaborators.emit("taskLog", { taskId, lines }),
    });
  }

  get membership(): Membership {
    return this.#membership;
  }

  /** In the order in which they were added. */
  tasks(): ManagedTask[] {
    return this.#supervisor.tasks();
  }

  state(): ClusterState {
    return {
      membership: this.#membership,
      ...(this.#notice ? { notice: this.#notice } : {}),
      machines: [{ ...this.#machine, tasks: this.tasks().map((task) => task.snapshot()) }],
    };
  }

  /** Adds what was found out about the machine after the start. */
  describeMachine(facts: Partial<MachineFacts>): void {
    this.#machine = { ...this.#machine, ...facts };
    this.#changed();
  }

  /** Calls the listener after every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The ids of the new tasks, which are listed and starting. */
  addTasks(job: string, count: number, engine?: Engine): Promise<string[]> {
    return this.#enqueue(async () => {
      this.#notice = undefined;
      const others = this.#active();
      const added = await this.#supervisor.add(job, count, engine ?? this.#collaborators.chooseEngine());
      if (this.#membership === "fixed" && others.length > 0) {
        this.#setNotice(
          `${namesOf(others)} ${others.length === 1 ? "is" : "are"} restarted, because ${namesOf(added)} joined.`,
          "The tasks of a fixed cluster know each other from their start. Variables are lost.",
        );
        this.#background(this.#restart(others));
      }
      for (const task of added) this.#background(this.#start(task));
      return added.map((task) => task.identity.id);
    });
  }

  async startTask(taskId: string): Promise<void> {
    await this.#start(this.#supervisor.get(taskId));
  }

  async stopTask(taskId: string): Promise<void> {
    await this.#supervisor.stop(taskId);
  }

  async restartTask(taskId: string): Promise<void> {
    const task = this.#supervisor.get(taskId);
    await this.#supervisor.stop(taskId);
    await this.#start(task);
  }

  removeTask(taskId: string): Promise<void> {
    return this.#enqueue(async () => {
      const removed = this.#supervisor.get(taskId);
      this.#notice = undefined;
      await this.#supervisor.remove(taskId);
      const others = this.#active();
      if (this.#membership === "fixed" && others.length > 0) {
        this.#setNotice(
          `${namesOf(others)} still expect${others.length === 1 ? "s" : ""} ${removed.name} in the cluster.`,
          "The tasks of a fixed cluster know each other from their start.",
          "Stock scripts wait for the missing task. Restart the other tasks to leave it out for good.",
        );
      }
    });
  }

  /** Restarts every task under the new membership. */
  setMembership(membership: Membership): Promise<void> {
    return this.#enqueue(async () => {
      if (membership === this.#membership) return;
      this.#membership = membership;
      this.#notice = undefined;
      this.#changed();
      await this.#restart(this.#active());
    });
  }

  taskLog(taskId: string, afterSequence: number): LogLine[] {
    return this.#supervisor.get(taskId).logAfter(afterSequence);
  }

  /** Ends every task; resolves when their processes are gone. */
  async dispose(): Promise<void> {
    this.#listeners.clear();
    await this.#supervisor.dispose();
  }

  /** Tasks that have a process or are about to have one. */
  #active(): ManagedTask[] {
    return this.tasks().filter((task) => task.state !== "stopped" && task.state !== "failed");
  }

  async #restart(tasks: readonly ManagedTask[]): Promise<void> {
    // All are stopped before the first is started, so that none meets the old incarnation of another.
    await Promise.all(tasks.map((task) => this.#supervisor.stop(task.identity.id)));
    await Promise.all(tasks.map((task) => this.#start(task)));
  }

  #start(task: ManagedTask): Promise<void> {
    const fixed = this.#membership === "fixed";
    return this.#supervisor.start(task.identity.id, (started, port) => this.#plan(started, port), !fixed);
  }

  #plan({ identity }: ManagedTask, port: number): TaskPlan {
    if (this.#membership === "fixed") {
      return {
        cluster: addressesOf(this.tasks().map((task) => ({ ...task.identity, address: task.address }))),
        job: identity.job,
        index: identity.index,
        port,
      };
    }
    const job = `tensordeck_${identity.id.replaceAll("-", "").slice(0, 8)}`;
    return { cluster: { [job]: { 0: `localhost:${port}` } }, job, index: 0, port };
  }

  #setNotice(message: string, reason: string, remedy?: string): void {
    this.#notice = { code: "OK", message, reason, ...(remedy === undefined ? {} : { remedy }) };
    this.#changed();
  }

  /** Several changes of one moment make one event. */
  #changed(): void {
    if (this.#changePending) return;
    this.#changePending = true;
    setImmediate(() => {
      this.#changePending = false;
      this.#collaborators.emit("cluster", this.state());
      for (const listener of this.#listeners) listener();
    });
  }

  #enqueue<T>(command: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(command);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Work whose outcome the tasks' states tell. */
  #background(work: Promise<void>): void {
    work.catch((error: unknown) => console.error("A command for a task failed:", error));
  }
}

function namesOf(tasks: readonly ManagedTask[]): string {
  const names = tasks.map((task) => task.name);
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}
