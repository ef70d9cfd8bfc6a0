/** The jobs of scripts on disk, so that they are listed again when the application is started anew: one file for each. */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { targetOfUnfinishedWrite } from "../../worker-runtime/io/atomic-write.js";
import { type LogLine, logLineSchema } from "../api/cluster.js";
import { type ScriptCurve, type ScriptJob, scriptCurveSchema, scriptJobSchema } from "../api/scripts.js";
import { log } from "../shared/log/log.js";
import { errnoOf } from "../shared/problems.js";
import { writePrivateFile } from "../storage/private-files.js";

const ENDING = ".job";
const JOB_ID = /^[0-9a-f-]{36}$/;
/** Counts up with changes that earlier versions cannot read. */
const FORMAT = 1;
/** The most characters of the lines of one task; the newest are kept. */
const MAX_LOG_CHARACTERS = 1 << 20;
/** No job that was kept unpacks to more. */
const MAX_UNPACKED_BYTES = 256 << 20;

/** A job as windows ask for it, whether it runs, has ended, or ended before the application was started. */
export interface KeptJob {
  readonly id: string;
  readonly isOver: boolean;
  shown(): ScriptJob;
  /** Lines of a task, or about the job itself (""), after the last one that is known. */
  lines(task: string, after: number): LogLine[];
  curves(): ScriptCurve[];
  /** Does nothing once it has ended. */
  stop(reason: Error): void;
}

const archivedJobSchema = z.object({
  format: z.literal(FORMAT),
  job: scriptJobSchema,
  curves: z.array(scriptCurveSchema),
  logs: z.record(z.string(), z.array(logLineSchema)),
});

export class JobArchive {
  readonly #folder: string;
  readonly #most: number;
  /** Reading, writing and removing happen one after the other. */
  #working: Promise<unknown> = Promise.resolve();

  /** @param most How many are kept. */
  constructor(folder: string, most: number) {
    this.#folder = folder;
    this.#most = most;
  }

  /** The kept jobs, the newest first. What cannot be read is removed. */
  load(): Promise<KeptJob[]> {
    return this.#inTurn(async () => {
      const jobs: KeptJob[] = [];
      for (const path of await this.#paths()) {
        try {
          jobs.push(await decodeJob(await readFile(path)));
        } catch (error) {
          log.error(`The job of a script in ${path} cannot be read and is removed.`, error);
          await rm(path, { force: true });
        }
      }
      return jobs.sort((one, other) => other.shown().startedAt - one.shown().startedAt);
    });
  }

  /** Writes a job that has ended; the oldest make room. Never rejects. */
  async keep(job: KeptJob): Promise<void> {
    const path = this.#path(job.id);
    try {
      await this.#inTurn(async () => {
        await writePrivateFile(path, await encodeJob(job));
        const paths = await this.#paths();
        for (const old of paths.slice(0, Math.max(0, paths.length - this.#most)))
          await rm(old, { force: true });
      });
    } catch (error) {
      log.error(`The job of a script could not be written to ${path}; a restart forgets it.`, error);
    }
  }

  /** Never rejects. */
  async forget(jobId: string): Promise<void> {
    const path = this.#path(jobId);
    await this.#inTurn(() => rm(path, { force: true })).catch((error: unknown) =>
      log.error(`${path} cannot be removed.`, error),
    );
  }

  /** The oldest first. What a crash left half written is removed. */
  async #paths(): Promise<string[]> {
    const names: string[] = await readdir(this.#folder).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    });
    const files: { readonly path: string; readonly writtenAt: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      if (targetOfUnfinishedWrite(name)?.endsWith(ENDING)) await rm(path, { force: true });
      if (!name.endsWith(ENDING) || !JOB_ID.test(name.slice(0, -ENDING.length))) continue;
      files.push({ path, writtenAt: (await stat(path)).mtimeMs });
    }
    return files.sort((one, other) => one.writtenAt - other.writtenAt).map(({ path }) => path);
  }

  #path(jobId: string): string {
    return join(this.#folder, `${jobId}${ENDING}`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#working.then(work);
    this.#working = result.catch(() => undefined);
    return result;
  }
}

async function encodeJob(kept: KeptJob): Promise<Uint8Array> {
  const job = kept.shown();
  const logs = ["", ...job.tasks.map(({ name }) => name)].map((name) => [name, newest(kept.lines(name, -1))]);
  const archived: z.infer<typeof archivedJobSchema> = {
    ...{ format: FORMAT, job, curves: kept.curves() },
    logs: Object.fromEntries(logs),
  };
  return await promisify(gzip)(encode(archived, { ignoreUndefined: true }));
}

function newest(lines: readonly LogLine[]): LogLine[] {
  let characters = 0;
  const first = lines.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > MAX_LOG_CHARACTERS;
  });
  return lines.slice(first + 1);
}

/** @throws an error of any kind for bytes that are not of `encodeJob`, or of another version */
async function decodeJob(bytes: Uint8Array): Promise<KeptJob> {
  const content = await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  const { job, curves, logs } = archivedJobSchema.parse(decode(content));
  return {
    id: job.id,
    isOver: true,
    shown: () => job,
    lines: (task, after) => (logs[task] ?? []).filter(({ sequence }) => sequence > after),
    curves: () => curves,
    stop: () => undefined,
  };
}
