/**
 * The runs of saved documents on disk, so that they are listed again when the application is started anew: one private
 * file for each, written when the run has ended.
 */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { log } from "../shared/log/log.js";
import { errnoOf } from "../shared/problems.js";
import { targetOfUnfinishedWrite } from "../storage/atomic-write.js";
import { writePrivateFile } from "../storage/private-files.js";
import { decodeRun, encodeRun } from "./archived-run.js";
import type { KeptRun } from "./run-history.js";

const ENDING = ".run";
const MAX_FILES = 200;
/** Of one run; a larger one is kept in memory alone. */
const MAX_FILE_BYTES = 16 << 20;
const MAX_TOTAL_BYTES = 64 << 20;

interface ArchiveFile {
  readonly runId: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

export class RunArchive {
  readonly #folder: string;
  /** Reading, writing and removing happen one after the other. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The kept runs, the oldest first. What cannot be read is removed, and counted. */
  load(): Promise<{ readonly runs: readonly KeptRun[]; readonly dropped: number }> {
    return this.#inTurn(async () => {
      const runs: KeptRun[] = [];
      let dropped = 0;
      for (const { runId } of await this.#files()) {
        try {
          const run = await decodeRun(await readFile(this.#path(runId)));
          if (run.status.runId !== runId) throw new Error("It is another run.");
          runs.push(run);
        } catch (error) {
          dropped += 1;
          log.error(`The run in ${this.#path(runId)} cannot be read and is removed.`, error);
          await this.#remove(runId);
        }
      }
      return { runs: runs.sort((one, other) => one.number - other.number), dropped };
    });
  }

  /** Keeps a run that has ended, if its document was saved. A failure is logged. */
  keep(run: KeptRun): void {
    this.#inBackground(async () => {
      if (run.status.progress().origin?.path === undefined) return;
      const path = this.#path(run.status.runId);
      try {
        const content = await encodeRun(run);
        if (content.length > MAX_FILE_BYTES) {
          log.error(
            `The run is not kept on disk: it takes ${content.length} bytes, at most ${MAX_FILE_BYTES}.`,
          );
          return;
        }
        await writePrivateFile(path, content);
        await this.#dropOldest();
      } catch (error) {
        log.error(`The run could not be written to ${path} and will not be listed after a restart.`, error);
      }
    });
  }

  /** Removes runs. Of those that are not on disk, nothing is. */
  forget(runIds: readonly string[]): void {
    this.#inBackground(async () => {
      for (const runId of runIds) await this.#remove(runId);
    });
  }

  /** Resolves when everything asked for before is done. */
  settled(): Promise<void> {
    return this.#inTurn(async () => undefined);
  }

  async #dropOldest(): Promise<void> {
    const files = await this.#files();
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    let count = files.length;
    for (const file of files) {
      if (count <= MAX_FILES && bytes <= MAX_TOTAL_BYTES) return;
      await this.#remove(file.runId);
      count -= 1;
      bytes -= file.bytes;
    }
  }

  /** The oldest first. What a crash left half written is removed. */
  async #files(): Promise<ArchiveFile[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    });
    const files: ArchiveFile[] = [];
    for (const name of names) {
      if (targetOfUnfinishedWrite(name)?.endsWith(ENDING))
        await rm(join(this.#folder, name), { force: true });
      if (!/^[0-9a-f-]{36}\.run$/.test(name)) continue;
      const stats = await stat(join(this.#folder, name)).catch(() => undefined);
      if (stats?.isFile())
        files.push({ runId: name.slice(0, -ENDING.length), bytes: stats.size, writtenAt: stats.mtimeMs });
    }
    return files.sort((one, other) => one.writtenAt - other.writtenAt);
  }

  #path(runId: string): string {
    return join(this.#folder, `${runId}${ENDING}`);
  }

  async #remove(runId: string): Promise<void> {
    await rm(this.#path(runId), { force: true }).catch((error: unknown) => {
      log.error(`${this.#path(runId)} cannot be removed.`, error);
    });
  }

  #inBackground(work: () => Promise<void>): void {
    this.#inTurn(work).catch((error: unknown) =>
      log.error("The runs on disk are not as they should be.", error),
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#working.then(work);
    this.#working = result.catch(() => undefined);
    return result;
  }
}
