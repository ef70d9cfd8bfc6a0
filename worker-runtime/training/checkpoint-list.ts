import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { withFileErrors } from "../io/file-errors.js";
import { indexPath } from "../io/tensor-bundle/bundle-files.js";
import { existingCheckpoints, updateCheckpointState } from "./checkpoint-state.js";

/** The newest checkpoints of a folder: those before are deleted, and the file "checkpoint" lists the others. */
export class CheckpointList {
  readonly #maxToKeep: number;
  #prefixes: readonly string[] = [];

  /** @param maxToKeep 0 keeps all */
  constructor(maxToKeep: number) {
    this.#maxToKeep = maxToKeep;
  }

  /** The prefixes of the checkpoints, the oldest first. */
  get prefixes(): readonly string[] {
    return this.#prefixes;
  }

  /** Goes on with the checkpoints that a folder already lists. */
  async recover(folder: string): Promise<void> {
    this.#prefixes = [...(await existingCheckpoints(resolve(folder)))].reverse();
  }

  /** Lists a checkpoint that was written, and deletes those for which it leaves no room. */
  async add(prefix: string): Promise<void> {
    const all = [...this.#prefixes.filter((one) => one !== prefix), prefix];
    const kept = this.#maxToKeep > 0 ? all.slice(-this.#maxToKeep) : all;
    this.#prefixes = kept;
    await updateCheckpointState(dirname(prefix), { latest: prefix, all: kept });
    for (const old of all.filter((one) => !kept.includes(one))) await removeCheckpoint(old);
  }
}

/** Deletes a checkpoint's files, its index first. */
async function removeCheckpoint(prefix: string): Promise<void> {
  await withFileErrors(prefix, async () => {
    await rm(indexPath(prefix), { force: true });
    const data = `${basename(prefix)}.data-`;
    const files = await readdir(dirname(prefix));
    await Promise.all(
      files
        .filter((file) => file.startsWith(data))
        .map((file) => rm(join(dirname(prefix), file), { force: true })),
    );
  });
}
