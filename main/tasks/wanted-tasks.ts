/** The tasks that somebody wants on this machine, kept in a file so that they come back when it or the application restarts. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { engineSchema, gpuChoiceSchema, jobNameSchema } from "../api/cluster.js";
import { writePrivateFile } from "../files/private-files.js";
import { errnoOf } from "../problems.js";

const wantedTaskSchema = z.object({
  id: z.string().min(1),
  job: jobNameSchema,
  index: z.number().int().nonnegative(),
  engine: engineSchema,
  gpu: gpuChoiceSchema,
  owner: z.string(),
  port: z.number().int().min(1).max(65_535),
  isolate: z.boolean(),
  /** Whether it is to run; a task that was stopped stays stopped. */
  runs: z.boolean(),
  /** Addresses by index by job, of a task that was started with the whole ClusterSpec. */
  cluster: z.record(z.string(), z.record(z.coerce.number(), z.string())).optional(),
});
export type WantedTask = z.infer<typeof wantedTaskSchema>;

export class WantedTasks {
  readonly #path: string;
  /** Writes happen one after the other; only the newest list of those that wait is written. */
  #writing: Promise<void> = Promise.resolve();
  #next: readonly WantedTask[] | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** What does not fit, in a file of another version or a broken one, is left out. */
  async load(): Promise<WantedTask[]> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.#path, "utf8"));
      if (!Array.isArray(stored)) return [];
      return stored.flatMap((entry) => {
        const parsed = wantedTaskSchema.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      });
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") console.error(`The tasks in ${this.#path} cannot be read.`, error);
      return [];
    }
  }

  /** Resolves when this list or a newer one is written. That it could not be written is told on the console. */
  save(tasks: readonly WantedTask[]): Promise<void> {
    this.#next = tasks;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const tasks = this.#next;
    if (!tasks) return;
    this.#next = undefined;
    try {
      await writePrivateFile(this.#path, `${JSON.stringify(tasks, undefined, 2)}\n`);
    } catch (error) {
      console.error(`The tasks could not be written to ${this.#path}; they will not come back.`, error);
    }
  }
}
