/** Saves variables to a checkpoint in TensorFlow's own format, and restores them, or the weights that Keras saved. */
import { basename } from "node:path";
import { shapeLabel } from "../../../worker-runtime/graph/shape.js";
import { importWeights, WEIGHTS_ENDING } from "../../../worker-runtime/import/import-model.js";
import { matchWeights } from "../../../worker-runtime/import/keras/match-weights.js";
import type { BundleFiles } from "../../../worker-runtime/io/tensor-bundle/bundle-files.js";
import { BundleReader } from "../../../worker-runtime/io/tensor-bundle/bundle-reader.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { readWholeFile } from "../../../worker-runtime/io/whole-file.js";
import { type DType, itemSize } from "../../../worker-runtime/protocol/dtype.js";
import { StatusCode, TensorFlowError } from "../../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { ProblemError } from "../../api/wire.js";
import { expandHome } from "../../documents/directory.js";
import { fileProblem, problem, problemOf } from "../../shared/problems.js";
import type { KeptSession } from "../session-keeper.js";
import type { GraphVariable } from "./variable-graph.js";

/** What is read or assigned in one step; at most this, or one value, is held at a time. */
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
}

/** The common beginning of a checkpoint's paths: "model.ckpt" for "model.ckpt.index". */
export function checkpointPrefix(path: string): string {
  return expandHome(path).replace(/\.(index|data-\d{5}-of-\d{5})$/, "");
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

/** Values by the names of variables. */
interface ValueReader {
  names(): readonly string[];
  info(name: string): { readonly dtype: DType; readonly shape: readonly number[] };
  read(name: string): Promise<Tensor>;
  close(): Promise<void>;
}

export interface Restored {
  /** Variables that the file does not have. */
  readonly missing: readonly string[];
  /** Layers of a file of Keras that suit no variables. */
  readonly unused: readonly string[];
}

/**
 * Assigns the values that the checkpoint has under the variables' names. All of them are compared with the variables
 * before the first is assigned.
 *
 * A file of weights that Keras saved has them by layer.
 *
 * @throws ProblemError NOT_FOUND if it has none of them; INVALID_ARGUMENT naming a variable whose value does not fit
 */
export async function restoreCheckpoint(work: CheckpointWork): Promise<Restored> {
  const { session, variables, signal, onProgress } = work;
  const prefix = checkpointPrefix(work.path);
  const { reader, unused } = await openValues(work, prefix).catch((error: unknown) => {
    throw readFailure(prefix, error);
  });
  try {
    const saved = new Set(reader.names());
    const found = variables.filter(({ name }) => saved.has(name));
    if (found.length === 0) throw nothingFits(prefix, variables, reader.names());
    for (const variable of found) checkFit(variable, reader);
    let done = 0;
    for (const batch of batchesOf(found, ({ name }) => bytesOf(reader.info(name)))) {
      const feeds = new Map<string, Tensor>();
      for (const { name, fed } of batch) {
        signal.throwIfAborted();
        const value = await reader.read(name).catch((error: unknown) => {
          throw readFailure(prefix, error);
        });
        feeds.set(fed, value);
      }
      await session.run([], { feeds, targets: batch.map(({ assign }) => assign), signal });
      done += batch.length;
      onProgress(done / found.length);
    }
    return { missing: variables.filter(({ name }) => !saved.has(name)).map(({ name }) => name), unused };
  } finally {
    await reader.close();
  }
}

async function openValues(
  { variables, signal }: CheckpointWork,
  path: string,
): Promise<{ readonly reader: ValueReader; readonly unused: readonly string[] }> {
  if (!WEIGHTS_ENDING.test(path)) return { reader: await BundleReader.open(path, ALL_FILES), unused: [] };
  const layers = await importWeights(await readWeightsFile(path, signal), basename(path), { signal });
  const { values, unused } = matchWeights(variables, layers);
  const valueFor = (name: string): Tensor => {
    const value = values.get(name);
    if (value) return value;
    throw problem("NOT_FOUND", `${basename(path)} has no value for ${name}.`);
  };
  const reader: ValueReader = {
    names: () => [...values.keys()],
    info: valueFor,
    read: async (name) => valueFor(name),
    close: async () => undefined,
  };
  return { reader, unused };
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

function checkFit({ name, dtype, shape }: GraphVariable, reader: ValueReader): void {
  const saved = reader.info(name);
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
function batchesOf(
  variables: readonly GraphVariable[],
  sizeOf: (variable: GraphVariable) => number,
): GraphVariable[][] {
  const batches: GraphVariable[][] = [];
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
