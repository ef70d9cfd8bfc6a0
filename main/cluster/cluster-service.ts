/**
 * The commands of the cluster. The machines run the tasks; this service decides which, where and under which name.
 *
 * In a dynamic cluster a task starts alone and the session says which job and index it has. In a fixed cluster every
 * task is started with the whole ClusterSpec.
 */
import type {
  Access,
  AddForeign,
  AddTasks,
  ClusterRow,
  ClusterState,
  LogLine,
  Membership,
} from "../api/cluster.js";
import type { NewestSamples } from "../api/samples.js";
import { problem } from "../shared/problems.js";
import { clearServerState } from "../tasks/clear-state.js";
import { ClusterModel, type ModelCollaborators } from "./cluster-model.js";
import { type ClusterTask, serversFirst } from "./cluster-task.js";
import { FollowUps } from "./follow-ups.js";
import { lookForEngines } from "./look-for-engines.js";
import { checkExposure, checkMachine, planTable } from "./table-plan.js";
import { TaskPlacement } from "./task-placement.js";
import { foreignAddressOf, wishesOf } from "./task-requests.js";

export interface ClusterCollaborators extends ModelCollaborators {
  /** Whether the ps tasks stop when the last worker leaves. */
  readonly stopPsWithLastWorker: () => Promise<boolean>;
  /** Replaced in tests whose servers are not TensorFlow's. */
  readonly clearState?: typeof clearServerState;
}

export class ClusterService {
  readonly #collaborators: ClusterCollaborators;
  readonly #model: ClusterModel;
  readonly #placement: TaskPlacement;
  readonly #followUps: FollowUps;
  /** Commands that concern the cluster as a whole run one after the other. */
  #queue: Promise<unknown>;

