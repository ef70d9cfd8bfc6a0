import { type FileHandle, open } from "node:fs/promises";
import { withFileErrors } from "../../../../../io/file-errors.js";
import { invalidArgument, resourceExhausted } from "../../../../../protocol/status.js";
import type { StepContext } from "../../../executor/step-context.js";
import { memoryBudget } from "../../support/memory-budget.js";
import { type Compression, Inflater } from "./inflater.js";

/** What reading takes of a step: what it may read, and until when. */
export type FileStep = Pick<StepContext, "files" | "signal">;

/** A small file is done with the first piece; large ones are read in larger ones. */
const FIRST_PIECE_BYTES = 2 ** 14;
const PIECE_BYTES = 2 ** 20;
/** Packed bytes may become a thousand times as many at once. */
const PACKED_PIECE_BYTES = 2 ** 16;

const NEWLINE = 0x0a;

/**
 * The bytes of a file from its start to its end, read in pieces as they are needed. The file is opened anew for each
 * piece, so that a file that is not read to its end does not stay open.
 */
export class FileBytes {
  readonly path: string;
  readonly #inflater: Inflater | undefined;
  /** What was read and not taken lies from `#start` up to `#end`. */
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #taken = 0;
  /** Where the next piece begins in the file. */
  #offset = 0;
  #ended = false;

  constructor(path: string, compression: Compression = "") {
    this.path = path;
    this.#inflater = compression === "" ? undefined : new Inflater(compression);
  }

  /** How many bytes were taken: where the next one is in the file, or in what it unpacks to. */
  get position(): number {
    return this.#taken;
  }

  /** The file's size in bytes, and whether it can be opened. @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED, … */
  async fileSize(step: FileStep): Promise<number> {
    return await this.#withFile(step, async (file) => (await file.stat()).size);
  }

  /**
   * The next bytes, fewer at the file's end, without taking them: a view until the next call.
   * @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED, … of the file; DATA_LOSS where it cannot be unpacked.
   */
  async peek(count: number, step: FileStep): Promise<Uint8Array> {
    while (this.#end - this.#start < count && !this.#ended) {
      await this.#readPiece(step);
    }
    return this.#buffer.subarray(this.#start, Math.min(this.#end, this.#start + count));
  }

  /** Takes bytes that `peek` gave. */
  skip(count: number): void {
    this.#start += count;
    this.#taken += count;
  }

  /** Takes all that is left. @throws TensorFlowError as `peek` */
  async rest(step: FileStep): Promise<Uint8Array> {
    const bytes = copyOf(await this.peek(Number.POSITIVE_INFINITY, step));
    this.skip(bytes.length);
    return bytes;
  }

  /**
   * Takes the next line without its end; undefined behind the last one. What follows the last end of line is a line of
   * its own if it has anything.
   * @param clean what is left of a line, given a view of it.
   * @throws TensorFlowError as `peek`
   */
  async line(step: FileStep, clean: (line: Uint8Array) => Uint8Array): Promise<Uint8Array | undefined> {
    let searched = 0;
    for (;;) {
      const lying = this.#buffer.subarray(this.#start, this.#end);
      const found = lying.indexOf(NEWLINE, searched);
      if (found >= 0) {
        this.skip(found + 1);
        return copyOf(clean(lying.subarray(0, found)));
      }
      if (this.#ended) {
        this.skip(lying.length);
        const last = clean(lying);
        return last.length === 0 ? undefined : copyOf(last);
      }
      searched = lying.length;
      await this.#readPiece(step);
    }
  }

  async #readPiece(step: FileStep): Promise<void> {
    step.signal.throwIfAborted();
    const size = this.#inflater === undefined ? PIECE_BYTES : PACKED_PIECE_BYTES;
    const piece = new Uint8Array(this.#offset === 0 ? FIRST_PIECE_BYTES : size);
    const { bytesRead } = await this.#withFile(step, (file) =>
      file.read(piece, 0, piece.length, this.#offset),
    );
    const bytes = piece.subarray(0, bytesRead);
    for (const unpacked of bytesRead > 0 && this.#inflater ? await this.#inflater.unpack(bytes) : [bytes]) {
      this.#append(unpacked);
    }
    this.#offset += bytesRead;
    this.#ended = bytesRead === 0;
  }

  async #withFile<T>({ files }: FileStep, use: (file: FileHandle) => Promise<T>): Promise<T> {
    const resolved = await files.resolve(this.path, "read");
    return await withFileErrors(this.path, async () => {
      const file = await open(resolved, "r");
      try {
        return await use(file);
      } finally {
        await file.close();
      }
    });
  }

  #append(bytes: Uint8Array): void {
    const unread = this.#end - this.#start;
    if (this.#buffer.length - this.#end < bytes.length) {
      // Twice as much, so that a long record is not copied again with each of its pieces.
      const size = Math.max(unread + bytes.length, Math.min(2 * unread, unread + bytes.length + 2 ** 28));
      if (!memoryBudget.hasRoomFor(size)) {
        throw resourceExhausted(`A record of ${this.path} has no room in memory: more than ${unread} bytes.`);
      }
      const larger = new Uint8Array(size);
      larger.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = larger;
      this.#start = 0;
      this.#end = unread;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }
}

/**
 * A compression as ops name it.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function compressionOf(name: string): Compression {
  if (name !== "" && name !== "GZIP" && name !== "ZLIB") {
    throw invalidArgument(`Unsupported compression_type: ${name}`);
  }
  return name;
}

/** Its own bytes: a view would keep all of the piece that it was read in. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
