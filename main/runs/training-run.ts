/** Runs that train: variables get their first values, and of between-graph replication every worker has a session. */
import { parseEdge } from "../../worker-runtime/graph/edge.js";
import { workerGraph } from "../../worker-runtime/graph/training/trainable/worker-graph.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { trainBetweenGraph, type WorkerStep } from "../../worker-runtime/training/between-graph.js";
import type { TrainingPlan } from "../api/training.js";
import { problem } from "../shared/problems.js";
import type { StepFeeds } from "./feed-batches.js";
import type { CheckedGraph, Pin } from "./graph-check.js";
import type { Participant } from "./participants.js";
import type { KeptSession } from "./session-keeper.js";

/** Whether every worker runs the graph in a session of its own. */
export function isBetweenGraph(plan: TrainingPlan | undefined): plan is TrainingPlan {
  return plan !== undefined && (plan.asynchronous !== undefined || plan.synchronous !== undefined);
}

/** The workers as if the training operation were pinned to each, so that a run waits for all of them. */
export function pinsOfWorkers({ workers, train }: TrainingPlan): Pin[] {
  return workers.flatMap((name) => {
    const [job, index] = name.split("/");
    if (job === undefined || index === undefined) return [];
    const task = Number(index);
    return [{ node: train, device: name, job, task, type: undefined, index: undefined }];
  });
}

/** @throws ProblemError FAILED_PRECONDITION if nodes of the plan were removed from the graph */
export function checkPlan(plan: TrainingPlan, { nodes }: CheckedGraph): void {
  const { train, init, ready, asynchronous, synchronous } = plan;
  const names = [
    ...[train, init, ready.checks, ...ready.initializers],
    ...(asynchronous ? [asynchronous.before, asynchronous.after] : []),
    ...(synchronous
      ? [synchronous.give, synchronous.begin, ...synchronous.takes, ...synchronous.counts]
      : []),
  ];
  const gone = names.map((name) => parseEdge(name).node).find((node) => !nodes.has(node));
  if (gone === undefined) return;
  throw problem("FAILED_PRECONDITION", `The graph cannot be trained: it has no node ${gone} any more.`, {
    reason: "It was changed after it was made trainable.",
    remedy: "Make it trainable again.",
  });
}

/** Gives variables that have no value their first one; the others keep theirs. */
export async function initializeVariables(
  { ready }: TrainingPlan,
  session: Pick<KeptSession, "run">,
  signal: AbortSignal,
): Promise<void> {
  const { values } = await session.run([ready.checks], { signal });
  const targets = ready.initializers.filter((_, at) => !values[0]?.at(at));
  if (targets.length > 0) await session.run([], { targets, signal });
}

export interface WorkersTraining {
  readonly plan: TrainingPlan;
  readonly graph: CheckedGraph;
  readonly feeds: StepFeeds;
  readonly steps: number;
  /** How many of them were done before: the first has the number after. */
  readonly done: number;
  /** By worker, in the plan's order. */
  readonly workers: readonly Participant[];
  readonly signal: AbortSignal;
  /** Opens the session of a worker, with its graph. */
  open(worker: Participant, graph: CheckedGraph["graphDef"]): Promise<KeptSession>;
  /** All variables have values: the first step begins. */
  begin(): Promise<void>;
  isTraced(step: number): boolean;
  goesOn(): Promise<boolean>;
  onStep(step: WorkerStep): void;
  goesOnWithout(worker: Participant, error: unknown): Promise<boolean>;
  /** Waits for the task of a lost worker, until the training is over, and opens its new session. */
  comesBack(
    worker: Participant,
    graph: CheckedGraph["graphDef"],
    over: AbortSignal,
  ): Promise<{ readonly worker: Participant; readonly session: KeptSession } | undefined>;
}

/** Trains with one loop of steps for each worker. Their sessions are closed in the end. */
export async function trainOnWorkers(work: WorkersTraining): Promise<void> {
  const { plan, graph, feeds, signal } = work;
  /** With the incarnations that take part now. */
  const workers = [...work.workers];
  const sessions: KeptSession[] = [];
  try {
    for (const [number, worker] of workers.entries()) {
      sessions.push(await work.open(worker, workerGraph(graph.graphDef, worker, number)));
    }
    const [first] = sessions;
    if (!first) throw problem("FAILED_PRECONDITION", "No worker takes part in the training.");
    await initializeVariables(plan, first, signal);
    await work.begin();
    await trainBetweenGraph({
      ...{ plan, sessions, fetches: graph.fetches, signal, onStep: work.onStep, goesOn: work.goesOn },
      targets: graph.targets.filter((name) => name !== plan.train),
      ...{ steps: work.steps, done: work.done, isTraced: work.isTraced },
      feeds: (batch): ReadonlyMap<string, Tensor> => feeds.at(batch),
      goesOnWithout: async (at, error) => {
        const worker = workers[at];
        return worker !== undefined && work.goesOnWithout(worker, error);
      },
      comesBack: async (at, over) => {
        const lost = workers[at];
        const back = lost && (await work.comesBack(lost, workerGraph(graph.graphDef, lost, at), over));
        if (!back) return undefined;
        workers[at] = back.worker;
        sessions.push(back.session);
        return back.session;
      },
    });
  } finally {
    await Promise.all(sessions.map((session) => session.close().catch(() => undefined)));
  }
}

/** How many steps there are batches for: of synchronous training, each worker takes one in each step. */
export function stepsOfWorkers(
  { synchronous, workers }: TrainingPlan,
  wanted: number,
  feeds: StepFeeds,
): number {
  const batches = feeds.steps ?? Number.POSITIVE_INFINITY;
  return Math.min(wanted, synchronous ? Math.floor(batches / workers.length) : batches);
}
