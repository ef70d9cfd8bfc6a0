/** The user's settings, kept in one JSON file of the data folder. */
import { readFile } from "node:fs/promises";
import type { Params } from "../api/contract.js";
import { DEFAULT_SETTINGS } from "../api/default-settings.js";
import { type Settings, settingsSchema } from "../api/settings.js";
import type { EmitEvent } from "../shared/events.js";
import { log } from "../shared/log/log.js";
import { errnoOf, fileProblem } from "../shared/problems.js";
import { writePrivateFile } from "../storage/private-files.js";

const MAX_RECENT_DOCUMENTS = 20;

/** A change by a user. */
export interface SettingsChange {
  readonly before: Settings;
  readonly now: Settings;
  /** The requested settings, changed or not. */
  readonly wanted: Params<"settings.set">;
}

type ChangeListener = (change: SettingsChange) => Promise<void> | void;

export class SettingsService {
  readonly #path: string;
  readonly #emit: EmitEvent;
  readonly #loaded: Promise<void>;
  readonly #listeners = new Set<ChangeListener>();
  #settings: Settings = DEFAULT_SETTINGS;
  /** Writes happen one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, emit: EmitEvent) {
    this.#path = path;
    this.#emit = emit;
    this.#loaded = this.#load();
  }

  async get(): Promise<Settings> {
    await this.#loaded;
    return this.#settings;
  }

  /** The current settings; the defaults until `get` has resolved once. */
  now(): Settings {
    return this.#settings;
  }

  /** Calls the listener after every change by a user, which waits for it, until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when the settings are in effect.
   *
   * @throws ProblemError when they cannot be written. They nevertheless stay in effect until the application
   * ends.
   */
  async set(wanted: Params<"settings.set">): Promise<Settings> {
    const before = await this.get();
    try {
      return await this.#change(() => wanted);
    } finally {
      const change = { before, now: this.#settings, wanted };
      for (const listener of [...this.#listeners]) await listener(change);
    }
  }

  /** @param changesOf Called with the current settings; no other change comes in between. */
  async #change(changesOf: (now: Settings) => Params<"settings.set">): Promise<Settings> {
    await this.#loaded;
    const given = Object.entries(changesOf(this.#settings)).filter(([, value]) => value !== undefined);
    this.#settings = settingsSchema.parse({ ...this.#settings, ...Object.fromEntries(given) });
    this.#emit("settings", this.#settings);
    const text = `${JSON.stringify(this.#settings, undefined, 2)}\n`;
    const written = this.#writing.then(() => this.#write(text));
    this.#writing = written.catch(() => undefined);
    await written;
    return this.#settings;
  }

  /** Puts a document at the head of the recent ones. A failure to write the list is only logged. */
  async addRecentDocument(path: string): Promise<void> {
    await this.#change(({ recentDocuments }) => ({
      recentDocuments: [path, ...recentDocuments.filter((other) => other !== path)].slice(
        0,
        MAX_RECENT_DOCUMENTS,
      ),
    })).catch((error: unknown) => log.error("The list of recent documents was not kept:", error));
  }

  /** Stops notifying listeners; resolves when the last change is written. */
  async dispose(): Promise<void> {
    this.#listeners.clear();
    // A change that was requested earlier is queued for writing once the file has been read.
    await this.#loaded;
    await this.#writing;
  }

  async #write(text: string): Promise<void> {
    try {
      await writePrivateFile(this.#path, text);
    } catch (error) {
      throw fileProblem(`The settings could not be written to ${this.#path}`, error);
    }
  }

  /** Invalid values, as in a file of another version or a damaged one, are replaced by their defaults. */
  async #load(): Promise<void> {
    let stored: unknown;
    try {
      stored = JSON.parse(await readFile(this.#path, "utf8"));
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") {
        log.error(`The settings in ${this.#path} cannot be read; the defaults are used.`, error);
      }
      return;
    }
    if (typeof stored !== "object" || stored === null) return;
    const values = new Map(Object.entries(stored));
    const kept = Object.entries(settingsSchema.shape).flatMap(([name, schema]) => {
      const parsed = schema.safeParse(values.get(name));
      return parsed.success ? [[name, parsed.data] as const] : [];
    });
    this.#settings = settingsSchema.parse({ ...DEFAULT_SETTINGS, ...Object.fromEntries(kept) });
  }
}
