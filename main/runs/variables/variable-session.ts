/** The session through which variables are read and assigned: one at a time, beside the sessions of runs. */

import { withSharedSignal } from "../../../worker-runtime/cancellation/shared-signal.js";
import type { Membership } from "../../api/cluster.js";
import { ProblemError } from "../../api/wire.js";
import { problem } from "../../shared/problems.js";
import { pinsOf } from "../graph-check.js";
import { type Participant, participantsOf } from "../participants.js";
import { runProblem } from "../run-problem.js";
import { type KeptSession, SessionKeeper } from "../session-keeper.js";
import { planRunSession } from "../session-plan.js";
import type { VariableGraph } from "./variable-graph.js";
import { variableHolders } from "./variable-holders.js";

/** The tasks that may hold variables. */
export interface VariableCluster {
  readonly membership: Membership;
  tasks(): readonly Participant[];
  noteVariables(taskIds: readonly string[]): void;
}

/**
 * Variables belong to the tasks, so that a session of its own sees those of runs, also during a run, and never delays
 * one. Work is done one after the other: the session is that of the graph that was asked for last.
 */
export class VariableSession {
  readonly #cluster: VariableCluster;
  readonly #keeper = new SessionKeeper();
  readonly #abort = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(cluster: VariableCluster) {
    this.#cluster = cluster;
  }

  /**
   * Works in a session with the graph.
   *
   * @throws ProblemError FAILED_PRECONDITION or UNAVAILABLE if a task is missing that the graph needs; errors of the
   *   work, in words
   */
  use<T>(
    graph: VariableGraph,
    signal: AbortSignal,
    work: (session: KeptSession, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#enqueue(graph, signal, work, false);
  }

  /** As `use`, for work that gives variables values. */
  change<T>(
    graph: VariableGraph,
    signal: AbortSignal,
    work: (session: KeptSession, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#enqueue(graph, signal, work, true);
  }

  async dispose(): Promise<void> {
    this.#abort.abort();
    await this.#last;
    await this.#keeper.dispose();
  }

  #enqueue<T>(
    graph: VariableGraph,
    signal: AbortSignal,
    work: (session: KeptSession, signal: AbortSignal) => Promise<T>,
    changes: boolean,
  ): Promise<T> {
    const ends = [signal, this.#abort.signal];
    const result = this.#last.then(() =>
      withSharedSignal(ends, (shared) => this.#do(graph, shared, work, changes)),
    );
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #do<T>(
    graph: VariableGraph,
    signal: AbortSignal,
    work: (session: KeptSession, signal: AbortSignal) => Promise<T>,
    changes: boolean,
  ): Promise<T> {
    signal.throwIfAborted();
    const tasks = [...this.#cluster.tasks()];
    const { members, master } = this.#members(graph, tasks);
    const plan = planRunSession(
      {
        membership: this.#cluster.membership,
        allTasks: tasks.filter(({ unusable }) => !unusable),
        members,
        master,
        softPlacement: true,
        logDevicePlacement: false,
        optimize: false,
      },
      () => undefined,
    );
    try {
      const { session } = await this.#keeper.obtain(plan, graph.graphDef, graph.bytes, signal);
      if (changes) this.#cluster.noteVariables(variableHolders(graph.nodes, { members, master }));
      return await work(session, signal);
    } catch (error) {
      if (signal.aborted || error instanceof ProblemError) throw error;
      // A session of a task that has ended would fail again.
      this.#keeper.discard();
      throw new ProblemError(
        runProblem(error, {
          nodes: graph.nodes,
          stepTimeoutMillis: undefined,
          taskAt: (address) => tasks.find((task) => task.address === address)?.name,
        }),
      );
    }
  }

  #members(graph: VariableGraph, tasks: readonly Participant[]) {
    const readiness = participantsOf(tasks, pinsOf(graph.nodes), true);
    if (readiness.kind === "ready") return readiness;
    throw problem("UNAVAILABLE", `${readiness.tasks.map(({ name }) => name).join(", ")} is still starting.`, {
      remedy: "Try again when it runs.",
    });
  }
}
