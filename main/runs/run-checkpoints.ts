/** The checkpoints that a run saves between its steps, and the event file with its scalars in the same folder. */
import { basename, extname, join, resolve } from "node:path";
import { CheckpointList } from "../../worker-runtime/training/checkpoint-list.js";
import { KEPT_CHECKPOINTS, type RunCheckpoints, type SavedCheckpoint } from "../api/checkpoints.js";
import type { Problem } from "../api/problem.js";
import type { RunRequest } from "../api/runs.js";
import { expandHome } from "../documents/directory.js";
import { defined, errnoOf, problem, problemOf } from "../shared/problems.js";
import { scalarOf } from "../shared/scalar-series.js";
import { BestCheckpoint } from "./best-checkpoint.js";
import { described } from "./described-checkpoint.js";
import { EventLog } from "./event-log.js";
import type { KeptSession } from "./session-keeper.js";
import type { NamedTensor } from "./tensors/tensor-store.js";
import { DamagedCheckpointError, restoreCheckpoint, saveCheckpoint } from "./variables/checkpoint.js";
import { withValue } from "./variables/initialized.js";
import { type VariableGraph, variableGraph } from "./variables/variable-graph.js";
import { type VariableCluster, VariableSession } from "./variables/variable-session.js";

/** TensorFlow's name for the counter of training steps. */
const GLOBAL_STEP = "global_step";
const MILLIS_PER_MINUTE = 60_000;

export interface CheckpointCollaborators {
  readonly cluster: VariableCluster;
  /** Where those of documents without a file are kept. */
  readonly folder: string;
  readonly onChange: (checkpoints: RunCheckpoints) => void;
  /** Milliseconds on a clock that only goes on. Replaced in tests. */
  readonly now?: () => number;
}

/** A checkpoint with which a run goes on. */
export interface RestoredCheckpoint {
  /** The step that it counts. */
  readonly checkpointStep: number;
  /** The step of this run that it is of. */
  readonly runStep: number;
  /** The names of newer ones that are damaged. */
  readonly damaged: readonly string[];
}

type Request = Pick<RunRequest, "graph" | "checkpoints" | "origin" | "steps" | "training">;

/**
 * Saves what the tasks hold of the graph's variables. They are read through a session of its own, so that it makes no
 * difference in how many sessions the run trains. The next step waits until a checkpoint is complete.
 */
export class CheckpointKeeper {
  readonly #request: Request;
  readonly #collaborators: CheckpointCollaborators;
  readonly #folder: string;
  readonly #list: CheckpointList;
  #session: VariableSession | undefined;
  readonly #now: () => number;
  #graph: VariableGraph | undefined;
  /** By prefix. */
  readonly #saved = new Map<string, SavedCheckpoint>();
  /** The counter of steps before the run's first one; undefined if unknown. */
  #before: number | undefined;
  /** Which step of the run it saved, by prefix. */
  readonly #runSteps = new Map<string, number>();
  /** The step of the run that was saved last, and the newest one with its results. */
  #savedStep = 0;
  /** When one was saved last, or the run began. */
  #savedAt: number;
  #newest: { readonly step: number; readonly results: readonly NamedTensor[] } = { step: 0, results: [] };
  /** The user wants one after the current step. */
  #asked = false;
  readonly #best: BestCheckpoint | undefined;
  #saving: Promise<void> | undefined;
  #recovered = false;
  #events: EventLog | undefined;
  #problem: Problem | undefined;

  constructor(request: Request, collaborators: CheckpointCollaborators) {
    this.#request = request;
    this.#collaborators = collaborators;
    this.#folder = folderOf(request, collaborators.folder);
    this.#list = new CheckpointList(request.checkpoints?.keep ?? KEPT_CHECKPOINTS);
    const by = request.checkpoints?.best;
    this.#best = by && new BestCheckpoint(join(this.#folder, "best"), by);
    this.#now = collaborators.now ?? (() => performance.now());
    this.#savedAt = this.#now();
  }

  /** The variables have values. If the run is going to save some, tells of those that the folder has. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#savedAt = this.#now();
    if (!this.#request.checkpoints) return;
    await this.#attempt(async () => {
      await this.#recover();
      await this.#best?.recover();
      const graph = this.#variables();
      this.#before ??= await this.#use(graph, signal, (session, both) =>
        this.#globalStep(session, graph, both),
      );
      this.#events ??= await EventLog.create(this.#folder, this.#before ?? 0, this.#request.steps);
    }, signal);
    this.#tell();
  }

  /** The step of the newest one; undefined if there is none. */
  get newestStep(): number | undefined {
    const prefix = this.#list.prefixes.at(-1);
    return prefix === undefined ? undefined : this.#saved.get(prefix)?.step;
  }

