/** The checkpoints that a run saves between its steps, and the event file with its scalars in the same folder. */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { indexPath } from "../../worker-runtime/io/tensor-bundle/bundle-files.js";
import { CheckpointList } from "../../worker-runtime/training/checkpoint-list.js";
import { KEPT_CHECKPOINTS, type RunCheckpoints, type SavedCheckpoint } from "../api/checkpoints.js";
import type { Problem } from "../api/problem.js";
import type { RunRequest } from "../api/runs.js";
import { expandHome } from "../documents/directory.js";
import { defined, problem, problemOf } from "../shared/problems.js";
import { scalarOf } from "../shared/scalar-series.js";
import { EventLog } from "./event-log.js";
import type { KeptSession } from "./session-keeper.js";
import type { NamedTensor } from "./tensors/tensor-store.js";
import { saveCheckpoint } from "./variables/checkpoint.js";
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
  readonly #session: VariableSession;
  readonly #now: () => number;
  #graph: VariableGraph | undefined;
  /** By prefix. */
  readonly #saved = new Map<string, SavedCheckpoint>();
  /** The step of the run that was saved last, and the newest one with its results. */
  #savedStep = 0;
  /** When one was saved last, or the run began. */
  #savedAt: number;
  #newest: { readonly step: number; readonly results: readonly NamedTensor[] } = { step: 0, results: [] };
  /** The user wants one after the current step. */
  #asked = false;
  #saving: Promise<void> | undefined;
  #recovered = false;
  #events: EventLog | undefined;
  #problem: Problem | undefined;

  constructor(request: Request, collaborators: CheckpointCollaborators) {
    this.#request = request;
    this.#collaborators = collaborators;
    this.#folder = folderOf(request, collaborators.folder);
    this.#list = new CheckpointList(request.checkpoints?.keep ?? KEPT_CHECKPOINTS);
    this.#session = new VariableSession(collaborators.cluster);
    this.#now = collaborators.now ?? (() => performance.now());
    this.#savedAt = this.#now();
  }

  /** The variables have values. If the run is going to save some, tells of those that the folder has. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#savedAt = this.#now();
    if (!this.#request.checkpoints) return;
    await this.#attempt(async () => {
      await this.#recover();
      const graph = this.#variables();
      const before = await this.#session.use(graph, signal, (session, both) =>
        this.#globalStep(session, graph, both),
      );
      this.#events = await EventLog.create(this.#folder, before ?? 0, this.#request.steps);
    }, signal);
    this.#tell();
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

  async dispose(): Promise<void> {
    await this.#session.dispose();
    await this.#events?.close();
  }

  #variables(): VariableGraph {
    this.#graph ??= variableGraph(this.#request.graph);
    return this.#graph;
  }

  /** What the variable counts that TensorFlow counts steps with; undefined if there is none, or it has no value. */
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
    const graph = this.#variables();
    const { prefix, counted } = await this.#session.use(graph, signal, async (session, both) => {
      const variables = await withValue(session, [...graph.variables.values()], both);
      if (variables.length === 0) {
        throw problem("FAILED_PRECONDITION", "There is nothing to save.", {
          reason: "No variable of the graph has a value.",
        });
      }
      const number = (await this.#globalStep(session, graph, both)) ?? step;
      const path = join(this.#folder, `ckpt-${number}`);
      await saveCheckpoint({ session, variables, path, signal: both, onProgress: () => undefined });
      return { prefix: path, counted: number };
    });
    await this.#list.add(prefix);
    this.#savedStep = step;
    this.#savedAt = this.#now();
    const found = await described(prefix);
    this.#saved.set(prefix, defined({ ...found, step: counted, loss: this.#lossOf(results) }));
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
    for (const prefix of this.#list.prefixes) this.#saved.set(prefix, await described(prefix));
    this.#recovered = true;
  }

  #tell(): void {
    const { keep = KEPT_CHECKPOINTS, every, minutes } = this.#request.checkpoints ?? {};
    const saved = [...this.#list.prefixes].reverse().flatMap((prefix) => this.#saved.get(prefix) ?? []);
    this.#collaborators.onChange(
      defined({
        ...{ folder: this.#folder, keep, every, minutes, saved },
        ...{ saving: this.#saving !== undefined, problem: this.#problem },
      }),
    );
  }
}

/** "digits.checkpoints" beside "digits.meta". */
function folderOf({ checkpoints, origin }: Request, folder: string): string {
  if (checkpoints?.folder !== undefined) return resolve(expandHome(checkpoints.folder));
  const { path, document = "graph" } = origin ?? {};
  if (path !== undefined) return `${path.slice(0, path.length - extname(path).length)}.checkpoints`;
  return join(folder, document.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_"));
}

/** What its files tell of a checkpoint. */
async function described(prefix: string): Promise<SavedCheckpoint> {
  const { mtimeMs } = await stat(indexPath(prefix));
  const folder = dirname(prefix);
  const data = (await readdir(folder)).filter((file) => file.startsWith(`${basename(prefix)}.data-`));
  const sizes = await Promise.all(data.map(async (file) => (await stat(join(folder, file))).size));
  const byteLength = sizes.reduce((sum, size) => sum + size, 0);
  const step = Number(/-(\d+)$/.exec(basename(prefix))?.[1] ?? 0);
  return { prefix, step, savedAt: mtimeMs, byteLength };
}
