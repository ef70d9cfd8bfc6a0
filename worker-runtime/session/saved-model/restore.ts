/** Restores the values of a SavedModel from the files next to its graph into the tasks of a session. */
import path from "node:path";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { tableFromText } from "../../engines/portable/kernels/state/tables/text-file.js";
import { atPauses } from "../../engines/portable/kernels/support/turns.js";
import { fileError } from "../../io/file-errors.js";
import type { BundleFiles } from "../../io/tensor-bundle/bundle-files.js";
import { BundleReader } from "../../io/tensor-bundle/bundle-reader.js";
import { parseShapeAndSlice } from "../../io/tensor-bundle/tensor-slice.js";
import { readWholeFile } from "../../io/whole-file.js";
import { itemSize } from "../../protocol/dtype.js";
import { asTensorFlowError, invalidArgument, TensorFlowError } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Session } from "../session.js";
import type { CheckpointLoad, CheckpointValue, RestorePlan } from "./restore-plan.js";
import type { TableLoad } from "./start-plan.js";

/** The part of a session that restoring needs. */
export type RestoringSession = Pick<Session, "run" | "extend">;

export interface RestoreOptions {
  /** The SavedModel's folder, which contains "variables" and "assets". */
  readonly folder: string;
  /** Called before each step with the number of restored values, the total, and their bytes. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RestoreProgress {
  readonly done: number;
  readonly count: number;
  readonly bytesDone: number;
  readonly bytes: number;
}

/** "Restoring variables: 12 of 53, 34 of 120 MB". */
export function restoreText({ done, count, bytesDone, bytes }: RestoreProgress): string {
  const megabytes = (value: number) => Math.round(value / 1e6).toLocaleString("en");
  const size = bytes < 1e6 ? "" : `, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB`;
  return `Restoring variables: ${done} of ${count}${size}`;
}

/** The maximum size of the values in one step. At most this, or one value, is held at a time. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** A file of a SavedModel that is missing or damaged. */
export class SavedModelFileError extends TensorFlowError {
  /** The file or a prefix of its name. */
  readonly file: string;

  constructor(what: string, file: string, cause: unknown) {
    const error = asTensorFlowError(cause);
    super(error.code, `${what}: ${error.message}`, { cause });
    this.file = file;
  }
}

/** Unrestricted file access: files are read with the rights of the account that opened the SavedModel. */
const ALL_FILES: BundleFiles = { resolve: (file) => Promise.resolve(file) };

/** The path prefix of the files with the variables' values. */
export function variablesPrefix(folder: string): string {
  return path.join(folder, "variables", "variables");
}

/**
 * Adds the plan's nodes to the session and runs them with the values from the files.
 * @throws SavedModelFileError naming the file that is missing or damaged; errors of the session
 */
export async function restoreSavedModel(
  session: RestoringSession,
  plan: RestorePlan,
  options: RestoreOptions,
): Promise<void> {
  const { folder, signal } = options;
  const reader = plan.loads.length > 0 ? await openVariables(folder) : undefined;
  try {
    const batches = reader ? batchesOf(plan.loads, reader, folder) : [];
    if (plan.nodes.length > 0) {
      await session.extend(GraphDef.fromPartial({ node: [...plan.nodes] }), signal);
    }
    const progress = { done: 0, count: plan.loads.length, bytesDone: 0, bytes: bytesOf(batches) };
    for (const { loads, bytes } of batches) {
      options.onProgress?.({ ...progress });
      const feeds = new Map<string, Tensor>();
      for (const value of loads.flatMap(({ values }) => values)) {
        signal?.throwIfAborted();
        if (reader) feeds.set(value.feed, await readValue(reader, value, folder));
      }
      await session.run([], { feeds, targets: loads.flatMap(({ targets }) => targets), signal });
      progress.done += loads.length;
      progress.bytesDone += bytes;
    }
    options.onProgress?.({ ...progress });
  } finally {
    await reader?.close();
  }
  for (const table of plan.tables) {
    const [keys, values] = await readTable(table, folder, signal);
    const feeds = new Map([
      [table.keys, keys],
      [table.values, values],
    ]);
    await session.run([], { feeds, targets: [table.target], signal });
  }
  if (plan.start) {
    const feeds = new Map(
      [...plan.start.assets].map(([tensor, file]) => [tensor, Tensor.of(assetPath(folder, file), "string")]),
    );
    await session.run([], { feeds, targets: [plan.start.target], signal });
  }
}

function assetPath(folder: string, file: string): string {
  return path.join(folder, "assets", file);
}

async function openVariables(folder: string): Promise<BundleReader> {
  const prefix = variablesPrefix(folder);
  try {
    return await BundleReader.open(prefix, ALL_FILES);
  } catch (error) {
    throw new SavedModelFileError("The values of the variables cannot be read", `${prefix}.index`, error);
  }
}

interface Batch {
  readonly loads: CheckpointLoad[];
  bytes: number;
}

/** Groups loads. Looks up every value, so a missing one is found before anything is changed. */
function batchesOf(loads: readonly CheckpointLoad[], reader: BundleReader, folder: string): Batch[] {
  const batches: Batch[] = [];
  for (const load of loads) {
    const bytes = load.values.reduce((sum, value) => sum + sizeOf(reader, value, folder), 0);
    const last = batches.at(-1);
    if (last && last.bytes + bytes <= BATCH_BYTES) {
      last.loads.push(load);
      last.bytes += bytes;
    } else {
      batches.push({ loads: [load], bytes });
    }
  }
  return batches;
}

function bytesOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { bytes }) => sum + bytes, 0);
}

function sizeOf(reader: BundleReader, { key, dtype }: CheckpointValue, folder: string): number {
  try {
    const info = reader.info(key);
    if (info.dtype !== dtype) {
      throw invalidArgument(`it is a ${info.dtype}, but the graph takes a ${dtype}`);
    }
    return info.shape.reduce((product, size) => product * size, 1) * itemSize(dtype);
  } catch (error) {
    throw valueError(key, folder, error);
  }
}

async function readValue(
  reader: BundleReader,
  { key, slice }: CheckpointValue,
  folder: string,
): Promise<Tensor> {
  try {
    return await reader.read(key, slice === "" ? undefined : parseShapeAndSlice(slice).slice);
  } catch (error) {
    throw valueError(key, folder, error);
  }
}

function valueError(key: string, folder: string, error: unknown): SavedModelFileError {
  const prefix = variablesPrefix(folder);
  return new SavedModelFileError(`The value of "${key}" cannot be read from ${prefix}.*`, prefix, error);
}

async function readTable(
  table: TableLoad,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly [Tensor, Tensor]> {
  const file = assetPath(folder, table.asset);
  try {
    const text = await readWholeFile(file, { signal });
    return await atPauses(tableFromText(text, { ...table, path: file }, table), signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new SavedModelFileError("The entries of a table cannot be read", file, fileError(error, file));
  }
}
