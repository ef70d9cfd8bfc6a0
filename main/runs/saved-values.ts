/** Restores the saved values of the variables and tables of SavedModels, once per location. */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { isVariable, stateName } from "../../worker-runtime/graph/initialisers.js";
import { TensorFlowError } from "../../worker-runtime/protocol/status.js";
import {
  type RestoreProgress,
  type RestoringSession,
  restoreSavedModel,
  SavedModelFileError,
} from "../../worker-runtime/session/saved-model/restore.js";
import { planRestore, type RestorePlan } from "../../worker-runtime/session/saved-model/restore-plan.js";
import type { RunRequest } from "../api/runs.js";
import { ProblemError } from "../api/wire.js";
import { defined, problemOf } from "../shared/problems.js";
import type { Participant } from "./participants.js";

/** The folder of an opened SavedModel; undefined if unknown. */
export type FolderOf = (sourceId: string) => string | undefined;

/** Saved values could not be read: the run may continue without them if the user wants that. */
export class SavedValuesError extends ProblemError {}

/** The destination of the values. */
export interface RestoreTarget {
  readonly session: RestoringSession;
  /** Every task of the session. */
  readonly members: readonly Pick<Participant, "name" | "incarnation">[];
  readonly onProgress: (progress: RestoreProgress) => void;
  readonly signal: AbortSignal;
}

/** The values that a document's runs have restored into the tasks. */
interface Loaded {
  /** The incarnations of the tasks at that time: a task that ended has lost its variables. */
  readonly incarnations: readonly (string | undefined)[];
  /** The first task, which has everything that is not pinned. */
  readonly first: string | undefined;
  readonly states: Set<string>;
  readonly variables: Set<string>;
  /** Tables were initialised, and the graph's own init op was run. */
  started: boolean;
}

export class SavedValues {
  readonly #folderOf: FolderOf;
  /** By the document's source. */
  readonly #loaded = new Map<string, Loaded>();
  /** Plans get names that no earlier one of the same session had. */
  #plans = 0;

  constructor(folderOf: FolderOf) {
    this.#folderOf = folderOf;
  }

  /**
   * Restores what the tasks do not have yet. Values that a run has changed since then, by training, are kept.
   *
   * @throws SavedValuesError naming the file that is missing or damaged, or why the graph cannot be restored
   */
  async restore(
    { sourceId, notes, wanted }: NonNullable<RunRequest["restore"]>,
    graph: GraphDef,
    { session, members, onProgress, signal }: RestoreTarget,
  ): Promise<void> {
    if (!wanted) {
      // If the variables get other values, the saved ones have to be restored again afterwards.
      this.forget(sourceId);
      return;
    }
    const plan = this.#plan(notes, graph);
    const loaded = this.#loadedIn(sourceId, members);
    const loads = plan.loads.filter(({ states }) => !states.every((state) => loaded.states.has(state)));
    const start = !loaded.started && (plan.tables.length > 0 || plan.start !== undefined);
    if (loads.length === 0 && !start) return;
    const missing: RestorePlan = start
      ? { ...plan, loads }
      : { ...plan, loads, tables: [], start: undefined };
    const folder = this.#folderOf(sourceId) ?? "";
    if (folder === "" && readsFiles(missing)) throw withoutFolder();
    try {
      await restoreSavedModel(session, missing, { folder, onProgress, signal });
    } catch (error) {
      throw error instanceof SavedModelFileError ? unreadable(error, folder) : error;
    }
    for (const { states, variables } of loads) {
      for (const state of states) loaded.states.add(state);
      for (const variable of variables) loaded.variables.add(variable);
    }
    // The graph's own init op may set any of its variables.
    if (start)
      for (const variable of graph.node.filter(isVariable)) loaded.variables.add(stateName(variable));
    loaded.started = true;
    this.#loaded.set(sourceId, loaded);
  }

  /** The next run restores everything again. */
  forget(sourceId: string | undefined): void {
    if (sourceId !== undefined) this.#loaded.delete(sourceId);
  }

  /** Another document's run may change variables of the same names; their documents restore them again. */
  forgetOthers(sourceId: string | undefined, graph: GraphDef): void {
    const others = [...this.#loaded].filter(([id]) => id !== sourceId);
    if (others.length === 0) return;
    const names = new Set(graph.node.filter(isVariable).map(stateName));
    for (const [id, { variables }] of others) {
      if ([...variables].some((name) => names.has(name))) this.#loaded.delete(id);
    }
  }

  #plan(notes: Uint8Array, graphDef: GraphDef): RestorePlan {
    try {
      const metaGraph = { ...MetaGraphDef.decode(notes), graphDef };
      return planRestore(metaGraph, `tensordeck_restore_${this.#plans++}/`);
    } catch (error) {
      if (!(error instanceof TensorFlowError)) throw error;
      throw new SavedValuesError({
        ...problemOf(error),
        message: "The saved values of the variables cannot be restored.",
        reason: error.message,
        remedy: "Open the SavedModel again as it was written.",
      });
    }
  }

  #loadedIn(sourceId: string, members: RestoreTarget["members"]): Loaded {
    const known = this.#loaded.get(sourceId);
    const incarnations = members.map(({ incarnation }) => incarnation);
    const first = members[0]?.name;
    const isWhole =
      known?.first === first &&
      known?.incarnations.every((incarnation) => incarnations.includes(incarnation));
    if (known && isWhole) return { ...known, incarnations };
    return { incarnations, first, states: new Set(), variables: new Set(), started: false };
  }
}

/** A graph that was made of a model has all its values in itself. */
function readsFiles({ loads, tables, start }: RestorePlan): boolean {
  return loads.length > 0 || tables.length > 0 || (start?.assets.size ?? 0) > 0;
}

function unreadable(error: SavedModelFileError, folder: string): SavedValuesError {
  return new SavedValuesError(
    defined({
      code: error.codeName,
      message: "The saved values of this SavedModel cannot be read.",
      reason: /[.!?]$/.test(error.message) ? error.message : `${error.message}.`,
      remedy: `Restore the file from where the model was saved: ${folder} must contain saved_model.pb, variables and assets together.`,
      details: error.file,
    }),
  );
}

function withoutFolder(): SavedValuesError {
  return new SavedValuesError({
    code: "FAILED_PRECONDITION",
    message: "The saved values of this SavedModel are not here.",
    reason: "They are in files next to the graph, and the browser passed only the graph.",
    remedy: "Open the SavedModel from its folder (Ctrl+O).",
  });
}