  constructor(collaborators: ClusterCollaborators) {
    this.#collaborators = collaborators;
    const model = new ClusterModel(collaborators);
    this.#model = model;
    this.#queue = model.loaded;
    this.#placement = new TaskPlacement({
      access: () => model.access,
      membership: () => model.wantedMembership,
      machines: () => model.machines(),
      tasks: () => model.tasks(),
      takenPorts: () => model.takenPorts(),
      nextChange: () =>
        new Promise((resolve) => {
          const stop = model.onChange(() => {
            stop();
            resolve();
          });
        }),
      expectRestart: (taskId) => model.restarts.expect(taskId),
    });
    const { stopPsWithLastWorker } = collaborators;
    this.#followUps = new FollowUps({ model, placement: this.#placement, stopPsWithLastWorker });
  }

  /** Resolves when the saved state of the cluster has been read; machines restore their tasks after that. */
  get loaded(): Promise<void> {
    return this.#model.loaded;
  }

  get membership(): Membership {
    return this.#model.membership;
  }

  get access(): Access {
    return this.#model.access;
  }

  /** Machine by machine, each in the order in which its tasks were created; then the foreign servers. */
  tasks(): readonly ClusterTask[] {
    return this.#model.tasks();
  }

  state(): ClusterState {
    return this.#model.state();
  }

  /** The latest samples of the machines and tasks. */
  samples(): NewestSamples {
    return this.#model.samples;
  }

  /** Whether a foreign server of this machine, which tunnels may lead to, listens on a port. */
  hasLocalServer(port: number): boolean {
    return this.#model.localServers.has(port);
  }

  /** Notes that a graph has variables on tasks: when their servers are replaced, it is said that those are gone. */
  noteVariables(taskIds: readonly string[]): void {
    this.#model.noteVariables(taskIds);
  }

  /** Calls the listener after every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#model.onChange(listener);
  }

  /** Calls the listener after every measurement until the returned function is called. */
  onSamples(listener: () => void): () => void {
    return this.#model.onSamples(listener);
  }

  /** Updates the windows when a part of the state that comes from discovery or the gateway has changed. */
  refresh(): void {
    this.#model.changed();
  }

  /** The ids of the new tasks, which are listed and starting; so are the others of a fixed cluster, again. */
  async addTasks(request: AddTasks): Promise<string[]> {
    const { ids, restarted } = await this.#enqueue(async () => {
      this.#model.notice = undefined;
      this.#adoptMembership();
      const machines = await lookForEngines(request, this.#model.machines());
      const wishes = wishesOf(request, this.tasks(), machines);
      const others = this.#model.active();
      await this.#placement.place(wishes);
      const restarted = this.#followUps.joined(wishes, others);
      const ids = wishes.map(({ id }) => id);
      await this.#followUps.settlePorts(ids);
      return { ids, restarted };
    });
    // A run that follows finds them stopped otherwise.
    await restarted;
    return ids;
  }

  /** @throws ProblemError UNAVAILABLE when no TensorFlow server answers there; ALREADY_EXISTS. */
  async addForeign(request: AddForeign): Promise<string> {
    const { id, restarted } = await this.#enqueue(async () => {
      const server = foreignAddressOf(request, this.tasks(), this.#model.machines());
      this.#model.notice = undefined;
      const others = this.#model.active();
      await this.#model.foreign.add(server);
      const restarted = this.#followUps.joined([server], others);
      await this.#followUps.settleConnections();
      return { id: server.id, restarted };
    });
    await restarted;
    return id;
  }

  /**
   * Changes the tasks to match the table.
   *
   * @throws ProblemError for an invalid row; nothing has changed then. When a machine fails on the way, what was done
   *   before stays done.
   */
  async applyTable(rows: readonly ClusterRow[]): Promise<void> {
    const { restarted } = await this.#enqueue(async () => {
      const model = this.#model;
      this.#adoptMembership();
      const plan = planTable(rows, this.tasks(), model.machines(), model.access);
      const changed = [...plan.add, ...plan.replace.map(({ wish }) => wish), ...plan.addForeign];
      model.notice = undefined;
      // First the step that can still fail without losing anything: a server that does not answer.
      for (const server of plan.addForeign) await model.foreign.add(server);
      for (const { id, job, index } of plan.renameForeign) model.foreign.rename(id, job, index);
      for (const task of plan.remove) await this.#remove(task);
      await this.#placement.replace(plan.replace);
      await this.#placement.place([...plan.add].sort(serversFirst));
      const isNew = ({ id }: ClusterTask) => changed.some((wish) => wish.id === id);
      const others = this.#model.active().filter((task) => !isNew(task));
      const restarted = this.#followUps.joined([...changed, ...plan.renameForeign], others);
      await this.#followUps.settlePorts(changed.map(({ id }) => id));
      await this.#followUps.left(plan.remove);
      return { restarted };
    });
    await restarted;
  }

  /**
   * Opens the cluster or closes it. Tasks whose raw port opens or closes with it, or whose port is no longer unique,
   * are re-created.
   *
   * @throws ProblemError UNAVAILABLE when the machine of one of these does not answer, PERMISSION_DENIED when it lets no
   *   other machine open a task there; nothing was changed then.
   */
  setAccess(access: Access): Promise<void> {
    return this.#enqueue(async () => {
      const model = this.#model;
      if (access === model.access) return;
      const active = this.#model.active();
      const isShut = new Set(
        model
          .machines()
          .flatMap(({ tasks }) => tasks?.tasks() ?? [])
          .flatMap(({ id, isolated }) => (isolated ? [id] : [])),
      );
      const isFixed = model.membership === "fixed";
      const changing = active.filter(({ id }) => isFixed || access === "secure" || isShut.has(id));
      this.#checkMachines(changing);
      if (access === "open") checkExposure(changing, model.machines());
      model.notice = undefined;
      model.access = access;
      // The current ones: another task may have the same port.
      const fresh = this.tasks().filter(({ id }) => changing.some((task) => task.id === id));
      await this.#placement.replace(fresh.map((task) => ({ task, wish: this.#placement.wishOf(task) })));
      await this.#followUps.settlePorts(fresh.map(({ id }) => id));
    });
  }

  async clearState(taskId: string): Promise<void> {
    const task = this.#task(taskId);
    if (task.foreign) {
      const server = this.#model.foreign.ownName(taskId) ?? task;
      await (this.#collaborators.clearState ?? clearServerState)(task.address, server);
    } else {
      await this.#placement.hostOf(task).clearState(taskId);
    }
    this.#model.cleared(taskId);
  }

  async startTask(taskId: string): Promise<void> {
    await this.#placement.start(this.#task(taskId));
  }

  async stopTask(taskId: string): Promise<void> {
    const task = this.#task(taskId);
    await this.#placement.hostOf(task).stop(taskId);
    await this.#followUps.left([task]);
  }

  async restartTask(taskId: string): Promise<void> {
    const task = this.#task(taskId);
    if (task.needsPort) await this.#placement.replace([{ task, wish: this.#placement.wishOf(task) }]);
    else await this.#placement.restart([task]);
  }

  removeTask(taskId: string): Promise<void> {
    return this.#enqueue(async () => {
      const removed = this.#task(taskId);
      this.#model.notice = undefined;
      await this.#remove(removed);
      this.#followUps.removed(removed);
      await this.#followUps.left([removed]);
    });
  }

  /** Removes the foreign servers of a host that is listed only because of them. */
  forgetHost(machineId: string): Promise<void> {
    return this.#enqueue(async () => {
      for (const task of this.tasks()) {
        if (task.foreign && task.machineId === machineId) this.#model.foreign.remove(task.id);
      }
    });
  }

  /** Restarts every task under the new membership. @throws ProblemError UNAVAILABLE when a machine does not answer. */
  setMembership(membership: Membership): Promise<void> {
    return this.#enqueue(async () => {
      const model = this.#model;
      if (membership === model.membership && membership === model.wantedMembership) return;
      const active = this.#model.active();
      this.#checkMachines(active);
      model.wantedMembership = membership;
      model.notice = undefined;
      await this.#placement.restart(active);
    });
  }

  async taskLog(taskId: string, afterSequence: number): Promise<LogLine[]> {
    const task = this.#task(taskId);
    return task.foreign ? [] : await this.#placement.host(task.machineId).log(taskId, afterSequence);
  }

  /** Reports and saves the final state; the machines end their tasks themselves. */
  async dispose(): Promise<void> {
    await this.#model.dispose();
  }

  /**
   * New tasks join with the membership of the existing ones, even if another machine's window started those.
   */
  #adoptMembership(): void {
    this.#model.wantedMembership = this.#model.membership;
  }

  /** Before anything is changed: half a change leaves tasks that do not find each other. */
  #checkMachines(tasks: readonly ClusterTask[]): void {
    for (const task of tasks) checkMachine(task, task.machineId, this.#model.machines());
  }

  async #remove(task: ClusterTask): Promise<void> {
    if (task.foreign) this.#model.foreign.remove(task.id);
    else await this.#placement.hostOf(task).remove(task.id);
  }

  /** @throws ProblemError NOT_FOUND */
  #task(taskId: string): ClusterTask {
    const task = this.tasks().find(({ id }) => id === taskId);
    if (task) return task;
    throw problem("NOT_FOUND", "This task is no longer in the cluster.", {
      remedy: "It was removed, perhaps in another window.",
      details: `task id ${taskId}`,
    });
  }

  #enqueue<T>(command: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(command);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
