/** Places tasks on machines: assigns unique ports, passes the cluster to each server, and starts them in order. */

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import type { Access, Engine, GpuChoice, Membership } from "../api/cluster.js";
import { ProblemError } from "../api/wire.js";
import type { ClusterMachine } from "../peers/cluster-machine.js";
import { log } from "../shared/log/log.js";
import { noSuchMachine, problem } from "../shared/problems.js";
import type { FixedCluster, TaskHost } from "../tasks/task-host.js";
import { FIRST_TASK_PORT, nextTaskPort } from "../tasks/task-ports.js";
import { addressesOf } from "./addresses.js";
import { type ClusterTask, isActive, serversFirst, taskName } from "./cluster-task.js";
import { addressOnMachine } from "./task-list.js";

/** A requested task. */
export interface TaskWish {
  readonly id: string;
  readonly job: string;
  readonly index: number;
  readonly machineId: string;
  readonly engine: Engine;
  readonly gpu: GpuChoice;
  /** Requested port; 0: any. */
  readonly port: number;
  /** Whether another port is acceptable. False for one that the user typed. */
  readonly mayMove: boolean;
}

interface Plan {
  readonly wish: TaskWish;
  readonly machine: ClusterMachine;
  port: number;
  /** The cluster that its server was started with. */
  told: FixedCluster | undefined;
}

/** The port through which placement uses the cluster. */
export interface PlacementContext {
  readonly access: () => Access;
  readonly membership: () => Membership;
  /** This machine first. */
  readonly machines: () => readonly ClusterMachine[];
  readonly tasks: () => readonly ClusterTask[];
  /** Ports on which some machine of the cluster cannot listen. */
  readonly takenPorts: () => readonly number[];
  /** Resolves after the next change of the cluster. */
  readonly nextChange: () => Promise<void>;
  /** Called before a task is restarted at the user's request. */
  readonly expectRestart: (taskId: string) => void;
}

/** If this many ports in a row are taken, something is wrong with the machine. */
const PORTS_TO_TRY = 64;

export class TaskPlacement {
  readonly #context: PlacementContext;

  constructor(context: PlacementContext) {
    this.#context = context;
  }

