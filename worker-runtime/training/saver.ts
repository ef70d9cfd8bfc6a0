import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Graph } from "../graph/graph.js";
import { globalVariables } from "../graph/ops/state.js";
import type { Variable } from "../graph/variable.js";
import { type BundleFiles, temporaryPath } from "../io/tensor-bundle/bundle-files.js";
import { BundleWriter } from "../io/tensor-bundle/bundle-writer.js";
import { openCheckpointReader } from "../io/tensor-bundle/checkpoint-reader.js";
import { mergeBundles } from "../io/tensor-bundle/merge-bundles.js";
import type { CheckpointReader } from "../io/tensor-bundle/saved-tensors.js";
import { shapeText } from "../protocol/shape.js";
import { invalidArgument, notFound, StatusCode, TensorFlowError } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { WorkerSession } from "./between-graph.js";
import { CheckpointList } from "./checkpoint-list.js";
import { existingCheckpoints } from "./checkpoint-state.js";

/** Files are read and written with the rights of this process. */
const ALL_FILES: BundleFiles = { resolve: (path) => Promise.resolve(path) };

export interface SaverOptions {
  /** How many checkpoints stay; older ones are deleted. Defaults to 5; 0 keeps all. */
  readonly maxToKeep?: number | undefined;
  /** A data file for each device that variables are pinned to, written at the same time. Defaults to false. */
  readonly sharded?: boolean | undefined;
}

export interface SaveOptions {
  /** Appended to the prefix: "model.ckpt-100". */
  readonly globalStep?: number | bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Saves variables and restores them, as tf.compat.v1.train.Saver, in its format. Unlike there, this process writes the
 * files, not the servers, so that a checkpoint is in one place and the servers need no rights to files. Wherever it is
 * killed, the folder's list names a complete checkpoint.
 */
export class Saver {
  readonly #variables: ReadonlyMap<string, Variable>;
  readonly #options: SaverOptions;
  /** The checkpoints that this saver has written or found. */
  readonly #written: CheckpointList;

