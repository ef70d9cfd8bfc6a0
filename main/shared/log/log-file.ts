/**
 * A log in the data folder: a line for each entry, of limited size, readable by this account only. Each entry is a
 * single append to the file of that name. So several processes of one data folder may write to it, whichever of them
 * rotates it, and an entry has reached the system before a crash can lose it.
 */
import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
/** The file in use and the older ones, "tensordeck.log.1" being the newest of these. */
const MAX_FILE_BYTES = 1 << 20;
const OLDER_FILES = 3;
/** A loop of failures must neither fill the disk nor keep the process busy. */
const MAX_ENTRY_CHARACTERS = 16_384;
const MAX_ENTRIES_PER_MINUTE = 600;
const MINUTE_MILLIS = 60_000;

export class LogFile {
  readonly path: string;
  readonly #maxFileBytes: number;
  readonly #now: () => number;
  #minuteBegan = 0;
  #entries = 0;

  constructor(path: string, options: { readonly maxFileBytes?: number; readonly now?: () => number } = {}) {
    this.path = path;
    this.#maxFileBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    this.#now = options.now ?? Date.now;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
      // It may be of an earlier version, or a copy that was put back.
      if (process.platform !== "win32") chmodSync(path, OWNER_ONLY);
    } catch {
      // There is none yet.
    }
  }

  /** Writes an entry. Never throws: a log that cannot be written must not make anything else fail. */
  append(text: string): void {
    const entry = this.#admitted(text);
    if (entry === undefined) return;
    const lines = entry.length > MAX_ENTRY_CHARACTERS ? `${entry.slice(0, MAX_ENTRY_CHARACTERS)} …` : entry;
    try {
      this.#turnOver();
      // Continuation lines are indented, so that foreign text cannot pass for a separate entry.
      appendFileSync(this.path, `${lines.replaceAll(/\r?\n/g, "\n    ")}\n`, { mode: OWNER_ONLY });
    } catch {
      // The disk is full, or the folder is gone.
    }
  }

  /** The newest entries that fit into the given number of bytes; empty if there are none. */
  async tail(maxBytes: number): Promise<string> {
    const file = await open(this.path, "r").catch(() => undefined);
    if (file === undefined) return "";
    try {
      const { size } = await file.stat();
      // One byte more: if that is the end of an entry, the next one is complete.
      const start = Math.max(0, size - maxBytes - 1);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
      const text = buffer.toString("utf8", 0, bytesRead);
      return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
    } finally {
      await file.close();
    }
  }

  /** The entry, or a note that no more are written this minute; undefined once that was noted. */
  #admitted(text: string): string | undefined {
    const now = this.#now();
    if (now - this.#minuteBegan >= MINUTE_MILLIS) {
      this.#minuteBegan = now;
      this.#entries = 0;
    }
    this.#entries++;
    if (this.#entries < MAX_ENTRIES_PER_MINUTE) return text;
    return this.#entries === MAX_ENTRIES_PER_MINUTE
      ? "Further entries in this minute are left out."
      : undefined;
  }

  #turnOver(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#maxFileBytes) return;
    for (let number = OLDER_FILES - 1; number >= 1; number--) {
      renameIfThere(`${this.path}.${number}`, `${this.path}.${number + 1}`);
    }
    renameIfThere(this.path, `${this.path}.1`);
  }
}

/** Another process may have been faster. */
function renameIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to);
}
