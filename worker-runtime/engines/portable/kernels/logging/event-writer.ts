import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Event } from "../../../../../protos/generated/tensorflow/event.js";
import { eventFileName, eventRecord, versionRecord } from "../../../../io/events/event-file.js";
import { withFileErrors } from "../../../../io/file-errors.js";
import type { FileAccess } from "../../resources/file-access.js";
import type { Resource } from "../../resources/resource-manager.js";

/** The type of a writer in handles. */
export const SUMMARY_WRITER = "tensorflow::SummaryWriterInterface";

export interface EventFile {
  /** The folder, which is created if missing. */
  readonly folder: string;
  /** The end of the file name. */
  readonly suffix: string;
  /** The maximum number of events that are buffered. */
  readonly maxQueue: number;
  /** The next event flushes those that have been buffered for longer than this. */
  readonly flushMillis: number;
}

/** Distinguishes the files of one process. */
let nextFile = 0;

/**
 * Writes events to a file for TensorBoard: TFRecords of tensorflow.Event, named as TensorFlow names them. The file is
 * not kept open: each flush appends.
 */
export class EventWriter implements Resource {
  readonly typeName = SUMMARY_WRITER;
  readonly #file: EventFile;
  /** Resolves to the file's path once it is created. */
  readonly #made: Promise<string>;
  #waiting: Uint8Array[] = [];
  #flushedMillis = Date.now();
  /** Resolves after the last flush. */
  #writing: Promise<void> = Promise.resolve();

  /** Starts creating the file in a folder that graphs may write to; see `ready`. */
  constructor(file: EventFile, access: FileAccess) {
    this.#file = file;
    this.#made = makeFile(file, access);
    // Callers that await the file receive the error.
    this.#made.catch(() => undefined);
  }

  /** @throws TensorFlowError PERMISSION_DENIED and other errors of creating the file. */
  async ready(): Promise<void> {
    await this.#made;
  }

  /** Adds an event; flushes if many are buffered or have been for long. @throws TensorFlowError as `flush` */
  async write(event: Event): Promise<void> {
    this.#waiting.push(eventRecord(event));
    const { maxQueue, flushMillis } = this.#file;
    if (this.#waiting.length > maxQueue || Date.now() - this.#flushedMillis > flushMillis) {
      await this.flush();
    }
  }

  /** Writes all buffered events. @throws TensorFlowError RESOURCE_EXHAUSTED for a full disk, … */
  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#flushedMillis = Date.now();
    const before = this.#writing;
    const written = (async () => {
      const file = await this.#made;
      await before;
      await withFileErrors(file, () => appendFile(file, bytes));
    })();
    this.#writing = written.catch(() => undefined);
    await written;
  }

  dispose(): void {
    // No caller is left to receive an error.
    this.flush().catch(() => undefined);
  }
}

/** Creates the folder and a file with only the format version. @returns its path */
async function makeFile({ folder, suffix }: EventFile, access: FileAccess): Promise<string> {
  const end = suffix.startsWith(".") ? suffix : `.${suffix}`;
  const name = `${eventFileName(nextFile)}${end}`;
  nextFile += 1;
  const file = await access.resolve(path.join(folder, name), "write");
  await withFileErrors(file, async () => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, versionRecord());
  });
  return file;
}
