import { mkdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { BundleEntryProto } from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { invalidArgument, StatusCode, TensorFlowError } from "../../protocol/status.js";
import { fileError } from "../file-errors.js";
import { type BundleFiles, dataPath, indexPath } from "./bundle-files.js";
import { type BundleIndex, parseIndex } from "./bundle-index.js";
import { publishBundle } from "./publish-bundle.js";

export interface MergeOptions {
  /** Removes the folders of the merged checkpoints if they are then empty. */
  readonly deleteOldFolders: boolean;
  /** Ignores missing checkpoints; at least one must exist. */
  readonly allowMissing: boolean;
}

/**
 * Merges several checkpoints: the last step of a sharded save. Data files are renamed, not copied.
 * @param prefixes the checkpoints to merge, which no longer exist afterwards.
 * @throws TensorFlowError INVALID_ARGUMENT for a tensor in two of them, and for a missing checkpoint.
 */
export async function mergeBundles(
  prefixes: readonly string[],
  destination: string,
  files: BundleFiles,
  { deleteOldFolders, allowMissing }: MergeOptions,
): Promise<void> {
  const indexes: (BundleIndex & { readonly prefix: string })[] = [];
  for (const prefix of prefixes) {
    const index = await readIndex(prefix, files, allowMissing);
    if (index !== undefined) {
      indexes.push({ ...index, prefix });
    }
  }
  if (indexes.length === 0) {
    throw invalidArgument(`None of the checkpoints to merge exists: ${destination}.`);
  }
  const { entries, shards } = mergedEntries(indexes);

  const mergedIndex = await files.resolve(indexPath(destination), "write");
  // Renaming a file requires write access to its old path.
  const parts = await Promise.all(shards.map((path) => files.resolve(path, "write")));
  try {
    await mkdir(dirname(mergedIndex), { recursive: true });
    await publishBundle(destination, files, { shards: parts, entries });
  } catch (error) {
    throw fileError(error, destination);
  }
  await removeOld(prefixes, destination, files, deleteOldFolders);
}

async function readIndex(
  prefix: string,
  files: BundleFiles,
  allowMissing: boolean,
): Promise<BundleIndex | undefined> {
  const path = indexPath(prefix);
  try {
    return parseIndex(await readFile(await files.resolve(path, "read")), path);
  } catch (error) {
    const failure = fileError(error, path);
    if (failure.code !== StatusCode.NOT_FOUND) {
      throw failure;
    }
    if (!allowMissing) {
      throw invalidArgument(`allow_missing_files was set to false and ${prefix} did not exist.`, {
        cause: failure,
      });
    }
    return undefined;
  }
}

/** All entries with their shard numbers in the merged checkpoint, and the current paths of the shards. */
function mergedEntries(indexes: readonly (BundleIndex & { readonly prefix: string })[]) {
  const entries = new Map<string, BundleEntryProto>();
  const shardNumbers = new Map<string, number>();
  for (const index of indexes) {
    for (const [key, entry] of index.entries) {
      const known = entries.get(key);
      if (known !== undefined) {
        if (known.slices.length === 0 || entry.slices.length === 0) {
          throw invalidArgument(
            `Duplicate tensor keyed by ${key} encountered, when merging prefix: ${index.prefix}`,
          );
        }
        entries.set(key, { ...known, slices: [...known.slices, ...entry.slices] });
        continue;
      }
      const path = dataPath(index.prefix, entry.shardId, index.shards);
      const number = shardNumbers.get(path) ?? shardNumbers.size;
      shardNumbers.set(path, number);
      entries.set(key, { ...entry, shardId: number });
    }
  }
  return { entries, shards: [...shardNumbers.keys()] };
}

/** Cleans up as far as possible; leftovers are harmless. */
async function removeOld(
  prefixes: readonly string[],
  destination: string,
  files: BundleFiles,
  deleteOldFolders: boolean,
): Promise<void> {
  const folders = new Set<string>();
  for (const prefix of prefixes) {
    try {
      const path = await files.resolve(indexPath(prefix), "write");
      await rm(path, { force: true });
      folders.add(dirname(path));
    } catch (error) {
      if (error instanceof TensorFlowError) {
        throw error;
      }
    }
  }
  folders.delete(dirname(await files.resolve(indexPath(destination), "write")));
  if (deleteOldFolders) {
    for (const folder of folders) {
      await rmdir(folder).catch(() => undefined);
    }
  }
}