  /**
   * Gives the variables the values of the newest checkpoint that is whole.
   * @throws ProblemError NOT_FOUND if there is none, DATA_LOSS if all are damaged
   */
  async restoreNewest(signal: AbortSignal): Promise<RestoredCheckpoint> {
    await this.settled();
    await this.#recover();
    const graph = this.#variables();
    const damaged: string[] = [];
    let damage: Problem | undefined;
    for (const prefix of this.#list.prefixes.toReversed()) {
      if (!(await this.#isAsSaved(prefix))) {
        damage ??= { code: "NOT_FOUND", message: "", reason: "A later run has replaced or deleted them." };
        damaged.push(basename(prefix));
        continue;
      }
      try {
        await this.#use(graph, signal, (session, both) =>
          restoreCheckpoint({
            ...{ session, variables: [...graph.variables.values()], path: prefix },
            ...{ signal: both, onProgress: () => undefined },
          }),
        );
      } catch (error) {
        if (!(error instanceof DamagedCheckpointError)) throw error;
        damage ??= error.problem;
        damaged.push(basename(prefix));
        continue;
      }
      const checkpointStep = this.#saved.get(prefix)?.step ?? 0;
      const runStep = this.#runStep(prefix, checkpointStep);
      this.#savedStep = runStep;
      this.#newest = { step: 0, results: [] };
      this.#events?.rewindTo(runStep);
      // Another run may have saved some since.
      this.#recovered = false;
      await this.#recover();
      return { checkpointStep, runStep, damaged };
    }
    if (damage) {
      throw problem("DATA_LOSS", "No checkpoint can be read.", {
        ...{ reason: damage.reason, details: damage.details },
        remedy: "Initialize the variables and run the graph again from the beginning.",
      });
    }
    throw problem("NOT_FOUND", "There is no checkpoint to go on from.", {
      reason: `${this.#folder} has none.`,
      remedy: "Run the graph again from the beginning.",
    });
  }

  /** Whether no other run has written a checkpoint of that name since. */
  async #isAsSaved(prefix: string): Promise<boolean> {
    try {
      return (await described(prefix)).savedAt === this.#saved.get(prefix)?.savedAt;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  /** Which step of this run a checkpoint is of; 0 for one of an earlier run. */
  #runStep(prefix: string, counted: number): number {
    const step = this.#before === undefined ? this.#runSteps.get(prefix) : counted - this.#before;
    return Math.min(Math.max(0, step ?? 0), this.#request.steps);
  }

  /** Saves one after the step in progress; `now`: no step is in progress. */
  ask(now: boolean, signal: AbortSignal): void {
    if (this.#saving) return;
    this.#asked = true;
    if (now) this.#begin(signal);
  }

  /** A step is over. */
  stepDone(step: number, results: readonly NamedTensor[], signal: AbortSignal): void {
    this.#newest = { step, results };
    this.#events?.add(step, results);
    if (this.#asked || this.#isDue(step)) this.#begin(signal);
  }

  /** The model was evaluated after a step, and no other is in progress. */
  async evaluated(step: number, results: readonly NamedTensor[], signal: AbortSignal): Promise<void> {
    await this.settled();
    this.#events?.addAll(step, results);
    if (!this.#request.checkpoints) return;
    await this.#attempt(() => this.#keepBest(results, signal), signal);
    this.#tell();
  }

  /** Gives the variables the values of the best checkpoint. @returns its step; undefined if it could not */
  async restoreBest(signal: AbortSignal): Promise<number | undefined> {
    const best = this.#best?.kept?.saved;
    let restored: number | undefined;
    await this.#attempt(async () => {
      if (!best) {
        throw problem("FAILED_PRECONDITION", "The best checkpoint could not be restored.", {
          reason: "None was kept.",
          remedy: "Choose by which value one is the best, where the run configuration tells of checkpoints.",
        });
      }
      const graph = this.#variables();
      await this.#use(graph, signal, async (session, both) => {
        const variables = await withValue(session, [...graph.variables.values()], both);
        const work = { session, variables, path: best.prefix, signal: both, onProgress: () => undefined };
        await restoreCheckpoint(work);
      });
      restored = best.step;
    }, signal);
    this.#tell();
    return restored;
  }

  async #keepBest(results: readonly NamedTensor[], signal: AbortSignal): Promise<void> {
    const value = this.#best?.better(results);
    if (this.#best === undefined || value === undefined) return;
    const { prefix, counted } = await this.#write(this.#best.folder, this.#newest.step, signal);
    const saved = { ...(await described(prefix)), ...{ step: counted } };
    await this.#best.keep(value, saved);
  }

