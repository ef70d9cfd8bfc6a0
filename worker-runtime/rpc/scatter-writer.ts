import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** Bytes fields from this size on are passed on as they are; smaller ones are cheaper to copy than to keep apart. */
const MIN_SCATTERED_BYTES = 4096;

/** Where the length of a nested message belongs, once the message is complete. */
interface Fork {
  /** Index in the list of chunks of the place kept for the length. */
  readonly chunk: number;
  /** Bytes written before the nested message. */
  readonly start: number;
}

/** A serialized message in pieces. */
export interface MessageChunks {
  readonly chunks: readonly Uint8Array[];
  /** The size of all pieces together. */
  readonly byteLength: number;
}

/**
 * A protobuf writer that does not copy large bytes fields: the message comes out as a list of chunks, of which the large
 * ones are the very arrays that were given. The base class copies a nested field of n bytes while its buffer grows, again
 * for each level of nesting (to make room for the length), and once more at the end.
 */
export class ScatterWriter extends BinaryWriter {
  #chunks: Uint8Array[] = [];
  #forks: Fork[] = [];
  #length = 0;

  override fork(): this {
    this.#flush();
    this.#forks.push({ chunk: this.#chunks.length, start: this.#length });
    this.#chunks.push(new Uint8Array(0));
    return this;
  }

  override join(): this {
    this.#flush();
    const fork = this.#forks.pop();
    if (fork === undefined) {
      throw new Error("join() without a fork().");
    }
    super.uint32(this.#length - fork.start);
    const prefix = super.finish();
    this.#chunks[fork.chunk] = prefix;
    this.#length += prefix.byteLength;
    return this;
  }

  override bytes(value: Uint8Array): this {
    if (value.byteLength < MIN_SCATTERED_BYTES) {
      return super.bytes(value);
    }
    super.uint32(value.byteLength);
    this.#flush();
    this.#chunks.push(value);
    this.#length += value.byteLength;
    return this;
  }

  /** The message in one piece: one copy of each chunk. */
  override finish(): Uint8Array<ArrayBuffer> {
    const { chunks, byteLength } = this.finishChunks();
    const message = new Uint8Array(byteLength);
    let position = 0;
    for (const chunk of chunks) {
      message.set(chunk, position);
      position += chunk.byteLength;
    }
    return message;
  }

  /** The message as chunks in order, without copying the large ones; resets the writer. */
  finishChunks(): MessageChunks {
    this.#flush();
    const result = { chunks: this.#chunks, byteLength: this.#length };
    this.#chunks = [];
    this.#forks = [];
    this.#length = 0;
    return result;
  }

  /** Takes over what the base class has buffered. */
  #flush(): void {
    const chunk = super.finish();
    if (chunk.byteLength > 0) {
      this.#chunks.push(chunk);
      this.#length += chunk.byteLength;
    }
  }
}