  /**
   * @param variables a graph's global variables, or some; with names other than their own, by those names
   * @throws TensorFlowError INVALID_ARGUMENT if there are none
   */
  constructor(
    variables: Graph | readonly Variable[] | Readonly<Record<string, Variable>>,
    options: SaverOptions = {},
  ) {
    this.#variables = byName(variables);
    this.#options = options;
    this.#written = new CheckpointList(options.maxToKeep ?? 5);
    if (this.#variables.size === 0) throw invalidArgument("There are no variables to save.");
  }

  /** The prefixes of the checkpoints that it keeps, the oldest first. */
  get lastCheckpoints(): readonly string[] {
    return this.#written.prefixes;
  }

  /** Goes on with the checkpoints that a folder already lists: they count for `maxToKeep`. */
  async recoverLastCheckpoints(folder: string): Promise<void> {
    await this.#written.recover(folder);
  }

  /**
   * Saves the variables' values, all of one moment.
   * @returns the prefix of the checkpoint's files
   */
  async save(session: WorkerSession, prefix: string, options: SaveOptions = {}): Promise<string> {
    const { globalStep, signal } = options;
    const path = resolve(globalStep === undefined ? prefix : `${prefix}-${globalStep}`);
    const variables = [...this.#variables];
    const { values } = await session.run(
      variables.map(([, one]) => one.value),
      { signal },
    );
    const entries = variables.flatMap(([name, one], i): Entry[] => {
      const tensor = values[i];
      return tensor ? [{ name, tensor, device: one.device }] : [];
    });
    await (this.#options.sharded ? writeShards(path, entries) : writeBundle(path, entries));
    await this.#written.add(path);
    return path;
  }

  /**
   * Gives the variables the values of a checkpoint.
   * @throws TensorFlowError NOT_FOUND for a missing checkpoint or variable, DATA_LOSS for a damaged one, INVALID_ARGUMENT
   *   for a value of another shape or dtype. Then no variable was changed.
   */
  async restore(session: WorkerSession, prefix: string, signal?: AbortSignal): Promise<void> {
    const reader = await openCheckpointReader(resolve(prefix), ALL_FILES);
    const values: [Variable, Tensor][] = [];
    try {
      for (const [name, one] of this.#variables)
        values.push([one, await savedValue(reader, name, one, prefix)]);
    } finally {
      await reader.close();
    }
    // A value is assigned by feeding it as the initial value; variables that share theirs take turns.
    for (let left = values; left.length > 0; ) {
      const feeds = new Map<string, Tensor>();
      const now = left.filter(([{ initialValue }, tensor]) => {
        if (feeds.has(initialValue.name)) return false;
        feeds.set(initialValue.name, tensor);
        return true;
      });
      await session.run([], { feeds, targets: now.map(([one]) => one.initializer), signal });
      left = left.filter((entry) => !now.includes(entry));
    }
  }

  /**
   * Restores the newest checkpoint of a folder that is not damaged.
   * @returns its prefix; undefined if the folder has none
   * @throws TensorFlowError DATA_LOSS if all of them are damaged
   */
  async restoreLatest(
    session: WorkerSession,
    folder: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    let damage: unknown;
    for (const prefix of await existingCheckpoints(resolve(folder))) {
      try {
        await this.restore(session, prefix, signal);
        return prefix;
      } catch (error) {
        if (!isDamage(error)) throw error;
        damage ??= error;
      }
    }
    if (damage !== undefined) throw damage;
    return undefined;
  }
}

interface Entry {
  readonly name: string;
  readonly tensor: Tensor;
  readonly device: string;
}

function byName(
  variables: Graph | readonly Variable[] | Readonly<Record<string, Variable>>,
): ReadonlyMap<string, Variable> {
  if ("operations" in variables) return byName(globalVariables(variables as Graph));
  if (Array.isArray(variables)) {
    return new Map((variables as readonly Variable[]).map((one) => [one.name, one]));
  }
  return new Map(Object.entries(variables as Readonly<Record<string, Variable>>));
}

function isDamage(error: unknown): boolean {
  const code = error instanceof TensorFlowError ? error.code : undefined;
  // A missing file of elements is damage, too: the index was there.
  return code === StatusCode.DATA_LOSS || code === StatusCode.NOT_FOUND || code === StatusCode.OUT_OF_RANGE;
}

async function savedValue(
  reader: CheckpointReader,
  name: string,
  one: Variable,
  prefix: string,
): Promise<Tensor> {
  if (!reader.names().includes(name)) {
    throw notFound(`Key ${name} not found in checkpoint ${prefix}, which has ${reader.names().join(", ")}.`);
  }
  const { dtype, shape } = reader.info(name);
  const fits =
    !one.shape ||
    (one.shape.length === shape.length && one.shape.every((size, i) => size < 0 || size === shape[i]));
  if (dtype !== one.dtype || !fits) {
    throw invalidArgument(
      `The checkpoint ${prefix} has ${name} as ${dtype} ${shapeText(shape)}, but the variable is ${one.dtype}` +
        `${one.shape ? ` ${shapeText(one.shape)}` : ""}.`,
    );
  }
  return reader.read(name);
}

async function writeBundle(path: string, entries: readonly Entry[]): Promise<void> {
  const writer = await BundleWriter.create(path, ALL_FILES);
  try {
    for (const { name, tensor } of entries) await writer.add(name, tensor);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  await writer.finish();
}

async function writeShards(path: string, entries: readonly Entry[]): Promise<void> {
  const byDevice = new Map<string, Entry[]>();
  for (const entry of entries) byDevice.set(entry.device, [...(byDevice.get(entry.device) ?? []), entry]);
  const folder = temporaryPath(`${path}_parts`);
  const shards = [...byDevice.values()].map((shard, i) => ({ shard, part: join(folder, `part-${i}`) }));
  try {
    await Promise.all(shards.map(({ shard, part }) => writeBundle(part, shard)));
    const parts = shards.map(({ part }) => part);
    await mergeBundles(parts, path, ALL_FILES, { deleteOldFolders: true, allowMissing: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
