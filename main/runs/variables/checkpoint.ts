/** Saves variables to a checkpoint in TensorFlow's own format, and restores them, or the weights that Keras saved. */
import { basename } from "node:path";
import { shapeLabel } from "../../../worker-runtime/graph/shape.js";
import { importWeights, WEIGHTS_ENDING } from "../../../worker-runtime/import/import-model.js";
import { matchWeights } from "../../../worker-runtime/import/keras/match-weights.js";
import type { BundleFiles } from "../../../worker-runtime/io/tensor-bundle/bundle-files.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { openCheckpointReader } from "../../../worker-runtime/io/tensor-bundle/checkpoint-reader.js";
import type { CheckpointReader } from "../../../worker-runtime/io/tensor-bundle/saved-tensors.js";
import { parseShapeAndSlice, sliceShape } from "../../../worker-runtime/io/tensor-bundle/tensor-slice.js";
import { readWholeFile } from "../../../worker-runtime/io/whole-file.js";
import { type DType, itemSize } from "../../../worker-runtime/protocol/dtype.js";
import { StatusCode, TensorFlowError } from "../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import {
  keysOfObjects,
  type SavedGraph,
  type SavedName,
  savedNames,
} from "../../../worker-runtime/training/checkpoint-names.js";
import { ProblemError } from "../../api/wire.js";
import { expandHome } from "../../documents/directory.js";
import { fileProblem, problem, problemOf } from "../../shared/problems.js";
import type { KeptSession } from "../session-keeper.js";
import type { GraphVariable } from "./variable-graph.js";

/** The bytes that are read or assigned in one step; at most this, or one value, is held at a time. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** More than the weights of any model that a graph holds. */
const MAX_WEIGHTS_FILE_BYTES = 2 ** 31;

/** Files are read and written with the rights of the account that runs the application. */
const ALL_FILES: BundleFiles = { resolve: (path) => Promise.resolve(path) };

/** Files of a checkpoint are missing or damaged: another one may do. */
export class DamagedCheckpointError extends ProblemError {}

export interface CheckpointWork {
  readonly session: KeptSession;
  readonly variables: readonly GraphVariable[];
  /** As chosen by the user: the prefix, or one of its files. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** With the part that is done, from 0 to 1. */
  readonly onProgress: (done: number) => void;
  /**
   * The graph whose Savers say under which names else the values of the variables are; left out for what was saved here,
   * which has them under the variables' own.
   */
  readonly savedBy?: SavingGraph | undefined;
  /** The names under which values of variables were saved here, where these are not the variables' own. */
  readonly savedAs?: Readonly<Record<string, string>> | undefined;
}

export interface SavingGraph extends SavedGraph {
  /** All variables of the graph, also those that are not restored now. */
  readonly variableNames: ReadonlySet<string>;
}

/**
 * The common beginning of a checkpoint's paths: "model.ckpt" for "model.ckpt.index", and for "model.ckpt-00000-of-00002" of
 * version 1.
 */
export function checkpointPrefix(path: string): string {
  return expandHome(path).replace(/\.(index|data-\d{5}-of-\d{5})$|-\d{5}-of-\d{5}$/, "");
}

/**
 * Writes the values of variables under their names, as tf.compat.v1.train.Saver does. Nothing is replaced unless all of
 * them could be read.
 *
 * @returns the bytes of the values
 */
