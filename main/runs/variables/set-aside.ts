/** Values of variables that are about to be replaced or moved: kept for a while, so that they can be brought back. */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { log } from "../../shared/log/log.js";
import { problem } from "../../shared/problems.js";
import { makePrivateFolder } from "../../storage/private-files.js";

/** The oldest give way: each may be as large as a model with its optimizer. */
const MOST_KEPT = 3;

export class SetAsideValues {
  readonly #folder: string;
  readonly #ids: string[] = [];
  #emptied: Promise<void> | undefined;

  /** @param folder of this application alone; what an application that was killed has left there is removed */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @param save writes a checkpoint with the prefix that it is given
   * @returns the id of what was saved
   */
  async add(save: (prefix: string) => Promise<unknown>): Promise<string> {
    this.#emptied ??= this.#remove(this.#folder);
    await this.#emptied;
    const id = randomUUID();
    try {
      await makePrivateFolder(join(this.#folder, id));
      await save(this.#prefix(id));
    } catch (error) {
      await this.#remove(join(this.#folder, id));
      throw error;
    }
    this.#ids.push(id);
    for (const old of this.#ids.splice(0, this.#ids.length - MOST_KEPT)) {
      await this.#remove(join(this.#folder, old));
    }
    return id;
  }

  /** The prefix of a checkpoint that was saved. @throws ProblemError NOT_FOUND if it has given way to newer ones */
  prefixOf(id: string): string {
    if (this.#ids.includes(id)) return this.#prefix(id);
    throw problem("NOT_FOUND", "The earlier values are no longer kept.", {
      reason: "The application was restarted, or values that were kept later took their place.",
    });
  }

  /** Removes everything. */
  async dispose(): Promise<void> {
    await this.#emptied;
    if (this.#ids.length > 0) await this.#remove(this.#folder);
  }

  #prefix(id: string): string {
    return join(this.#folder, id, "values");
  }

  async #remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      log.error(`${path} cannot be removed.`, error);
    });
  }
}