  /**
   * Creates the tasks and starts them, all or none. In a fixed cluster each gets the whole ClusterSpec.
   *
   * @throws ProblemError of the machine, FAILED_PRECONDITION for a typed port that is taken, RESOURCE_EXHAUSTED when the
   *   machine has no free port.
   */
  async place(wishes: readonly TaskWish[]): Promise<void> {
    const plans: Plan[] = [];
    for (const wish of wishes) plans.push(this.#plan(wish, plans));
    const placed: Plan[] = [];
    try {
      for (const plan of plans) {
        await this.#carryOut(plan, plans);
        placed.push(plan);
      }
    } catch (error) {
      await Promise.allSettled(placed.map(({ wish, machine }) => hostOfMachine(machine).remove(wish.id)));
      throw error;
    }
    // A port that turned out to be taken invalidates the ClusterSpec of the earlier ones.
    const now = this.fixedCluster(addressesOfPlans(plans, this.#context.access()));
    const stale = plans.filter(({ told }) => !isDeepStrictEqual(told, now));
    for (const { wish, machine } of stale) {
      const host = hostOfMachine(machine);
      await host.stop(wish.id);
      await host.startAgain(wish.id, now);
    }
  }

  /**
   * Removes tasks from their machines and re-creates them, perhaps elsewhere or with other settings. They lose their
   * variables. On failure they are re-created as they were.
   */
  async replace(unsorted: readonly { readonly task: ClusterTask; readonly wish: TaskWish }[]): Promise<void> {
    const changes = [...unsorted].sort((a, b) => serversFirst(a.wish, b.wish));
    for (const { task } of changes) this.#context.expectRestart(task.id);
    const before = changes.map(({ task }) => this.wishOf(task));
    try {
      await allDone(changes.map(({ task }) => this.hostOf(task).remove(task.id)));
      await this.place(changes.map(({ wish }) => wish));
    } catch (error) {
      await this.#bringBack(before);
      throw error;
    }
  }

  /** The same task again, on another port if its own cannot be used. */
  wishOf(task: ClusterTask): TaskWish {
    const { id, job, index, machineId, engine, needsPort, snapshot } = task;
    const port = needsPort ? 0 : (parseHostPort(task.address)?.port ?? 0);
    return { id, job, index, machineId, engine, gpu: snapshot.gpu, port, mayMove: true };
  }

  /** Starts a task unless it is running. */
  async start(task: ClusterTask): Promise<void> {
    const host = this.hostOf(task);
    this.#context.expectRestart(task.id);
    if (task.needsPort && !isActive(task)) {
      await this.replace([{ task, wish: this.wishOf(task) }]);
    } else {
      await host.startAgain(task.id, this.fixedCluster());
    }
  }

  /**
   * Stops tasks and starts them again. All are stopped before the first is started, so that none connects to
   * the old incarnation of another; in a fixed cluster the parameter servers are up before the others start.
   */
  async restart(tasks: readonly ClusterTask[]): Promise<void> {
    const hosts = tasks.map((task) => this.hostOf(task));
    for (const { id } of tasks) this.#context.expectRestart(id);
    await allDone(tasks.map(async ({ id }, i) => hosts[i]?.stop(id)));
    if (this.#context.membership() === "dynamic") {
      await Promise.all(tasks.map((task) => this.start(task)));
      return;
    }
    const isServer = ({ job }: ClusterTask) => job === PARAMETER_SERVER_JOB;
    const servers = tasks.filter(isServer);
    await Promise.all(servers.map((task) => this.start(task)));
    await this.#awaitUp(servers.map(({ id }) => id));
    await Promise.all(tasks.filter((task) => !isServer(task)).map((task) => this.start(task)));
  }

  /** The current ClusterSpec for every server of a fixed cluster; undefined in a dynamic one. */
  fixedCluster(
    coming: readonly { job: string; index: number; address: string }[] = [],
  ): FixedCluster | undefined {
    if (this.#context.membership() === "dynamic") return undefined;
    const known = this.#context.tasks().filter(({ address, unusable }) => address !== "" && !unusable);
    return { cluster: addressesOf([...known, ...coming]) };
  }

  /**
   * The machine of a task before a change.
   *
   * @throws ProblemError FAILED_PRECONDITION for a foreign server, PERMISSION_DENIED for another machine's task, NOT_FOUND
   *   for a machine that is gone.
   */
  hostOf(task: ClusterTask): TaskHost {
    if (task.locked) throw new ProblemError(task.locked);
    if (!task.foreign) return this.host(task.machineId);
    throw problem("FAILED_PRECONDITION", `${task.name} was started by somebody else.`, {
      reason: "Tensordeck can use and inspect the server, but not start or stop it.",
      remedy: `Do that where it runs (${task.address}), or remove it here.`,
      task: task.name,
    });
  }

  /** @throws ProblemError NOT_FOUND, FAILED_PRECONDITION for a machine that is not paired. */
  host(machineId: string): TaskHost {
    return hostOfMachine(this.#machine(machineId));
  }

  async #bringBack(wishes: readonly TaskWish[]): Promise<void> {
    const listed = new Set(this.#context.tasks().map(({ id }) => id));
    for (const wish of wishes.filter(({ id }) => !listed.has(id))) {
      await this.place([wish]).catch((error: unknown) => {
        log.error(`${taskName(wish)} could not be restored:`, error);
      });
    }
  }

  #machine(machineId: string): ClusterMachine {
    const machine = this.#context.machines().find(({ facts }) => facts.id === machineId);
    if (machine) return machine;
    throw noSuchMachine(machineId);
  }

  #plan(wish: TaskWish, before: readonly Plan[]): Plan {
    const machine = this.#machine(wish.machineId);
    hostOfMachine(machine);
    // A single task that is in no ClusterSpec yet may have any port that the machine finds.
    const isFree = !this.#hasOthers(machine) && this.#context.membership() === "dynamic";
    const avoided = this.#portsToAvoid(machine, before);
    const isWanted = wish.port !== 0 && (!wish.mayMove || !avoided.has(wish.port));
    const next = isFree ? 0 : nextTaskPort(FIRST_TASK_PORT, avoided);
    const port = isWanted ? wish.port : next;
    if (port === undefined) throw noFreePort(machine, wish);
    return { wish, machine, port, told: undefined };
  }

  /** Starts a task on the planned port, or on the next one that is free on the machine. */
  async #carryOut(plan: Plan, plans: readonly Plan[]): Promise<void> {
    const { wish, machine } = plan;
    const host = hostOfMachine(machine);
    const first = plan.port;
    for (let tries = 1; ; tries++) {
      const { id: taskId, job, index, engine, gpu, mayMove } = wish;
      const fixed = this.fixedCluster(addressesOfPlans(plans, this.#context.access()));
      plan.told = fixed;
      try {
        await host.start({
          ...{ taskId, job, index, engine, gpu, port: plan.port },
          ...(fixed ? { fixed } : {}),
          // A single machine is not a cluster over the network; isolating TensorFlow's servers would only cost speed.
          // For the portable engine isolation is free, as it listens on the loopback interface.
          isolate: this.#context.access() === "secure" && (engine === "portable" || this.#hasOthers(machine)),
          owner: this.#context.machines()[0]?.facts.id ?? "",
        });
        return;
      } catch (error) {
        if (!isTaken(error) || !mayMove || plan.port === 0) throw error;
        const next = nextTaskPort(plan.port + 1, this.#portsToAvoid(machine, plans));
        if (tries === PORTS_TO_TRY || next === undefined) throw noFreePort(machine, wish, first);
        plan.port = next;
      }
    }
  }

  #hasOthers({ facts }: ClusterMachine): boolean {
    return this.#context.machines().some((other) => other.tasks !== undefined && other.facts.id !== facts.id);
  }

  /** In a secure cluster a port belongs to one task on all machines. */
  #portsToAvoid({ facts }: ClusterMachine, plans: readonly Plan[]): Set<number> {
    const isSecure = this.#context.access() === "secure";
    const counts = (machineId: string) => isSecure || machineId === facts.id;
    const known = this.#context
      .tasks()
      .filter(({ machineId }) => counts(machineId))
      .flatMap(({ address }) => parseHostPort(address)?.port ?? []);
    const planned = plans.flatMap(({ machine, port }) => (counts(machine.facts.id) ? [port] : []));
    return new Set([...known, ...planned, ...(isSecure ? this.#context.takenPorts() : [])]);
  }

  /** Resolves when each of the tasks answers, or has failed. */
  async #awaitUp(taskIds: readonly string[]): Promise<void> {
    const isPending = ({ id, state }: ClusterTask) => taskIds.includes(id) && state === "starting";
    while (this.#context.tasks().some(isPending)) await this.#context.nextChange();
  }
}

/** Settles when all work has settled, so that the caller then sees the machines in their final state. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

/** The id of a task that is about to be made; it keeps it on any machine. */
export function newTaskId(): string {
  return randomUUID();
}

function hostOfMachine({ facts, tasks }: ClusterMachine): TaskHost {
  if (tasks) return tasks;
  throw problem("FAILED_PRECONDITION", `${facts.name} is not paired with this machine.`, {
    remedy: `Pair with ${facts.name} first.`,
  });
}

function addressesOfPlans(plans: readonly Plan[], access: Access) {
  return plans.map(({ wish: { job, index }, machine, port }) => ({
    job,
    index,
    address: addressOnMachine(machine.facts, port, access),
  }));
}

function isTaken(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === "FAILED_PRECONDITION";
}

function noFreePort({ facts }: ClusterMachine, wish: TaskWish, first = FIRST_TASK_PORT): ProblemError {
  return problem("RESOURCE_EXHAUSTED", `${facts.name} has no free port for ${taskName(wish)}.`, {
    reason: `${PORTS_TO_TRY} ports from ${first} upward were tried, or all ports that tasks may use.`,
    remedy: "Stop tasks or other programs that listen there.",
  });
}
