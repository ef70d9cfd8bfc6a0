import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { Event } from "../../../../../protos/generated/tensorflow/event.js";
import { withFileErrors } from "../../../../io/file-errors.js";
import type { FileAccess } from "../../resources/file-access.js";
import type { Resource } from "../../resources/resource-manager.js";
import { frameRecord } from "../io/files/records.js";

/** The kind of every writer in handles. */
export const SUMMARY_WRITER = "tensorflow::SummaryWriterInterface";

export interface EventFile {
  /** A folder that is made where there is none. */
  readonly folder: string;
  /** What the file's name ends with. */
  readonly suffix: string;
  /** So many events wait at most before they are written. */
  readonly maxQueue: number;
  /** The longest that they wait for the next event. */
  readonly flushMillis: number;
}

/** Tells the files of one process apart. */
let nextFile = 0;

/**
 * Writes events to a file for TensorBoard: TFRecords of tensorflow.Event, named as TensorFlow names them. No file is kept
 * open: each flush appends.
 */
export class EventWriter implements Resource {
  readonly typeName = SUMMARY_WRITER;
  readonly #file: EventFile;
  /** The file's path once it is there. */
  readonly #made: Promise<string>;
  #waiting: Uint8Array[] = [];
  #flushedMillis = Date.now();
  /** Ends with the last flush. */
  #writing: Promise<void> = Promise.resolve();

  /** Begins to make the file, in a place that graphs may write to; `ready` says when it is there. */
  constructor(file: EventFile, access: FileAccess) {
    this.#file = file;
    this.#made = makeFile(file, access);
    // Those who wait for the file get the error.
    this.#made.catch(() => undefined);
  }

  /** @throws TensorFlowError PERMISSION_DENIED and what else keeps the file from being made. */
  async ready(): Promise<void> {
    await this.#made;
  }

  /** Adds an event; writes all that wait if they are many or have waited for long. @throws TensorFlowError as `flush` */
  async write(event: Event): Promise<void> {
    this.#waiting.push(frameRecord(Event.encode(event).finish()));
    const { maxQueue, flushMillis } = this.#file;
    if (this.#waiting.length > maxQueue || Date.now() - this.#flushedMillis > flushMillis) {
      await this.flush();
    }
  }

  /** Writes all events that wait. @throws TensorFlowError RESOURCE_EXHAUSTED for a full disk, … */
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
    // No caller is left to take an error.
    this.flush().catch(() => undefined);
  }
}

/** The folder and a file in it that says only which format it has. @returns its path */
async function makeFile({ folder, suffix }: EventFile, access: FileAccess): Promise<string> {
  const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
  const end = suffix.startsWith(".") ? suffix : `.${suffix}`;
  const name = `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.${nextFile}${end}`;
  nextFile += 1;
  const file = await access.resolve(path.join(folder, name), "write");
  const version = Event.fromPartial({
    wallTime: wallTime(),
    what: { $case: "fileVersion", value: "brain.Event:2" },
    sourceMetadata: { writer: "tensorflow.core.util.events_writer" },
  });
  await withFileErrors(file, async () => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, frameRecord(Event.encode(version).finish()));
  });
  return file;
}

/** Seconds since 1970, as events have them. */
export function wallTime(): number {
  return Date.now() / 1000;
}
