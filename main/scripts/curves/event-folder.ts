/** Follows all files of TensorBoard events below a folder, as a running script writes them. */
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { inBackground } from "../../../worker-runtime/faults.js";
import { isNeverSent } from "../files/script-files.js";
import { EventReader, type EventScalar } from "./event-reader.js";

export interface FolderScalar extends EventScalar {
  /** The folder of the file, within the followed folder, with slashes: "logs/train"; "" for that folder itself. */
  readonly folder: string;
}

const INTERVAL_MILLIS = 1000;
/** Folders that are looked into each time: a script's folder may contain its data. */
const MOST_FOLDERS = 1000;
/** Every process that writes events has one. */
const MOST_FILES = 1000;

interface Followed {
  readonly folder: string;
  readonly reader: EventReader;
  size: number;
}

export class EventFolder {
  readonly #folder: string;
  readonly #onScalars: (scalars: readonly FolderScalar[]) => void;
  readonly #files = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void>;
  #isClosed = false;

  private constructor(folder: string, onScalars: (scalars: readonly FolderScalar[]) => void) {
    this.#folder = folder;
    this.#onScalars = onScalars;
    // Events that earlier runs have written are not of this one.
    this.#reading = this.#find(true);
  }

  /** Follows what is written from now on. */
  static async follow(
    folder: string,
    onScalars: (scalars: readonly FolderScalar[]) => void,
  ): Promise<EventFolder> {
    const followed = new EventFolder(folder, onScalars);
    await followed.#reading;
    followed.#plan();
    return followed;
  }

  /** Reads what is still unread, and ends. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#reading;
    await this.#read();
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#reading = this.#read();
      inBackground(this.#reading.then(() => this.#plan()));
    }, INTERVAL_MILLIS);
    this.#timer.unref();
  }

  async #read(): Promise<void> {
    await this.#find(false);
    const found: FolderScalar[] = [];
    for (const [path, file] of this.#files) {
      const size = await sizeOf(path);
      if (size === file.size) continue;
      file.size = size;
      for (const scalar of await file.reader.read()) found.push({ ...scalar, folder: file.folder });
    }
    if (found.length > 0) this.#onScalars(found);
  }

  /** Takes up files that are new. @param areOld Whether they are read only from their end on. */
  async #find(areOld: boolean): Promise<void> {
    const folders = [this.#folder];
    for (let at = 0; at < folders.length && at < MOST_FOLDERS; at++) {
      const folder = folders[at] ?? "";
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !isNeverSent(entry.name)) folders.push(path);
        const isNew = entry.isFile() && isEventFile(entry.name) && !this.#files.has(path);
        if (!isNew || this.#files.size >= MOST_FILES) continue;
        const size = areOld ? await sizeOf(path) : 0;
        const within = relative(this.#folder, folder).split(sep).join("/");
        this.#files.set(path, { folder: within, reader: new EventReader(path, size), size });
      }
    }
  }
}

/** By the part of the name by which TensorBoard, too, finds them. */
function isEventFile(name: string): boolean {
  return name.includes("tfevents");
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
