/** State that a service keeps across restarts, as JSON in a private file of the data folder. */
import { readFile } from "node:fs/promises";
import type { ZodType } from "zod";
import { log } from "../shared/log/log.js";
import { errnoOf } from "../shared/problems.js";
import { writePrivateFile } from "./private-files.js";

export class JsonFile<T> {
  readonly #path: string;
  readonly #schema: ZodType<T>;
  readonly #what: string;
  /** Writes happen one after the other; of the pending values only the newest is written. */
  #writing: Promise<void> = Promise.resolve();
  #next: string | undefined;
  #written: string | undefined;

  /** @param what Names the contents in error messages: "The tasks". */
  constructor(path: string, schema: ZodType<T>, what: string) {
    this.#path = path;
    this.#schema = schema;
    this.#what = what;
  }

  /** undefined if there is no file or it cannot be parsed, which is logged. */
  async load(): Promise<T | undefined> {
    try {
      return this.#schema.parse(JSON.parse(await readFile(this.#path, "utf8")));
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") {
        log.error(`${this.#what} in ${this.#path} cannot be read.`, error);
      }
      return undefined;
    }
  }

  /**
   * Resolves when this value or a newer one is written; an unchanged value is not written again. A failure to write is
   * logged.
   */
  save(value: T): Promise<void> {
    this.#next = `${JSON.stringify(value, undefined, 2)}\n`;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const text = this.#next;
    this.#next = undefined;
    if (text === undefined || text === this.#written) return;
    try {
      await writePrivateFile(this.#path, text);
      this.#written = text;
    } catch (error) {
      log.error(`${this.#what} could not be written to ${this.#path} and will not be restored.`, error);
    }
  }
}
