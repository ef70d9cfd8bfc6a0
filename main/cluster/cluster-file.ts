/** What the application keeps of the cluster over its own restarts; tasks are kept by the machines that run them. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { accessSchema, jobNameSchema, membershipSchema } from "../api/cluster.js";
import { writePrivateFile } from "../files/private-files.js";
import { errnoOf } from "../problems.js";

const clusterFileSchema = z.object({
  membership: membershipSchema.catch("dynamic"),
  /** What cannot be read must not open anything. */
  access: accessSchema.catch("secure"),
  foreign: z
    .array(
      z.object({
        id: z.string().min(1),
        address: z.string().min(1),
        job: jobNameSchema,
        index: z.number().int().nonnegative(),
      }),
    )
    .catch([]),
  /** Colours by task id. */
  colours: z.record(z.string(), z.number().int().nonnegative()).catch({}),
});
export type StoredCluster = z.infer<typeof clusterFileSchema>;

export class ClusterFile {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  #written = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** undefined when there is none; what does not fit is replaced by its default. */
  async load(): Promise<StoredCluster | undefined> {
    try {
      const parsed = clusterFileSchema.safeParse(JSON.parse(await readFile(this.#path, "utf8")));
      return parsed.data;
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") console.error(`The cluster in ${this.#path} cannot be read.`, error);
      return undefined;
    }
  }

  /** Writes what is different. That it could not be written is told on the console. */
  save(cluster: StoredCluster): Promise<void> {
    const text = `${JSON.stringify(cluster, undefined, 2)}\n`;
    if (text !== this.#written) {
      this.#written = text;
      this.#writing = this.#writing.then(() => this.#write(text));
    }
    return this.#writing;
  }

  async #write(text: string): Promise<void> {
    try {
      await writePrivateFile(this.#path, text);
    } catch (error) {
      console.error(`The cluster could not be written to ${this.#path}.`, error);
    }
  }
}
