/** The consequences for the other tasks of the cluster when some have joined or left. */
import { delay } from "../../worker-runtime/cancellation/delay.js";
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import { log } from "../shared/log/log.js";
import { defined } from "../shared/problems.js";
import type { ClusterModel } from "./cluster-model.js";
import { type ClusterTask, taskNames } from "./cluster-task.js";
import type { TaskPlacement } from "./task-placement.js";

export interface FollowUpCollaborators {
  readonly model: ClusterModel;
  readonly placement: TaskPlacement;
  /** Whether the ps tasks stop when the last worker leaves. */
  readonly stopPsWithLastWorker: () => Promise<boolean>;
}

/** How long an added task waits for the machines to set up its tunnels, and to report whether they can listen on its port. */
const TUNNEL_WAIT_MILLIS = 5000;
const TUNNEL_ROUNDS = 3;

export class FollowUps {
  readonly #collaborators: FollowUpCollaborators;

  constructor(collaborators: FollowUpCollaborators) {
    this.#collaborators = collaborators;
  }

  /**
   * Restarts the other tasks of a fixed cluster: they must learn of the new ones, which is possible only when they start.
   * Resolves when they have been told to start again; never rejects, as the outcome shows in their states.
   */
  async joined(
    joined: readonly { job: string; index: number }[],
    others: readonly ClusterTask[],
  ): Promise<void> {
    const { model, placement } = this.#collaborators;
    if (model.membership === "dynamic" || joined.length === 0 || others.length === 0) return;
    this.#setNotice(
      `${taskNames(others)} ${others.length === 1 ? "is" : "are"} restarted, because ${taskNames(joined)} joined.`,
      "The tasks of a fixed cluster know each other from their start. Variables are lost.",
    );
    await placement
      .restart(others)
      .catch((error: unknown) => log.error("A command for a task failed:", error));
  }

  /** Notes that the other tasks of a fixed cluster still expect a task that was removed. */
  removed(task: ClusterTask): void {
    const { model } = this.#collaborators;
    const others = model.active();
    if (model.membership === "dynamic" || others.length === 0) return;
    this.#setNotice(
      `${taskNames(others)} still expect${others.length === 1 ? "s" : ""} ${task.name} in the cluster.`,
      "The tasks of a fixed cluster know each other from their start.",
      "Stock scripts wait for the missing task. Restart the other tasks to drop it from the cluster.",
    );
  }

  /** Stops the parameter servers if the user wants that and the cluster has no workers left. */
  async left(gone: readonly ClusterTask[]): Promise<void> {
    const { model, placement, stopPsWithLastWorker } = this.#collaborators;
    const active = model.active();
    const isServer = (task: ClusterTask) => task.job === PARAMETER_SERVER_JOB;
    if (gone.every(isServer) || active.length === 0 || !active.every(isServer)) return;
    if (!(await stopPsWithLastWorker())) return;
    await Promise.all(active.map((task) => placement.hostOf(task).stop(task.id)));
    this.#setNotice(
      `${taskNames(active)} ${active.length === 1 ? "was" : "were"} stopped with the last worker.`,
      "The settings require it.",
    );
  }

  /** Resolves when tasks can reach all others, or after a while: a run that follows needs it at once. */
  async settleConnections(): Promise<void> {
    await Promise.race([this.#collaborators.model.connectTasks(), delay(TUNNEL_WAIT_MILLIS)]);
  }

  /** Moves new tasks to other ports if some machine cannot listen on theirs. They have no state to lose yet. */
  async settlePorts(taskIds: readonly string[]): Promise<void> {
    const { model, placement } = this.#collaborators;
    for (let round = 0; round < TUNNEL_ROUNDS; round++) {
      await this.settleConnections();
      const stuck = model.tasks().filter(({ id, needsPort }) => needsPort && taskIds.includes(id));
      if (stuck.length === 0) return;
      await placement.replace(stuck.map((task) => ({ task, wish: placement.wishOf(task) })));
    }
  }

  #setNotice(message: string, reason: string, remedy?: string): void {
    this.#collaborators.model.notice = defined({ code: "OK", message, reason, remedy });
  }
}