export async function saveCheckpoint(work: CheckpointWork): Promise<number> {
  const { session, variables, signal, onProgress } = work;
  const prefix = checkpointPrefix(work.path);
  const writer = await BundleWriter.create(prefix, ALL_FILES).catch((error: unknown) => {
    throw fileFailure("The checkpoint cannot be written", prefix, error);
  });
  let bytes = 0;
  let done = 0;
  try {
    for (const batch of batchesOf(variables, declaredBytes)) {
      const { values } = await session.run(
        batch.map(({ value }) => value),
        { signal },
      );
      for (const [index, { name }] of batch.entries()) {
        const tensor = values[index];
        if (!tensor) continue;
        signal.throwIfAborted();
        await writer.add(name, tensor);
        bytes += tensor.byteLength;
      }
      done += batch.length;
      onProgress(done / variables.length);
    }
    signal.throwIfAborted();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  await writer.finish().catch((error: unknown) => {
    throw fileFailure("The checkpoint cannot be written", prefix, error);
  });
  return bytes;
}

/** A value that a file has for a variable. */
interface SavedValue {
  readonly dtype: DType;
  readonly shape: readonly number[];
  read(): Promise<Tensor>;
}

/** A file with values of variables. */
interface ValueFile {
  names(): readonly string[];
  valueOf(variable: GraphVariable): SavedValue | undefined;
  close(): Promise<void>;
}

export interface Restored {
  /** Variables that the file does not have. */
  readonly missing: readonly string[];
  /** Layers of a file of Keras that suit no variables. */
  readonly unused: readonly string[];
}

/**
 * Assigns the values that the checkpoint has of the variables. All of them are compared with the variables before the first
 * is assigned.
 *
 * A file of weights that Keras saved has them by layer.
 *
 * @throws ProblemError NOT_FOUND if it has none of them; INVALID_ARGUMENT naming a variable whose value does not fit
 */
export async function restoreCheckpoint(work: CheckpointWork): Promise<Restored> {
  const { session, variables, signal, onProgress } = work;
  const prefix = checkpointPrefix(work.path);
  const { file, unused } = await openValues(work, prefix).catch((error: unknown) => {
    throw readFailure(prefix, error);
  });
  try {
    const found = variables.flatMap((variable) => {
      const value = valueIn(file, variable, prefix);
      return value ? [{ variable, value }] : [];
    });
    if (found.length === 0) throw nothingFits(prefix, variables, file.names());
    for (const { variable, value } of found) checkFit(variable, value);
    let done = 0;
    for (const batch of batchesOf(found, ({ value }) => bytesOf(value))) {
      const feeds = new Map<string, Tensor>();
      for (const { variable, value } of batch) {
        signal.throwIfAborted();
        const tensor = await value.read().catch((error: unknown) => {
          throw readFailure(prefix, error);
        });
        feeds.set(variable.fed, tensor);
      }
      const targets = batch.map(({ variable }) => variable.assign);
      await session.run([], { feeds, targets, signal });
      done += batch.length;
      onProgress(done / found.length);
    }
    const assigned = new Set(found.map(({ variable }) => variable.name));
    return { missing: variables.map(({ name }) => name).filter((name) => !assigned.has(name)), unused };
  } finally {
    await file.close();
  }
}

function valueIn(file: ValueFile, variable: GraphVariable, prefix: string): SavedValue | undefined {
  try {
    return file.valueOf(variable);
  } catch (error) {
    throw readFailure(prefix, error);
  }
}

async function openValues(
  { variables, signal, savedBy, savedAs }: CheckpointWork,
  path: string,
): Promise<{ readonly file: ValueFile; readonly unused: readonly string[] }> {
  if (!WEIGHTS_ENDING.test(path))
    return { file: await openCheckpoint(path, { savedBy, savedAs }), unused: [] };
  const layers = await importWeights(await readWeightsFile(path, signal), basename(path), { signal });
  const { values, unused } = matchWeights(variables, layers);
  const file: ValueFile = {
    names: () => [...values.keys()],
    valueOf: ({ name }) => {
      const tensor = values.get(name);
      return tensor && { dtype: tensor.dtype, shape: tensor.shape, read: async () => tensor };
    },
    close: async () => undefined,
  };
  return { file, unused };
}

async function openCheckpoint(
  prefix: string,
  { savedBy, savedAs }: Pick<CheckpointWork, "savedBy" | "savedAs">,
): Promise<ValueFile> {
  const reader = await openCheckpointReader(prefix, ALL_FILES);
  try {
    const saved = new Set(reader.names());
    const namesOf = savedBy && (await keysIn(reader, savedBy));
    const known = new Map(Object.entries(savedAs ?? {}));
    return {
      names: () => [...saved],
      valueOf: ({ name }) => {
        const keys = namesOf?.(name) ?? [{ key: known.get(name) ?? name, slice: "" }];
        const found = keys.find(({ key }) => saved.has(key));
        return found && valueAt(reader, found);
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** The keys that may have each variable's value, the likeliest first. */
async function keysIn(
  reader: CheckpointReader,
  { graphDef, saverDef, variableNames }: SavingGraph,
): Promise<(variable: string) => readonly SavedName[]> {
  const ofSavers = savedNames(graphDef, saverDef?.restoreOpName);
  const ofObjects = await keysOfObjects(reader);
  return (name) => {
    const object = ofObjects.get(name);
    const keys = [...ofSavers(name), ...(object === undefined ? [] : [{ key: object, slice: "" }])];
    // A Saver that restores moving averages reads the value of another variable, if the file has both.
    const isOfAnother = ({ key }: SavedName) => key !== name && variableNames.has(key);
    return [...keys.filter((one) => !isOfAnother(one)), ...keys.filter(isOfAnother)];
  };
}

function valueAt(reader: CheckpointReader, { key, slice: text }: SavedName): SavedValue {
  const { dtype, shape } = reader.info(key);
  const part = text === "" ? undefined : parseShapeAndSlice(text);
  // Part of a tensor of another shape is not the variable's; what the file has says so.
  const fits = part && shapeLabel(part.fullShape) === shapeLabel(shape);
  return {
    dtype,
    shape: fits ? sliceShape(shape, part.slice) : shape,
    read: () => reader.read(key, part?.slice),
  };
}

async function readWeightsFile(path: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await readWholeFile(path, { maxBytes: MAX_WEIGHTS_FILE_BYTES, signal });
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw fileProblem(`${path} cannot be read`, error);
    if (error.code !== StatusCode.RESOURCE_EXHAUSTED) throw error;
    throw problem("RESOURCE_EXHAUSTED", `${basename(path)} is too large to be read.`, {
      reason: "It has more than 2 GiB, which includes the optimizer's state.",
      remedy: "Save the weights alone: model.save_weights(file).",
    });
  }
}

function checkFit({ name, dtype, shape }: GraphVariable, saved: SavedValue): void {
  const fits =
    saved.dtype === dtype &&
    (shape === undefined ||
      (shape.length === saved.shape.length &&
        shape.every((size, axis) => size < 0 || size === saved.shape[axis])));
  if (fits) return;
  throw problem("INVALID_ARGUMENT", `The checkpoint's value for ${name} does not fit.`, {
    reason: `It is ${saved.dtype} ${shapeLabel(saved.shape)}; ${name} is ${dtype} ${shapeLabel(shape)}.`,
    remedy: "Choose a checkpoint of this graph. No variable was changed.",
    node: name,
  });
}

function nothingFits(prefix: string, variables: readonly GraphVariable[], saved: readonly string[]) {
  const some = (names: readonly string[]) =>
    `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
  return problem("NOT_FOUND", "The checkpoint has none of these variables.", {
    reason: `It has ${saved.length === 0 ? "no values" : some(saved)}; wanted are ${some(variables.map(({ name }) => name))}.`,
    remedy: "Choose a checkpoint that was saved from this graph.",
    details: prefix,
  });
}

function fileFailure(what: string, prefix: string, error: unknown): unknown {
  if (!(error instanceof TensorFlowError)) return error;
  const { code, message, details } = problemOf(error);
  return problem(code, `${what}.`, {
    reason: message,
    remedy: "Check the path.",
    details: details ?? prefix,
  });
}

function readFailure(prefix: string, error: unknown): unknown {
  const failure = fileFailure("The checkpoint cannot be read", prefix, error);
  // A missing file of elements is damage, too: the index was there.
  const isDamage =
    failure instanceof ProblemError &&
    ["DATA_LOSS", "NOT_FOUND", "OUT_OF_RANGE"].includes(failure.problem.code);
  return isDamage ? new DamagedCheckpointError(failure.problem) : failure;
}

const bytesOf = ({ dtype, shape }: { readonly dtype: DType; readonly shape: readonly number[] }): number =>
  shape.reduce((product, size) => product * Math.max(size, 1), itemSize(dtype) || 1);

/** From what is declared; a dimension of unknown size counts as one. */
export function declaredBytes({ dtype, shape = [] }: GraphVariable): number {
  return bytesOf({ dtype, shape });
}

/** Groups of at most BATCH_BYTES, or of one. */
function batchesOf<T>(variables: readonly T[], sizeOf: (variable: T) => number): T[][] {
  const batches: T[][] = [];
  let bytes = Infinity;
  for (const variable of variables) {
    const size = sizeOf(variable);
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(variable);
    bytes += size;
  }
  return batches;
}
