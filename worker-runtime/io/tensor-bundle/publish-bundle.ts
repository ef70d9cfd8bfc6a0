import { link, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BundleEntryProto } from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { syncFolder, writeFlushed } from "../durable-files.js";
import { type BundleFiles, dataPath, indexPath, temporaryPath } from "./bundle-files.js";
import { type BundleIndex, indexBytes, parseIndex } from "./bundle-index.js";

/** A checkpoint whose files are complete and flushed, but have other names. */
export interface CompleteBundle {
  /** The paths of its data files, by shard. */
  readonly shards: readonly string[];
  readonly entries: ReadonlyMap<string, BundleEntryProto>;
}

/**
 * Gives a checkpoint its name. At every moment, also after a crash, the name has the old checkpoint or the new one, both
 * complete: its data files get names that the old index does not use, and then the new index replaces the old one. The
 * names of data files contain the number of shards, so a number that is one larger, with a shard that no tensor is in,
 * gives such names; where hard links exist, the usual names follow in the same way.
 *
 * @throws Error of Node's file functions, and what `files` throws
 */
export async function publishBundle(
  prefix: string,
  files: BundleFiles,
  { shards, entries }: CompleteBundle,
): Promise<void> {
  const index = await files.resolve(indexPath(prefix), "write");
  const folder = dirname(index);
  const pathsOf = (count: number) =>
    Promise.all(shards.map((_, shard) => files.resolve(dataPath(prefix, shard, count), "write")));
  // The incomplete index is there before the data files: those of a process that was killed in between are known by it.
  const replaceIndex = async (count: number, moveData: () => Promise<void>) => {
    const temporary = temporaryPath(index);
    try {
      await writeFlushed(temporary, indexBytes({ shards: count, entries }));
      await moveData();
      await syncFolder(folder);
      await rename(temporary, index);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  };

  const old = await readIndex(index);
  const oldPaths = old ? await usedPaths(prefix, files, old) : [];
  const usualPaths = await pathsOf(shards.length);
  if (old?.shards !== shards.length) {
    await replaceIndex(shards.length, () => eachPair(shards, usualPaths, rename));
    await removeAll(oldPaths);
    await removeOtherData(index, shards.length);
    return;
  }
  const otherPaths = await pathsOf(shards.length + 1);
  await replaceIndex(shards.length + 1, () => eachPair(shards, otherPaths, rename));
  await removeAll([...oldPaths, ...usualPaths]);
  try {
    await eachPair(otherPaths, usualPaths, link);
  } catch {
    // A file system without links: the checkpoint is complete, and its next version gets the usual names.
    await removeAll(usualPaths);
    await removeOtherData(index, shards.length + 1);
    return;
  }
  await replaceIndex(shards.length, async () => undefined);
  await removeAll(otherPaths);
  await removeOtherData(index, shards.length);
}

/** Removes data files of other numbers of shards, which a process that was killed has left, and which no index names. */
async function removeOtherData(index: string, count: number): Promise<void> {
  const prefix = `${basename(index, ".index")}.data-`;
  for (const name of await readdir(dirname(index))) {
    const shards = name.startsWith(prefix) && /^\d{5}-of-(\d{5})$/.exec(name.slice(prefix.length))?.[1];
    if (shards && Number(shards) !== count) await rm(join(dirname(index), name), { force: true });
  }
}

/** The index that is replaced; undefined if there is none that can be read. */
async function readIndex(path: string): Promise<BundleIndex | undefined> {
  try {
    return parseIndex(await readFile(path), path);
  } catch {
    return undefined;
  }
}

function usedPaths(prefix: string, files: BundleFiles, { shards, entries }: BundleIndex): Promise<string[]> {
  const used = new Set([...entries.values()].map(({ shardId }) => shardId));
  return Promise.all([...used].map((shard) => files.resolve(dataPath(prefix, shard, shards), "write")));
}

async function eachPair(
  from: readonly string[],
  to: readonly string[],
  act: (from: string, to: string) => Promise<void>,
): Promise<void> {
  for (const [i, path] of from.entries()) await act(path, to[i] ?? path);
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}
