/**
 * Contents of files that another machine has sent, by their hash, so that unchanged files are not sent again. Each
 * machine has its own store: a machine that knows only the hash of another one's file must not get it.
 */

import { randomBytes } from "node:crypto";
import { constants, copyFile, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "../../storage/private-files.js";
import { receiveFile } from "./receive-file.js";

/** The most bytes of one machine; the contents that were not used for longest go first. */
const MOST_KEPT_BYTES = 2 ** 31;

export class BlobStore {
  readonly #folder: string;
  readonly #mostBytes: number;

  constructor(folder: string, mostBytes = MOST_KEPT_BYTES) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /** The hashes that are not here. */
  async missing(hashes: readonly string[]): Promise<string[]> {
    const missing: string[] = [];
    for (const hash of new Set(hashes)) {
      const found = await stat(this.#file(hash)).catch(() => undefined);
      if (found) await utimes(this.#file(hash), new Date(), new Date());
      else missing.push(hash);
    }
    return missing;
  }

  /**
   * Stores a content. Nothing is kept unless its hash and size are right.
   *
   * @throws ProblemError DATA_LOSS.
   */
  async put(hash: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    await makePrivateFolder(this.#folder);
    const temporary = join(this.#folder, `.${randomBytes(8).toString("hex")}.tmp`);
    await receiveFile(temporary, { hash, size }, content);
    await rename(temporary, this.#file(hash));
  }

  /** Copies a content to a file that does not exist. */
  async copy(hash: string, to: string): Promise<void> {
    await copyFile(this.#file(hash), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }

  /** Removes what exceeds the limit, and what an interrupted transfer left. */
  async prune(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => ({
        path: join(this.#folder, name),
        facts: await stat(join(this.#folder, name)),
      })),
    );
    let bytes = 0;
    for (const { path, facts } of found.sort((a, b) => b.facts.mtimeMs - a.facts.mtimeMs)) {
      bytes += facts.size;
      if (bytes > this.#mostBytes) await rm(path, { force: true });
    }
  }

  #file(hash: string): string {
    return join(this.#folder, hash);
  }
}
