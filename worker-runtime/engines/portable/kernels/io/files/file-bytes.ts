import { type FileHandle, open } from "node:fs/promises";
import { withFileErrors } from "../../../../../io/file-errors.js";
import { invalidArgument, resourceExhausted } from "../../../../../protocol/status.js";
import type { StepContext } from "../../../executor/step-context.js";
import { memoryBudget } from "../../support/memory-budget.js";
import { type Compression, Inflater } from "./inflater.js";

/** The parts of a step that reading needs: file access and cancellation. */
export type FileStep = Pick<StepContext, "files" | "signal">;

/** A small file fits in the first piece; large files are read in larger pieces. */
const FIRST_PIECE_BYTES = 2 ** 14;
const PIECE_BYTES = 2 ** 20;
/** Compressed bytes may expand a thousandfold. */
const PACKED_PIECE_BYTES = 2 ** 16;

const NEWLINE = 0x0a;

/**
 * The bytes of a file from start to end, read in pieces on demand. The file is reopened for each piece, so a file that
 * is not read to its end does not stay open.
 */
export class FileBytes {
  readonly path: string;
  readonly #inflater: Inflater | undefined;
  /** Bytes read but not consumed lie from `#start` up to `#end`. */
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #taken = 0;
  /** The offset of the next piece in the file. */
  #offset = 0;
  #ended = false;

  constructor(path: string, compression: Compression = "") {
    this.path = path;
    this.#inflater = compression === "" ? undefined : new Inflater(compression);
  }

  /** The number of bytes consumed: the offset of the next one in the file or its uncompressed content. */
  get position(): number {
    return this.#taken;
  }

  /** The file's size in bytes, and whether it can be opened. @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED, … */
  async fileSize(step: FileStep): Promise<number> {
    return await this.#withFile(step, async (file) => (await file.stat()).size);
  }

  /**
   * Returns the next bytes without consuming them, fewer at the end of the file. The view is valid until the next call.
   * @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED, … of the file; DATA_LOSS if it cannot be decompressed.
   */
  async peek(count: number, step: FileStep): Promise<Uint8Array> {
    while (this.#end - this.#start < count && !this.#ended) {
      await this.#readPiece(step);
    }
    return this.#buffer.subarray(this.#start, Math.min(this.#end, this.#start + count));
  }

  /** Consumes bytes that `peek` returned. */
  skip(count: number): void {
    this.#start += count;
    this.#taken += count;
  }

  /** Consumes and returns the rest. @throws TensorFlowError as `peek` */
  async rest(step: FileStep): Promise<Uint8Array> {
    const bytes = copyOf(await this.peek(Number.POSITIVE_INFINITY, step));
    this.skip(bytes.length);
    return bytes;
  }

  /**
   * Consumes and returns the next line without its end; undefined after the last one. Text after the last line end is a
   * line unless it is empty.
   * @param clean maps a view of a line to the part to keep.
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
      // Doubles the buffer, so a long record is not copied again with each piece.
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
 * Parses the name of a compression, as ops have it.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function compressionOf(name: string): Compression {
  if (name !== "" && name !== "GZIP" && name !== "ZLIB") {
    throw invalidArgument(`Unsupported compression_type: ${name}`);
  }
  return name;
}

/** Copies the bytes: a view would keep the whole piece alive. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
