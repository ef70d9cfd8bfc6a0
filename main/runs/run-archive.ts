/**
 * The runs of saved documents on disk, so that they are listed again when the application is started anew: one private
 * file for each, written when the run has ended, and one beside it with its results.
 */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { targetOfUnfinishedWrite } from "../../worker-runtime/io/atomic-write.js";
import { log } from "../shared/log/log.js";
import { errnoOf } from "../shared/problems.js";
import { writePrivateFile } from "../storage/private-files.js";
import { decodeRun, encodeRun } from "./archived-run.js";
import { decodeTensors, encodeTensors } from "./archived-tensors.js";
import type { KeptRun } from "./run-history.js";
import type { RunTensors } from "./tensors/tensor-store.js";

const ENDING = ".run";
const TENSORS_ENDING = ".tensors";
const RUN_ID = /^[0-9a-f-]{36}$/;
const MAX_FILES = 200;
/** The largest file of a run; a larger one is kept in memory alone. */
const MAX_FILE_BYTES = 16 << 20;
const MAX_TOTAL_BYTES = 64 << 20;

interface ArchiveFile {
  readonly runId: string;
  readonly bytes: number;
  /** The size of its results. */
  readonly tensorBytes: number;
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

  /** Keeps a run that has ended, with its results, if its document was saved. A failure is logged. */
  keep(run: KeptRun, results?: RunTensors): void {
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
        const tensors = results && (await encodeTensors(results));
        if (tensors && tensors.length <= MAX_FILE_BYTES)
          await writePrivateFile(this.#path(run.status.runId, TENSORS_ENDING), tensors);
        await this.#dropOldest();
      } catch (error) {
        log.error(`The run could not be written to ${path} and will not be listed after a restart.`, error);
      }
    });
  }

  /** The results of a kept run; undefined if they are not on disk, or cannot be read, which is logged. */
  results(runId: string): Promise<RunTensors | undefined> {
    return this.#inTurn(async () => {
      // It names a file: only what has the form of an id can have one.
      if (!RUN_ID.test(runId)) return undefined;
      const path = this.#path(runId, TENSORS_ENDING);
      try {
        return await decodeTensors(await readFile(path));
      } catch (error) {
        if (errnoOf(error) === "ENOENT") return undefined;
        log.error(`The results in ${path} cannot be read and are removed.`, error);
        await this.#removeFile(path);
        return undefined;
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
    let bytes = files.reduce((sum, file) => sum + file.bytes + file.tensorBytes, 0);
    // A run's summary is listed for longer than its results can be opened.
    for (const { runId, tensorBytes } of files) {
      if (bytes <= MAX_TOTAL_BYTES) break;
      if (tensorBytes > 0) await this.#removeFile(this.#path(runId, TENSORS_ENDING));
      bytes -= tensorBytes;
    }
    let count = files.length;
    for (const file of files) {
      if (count <= MAX_FILES && bytes <= MAX_TOTAL_BYTES) return;
      await this.#remove(file.runId);
      count -= 1;
      bytes -= file.bytes;
    }
  }

  /** The oldest first. What a crash left half written, and results without their run, are removed. */
  async #files(): Promise<ArchiveFile[]> {
    const names: string[] = await readdir(this.#folder).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    });
    const files: ArchiveFile[] = [];
    const statsOf = async (name: string) => {
      const stats = await stat(join(this.#folder, name)).catch(() => undefined);
      return stats?.isFile() ? stats : undefined;
    };
    for (const name of names) {
      const target = targetOfUnfinishedWrite(name) ?? "";
      const isOrphan = runIdIn(name, TENSORS_ENDING) !== undefined && !names.includes(runFileOf(name));
      if (target.endsWith(ENDING) || target.endsWith(TENSORS_ENDING) || isOrphan)
        await this.#removeFile(join(this.#folder, name));
      const runId = runIdIn(name, ENDING);
      const stats = runId === undefined ? undefined : await statsOf(name);
      if (runId === undefined || !stats) continue;
      const tensors = await statsOf(`${runId}${TENSORS_ENDING}`);
      files.push({ runId, bytes: stats.size, tensorBytes: tensors?.size ?? 0, writtenAt: stats.mtimeMs });
    }
    return files.sort((one, other) => one.writtenAt - other.writtenAt);
  }

  #path(runId: string, ending = ENDING): string {
    return join(this.#folder, `${runId}${ending}`);
  }

  async #remove(runId: string): Promise<void> {
    await this.#removeFile(this.#path(runId, TENSORS_ENDING));
    await this.#removeFile(this.#path(runId));
  }

  async #removeFile(path: string): Promise<void> {
    await rm(path, { force: true }).catch((error: unknown) => {
      log.error(`${path} cannot be removed.`, error);
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

/** The run of a file's name; undefined unless the file has this ending. */
function runIdIn(name: string, ending: string): string | undefined {
  const runId = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
  return RUN_ID.test(runId) ? runId : undefined;
}

/** The name of the run's own file beside one with results. */
function runFileOf(name: string): string {
  return `${name.slice(0, -TENSORS_ENDING.length)}${ENDING}`;
}