  #isDue(step: number): boolean {
    const { every, minutes } = this.#request.checkpoints ?? {};
    if (every !== undefined && step % every === 0) return true;
    return minutes !== undefined && this.#now() - this.#savedAt >= minutes * MILLIS_PER_MINUTE;
  }

  /** Resolves when no checkpoint is being saved; never rejects. */
  async settled(): Promise<void> {
    while (this.#saving) await this.#saving;
  }

  /** Saves what the last step gave, unless that was done. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.settled();
    const { step } = this.#newest;
    if (this.#asked || (this.#request.checkpoints && step > this.#savedStep)) this.#begin(signal);
    await this.settled();
    if (!this.#events) return;
    try {
      await this.#events.flush();
    } catch (error) {
      this.#problem ??= problemOf(error);
    }
    this.#tell();
  }

  /** Closes what is open; a run that goes on opens it again. */
  async dispose(): Promise<void> {
    const session = this.#session;
    const events = this.#events;
    this.#session = undefined;
    this.#events = undefined;
    await session?.dispose();
    await events?.close();
  }

  #use<T>(...work: Parameters<typeof VariableSession.prototype.use<T>>): Promise<T> {
    this.#session ??= new VariableSession(this.#collaborators.cluster);
    return this.#session.use(...work);
  }

  #variables(): VariableGraph {
    this.#graph ??= variableGraph(this.#request.graph);
    return this.#graph;
  }

  /** The value of the variable with which TensorFlow counts steps; undefined if there is none, or it has no value. */
  async #globalStep(
    session: KeptSession,
    graph: VariableGraph,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const counter = graph.variables.get(this.#request.training?.globalStep ?? GLOBAL_STEP);
    const [initialized] = await withValue(session, counter ? [counter] : [], signal);
    if (!initialized) return undefined;
    const { values } = await session.run([initialized.value], { signal });
    return values[0] && Number(values[0].at(0));
  }

  #begin(signal: AbortSignal): void {
    if (this.#saving || this.#newest.step === 0) return;
    this.#asked = false;
    this.#saving = this.#attempt(() => this.#save(signal), signal).finally(() => {
      this.#saving = undefined;
      this.#tell();
    });
    this.#tell();
  }

  async #save(signal: AbortSignal): Promise<void> {
    const { step, results } = this.#newest;
    await this.#recover();
    const { prefix, counted } = await this.#write(this.#folder, step, signal);
    await this.#list.add(prefix);
    this.#savedStep = step;
    this.#runSteps.set(prefix, step);
    this.#savedAt = this.#now();
    const found = await described(prefix);
    this.#saved.set(prefix, defined({ ...found, step: counted, loss: this.#lossOf(results) }));
    await this.#keepBest(results, signal);
  }

  /** Writes the variables as they are into a folder. */
  #write(folder: string, step: number, signal: AbortSignal): Promise<{ prefix: string; counted: number }> {
    const graph = this.#variables();
    return this.#use(graph, signal, async (session, both) => {
      const variables = await withValue(session, [...graph.variables.values()], both);
      if (variables.length === 0) {
        throw problem("FAILED_PRECONDITION", "There is nothing to save.", {
          reason: "No variable of the graph has a value.",
        });
      }
      const number = (await this.#globalStep(session, graph, both)) ?? step;
      const path = join(folder, `ckpt-${number}`);
      await saveCheckpoint({ session, variables, path, signal: both, onProgress: () => undefined });
      return { prefix: path, counted: number };
    });
  }

  #lossOf(results: readonly NamedTensor[]): number | undefined {
    const loss = this.#request.training?.loss;
    for (const { name, tensor } of results) {
      const value = loss === undefined || name === loss ? scalarOf(tensor) : undefined;
      if (value !== undefined && Number.isFinite(value)) return value;
    }
    return undefined;
  }

  /** A checkpoint that cannot be saved does not end the training. */
  async #attempt(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#problem = undefined;
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) this.#problem = problemOf(error);
    }
  }

  /** Counts those that earlier runs saved. */
  async #recover(): Promise<void> {
    if (this.#recovered) return;
    await this.#list.recover(this.#folder);
    for (const prefix of this.#list.prefixes) {
      const found = await described(prefix);
      if (this.#saved.get(prefix)?.savedAt !== found.savedAt) this.#saved.set(prefix, found);
    }
    this.#recovered = true;
  }

  #tell(): void {
    const { keep = KEPT_CHECKPOINTS, every, minutes } = this.#request.checkpoints ?? {};
    const saved = [...this.#list.prefixes].reverse().flatMap((prefix) => this.#saved.get(prefix) ?? []);
    this.#collaborators.onChange(
      defined({
        ...{ folder: this.#folder, keep, every, minutes, saved, best: this.#best?.kept },
        ...{ saving: this.#saving !== undefined, problem: this.#problem },
      }),
    );
  }
}

/** "digits.checkpoints" beside "digits.meta". */
function folderOf({ checkpoints, origin }: Request, folder: string): string {
  if (checkpoints?.folder !== undefined) return resolve(expandHome(checkpoints.folder));
  const { path, document = "graph", id } = origin ?? {};
  if (path !== undefined) return `${path.slice(0, path.length - extname(path).length)}.checkpoints`;
  // Several documents may be untitled.
  const name = id === undefined ? document : `${document} ${id.slice(0, 8)}`;
  return join(folder, name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_"));
}
