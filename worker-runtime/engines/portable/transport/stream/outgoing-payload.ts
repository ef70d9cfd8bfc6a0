import { encodeChunks } from "../../../../rpc/message-coding.js";
import type { MessageType } from "../../../../rpc/message-type.js";
import type { MessageChunks } from "../../../../rpc/scatter-writer.js";

/** Smaller chunks are joined: each piece costs a write and a header. Copying one of this size costs as much. */
const MIN_ALONE_BYTES = 64 * 1024;

/** An outgoing message, sent piece by piece. A large bytes field is not copied. */
export class OutgoingPayload {
  readonly byteLength: number;
  /** Where its largest bytes field begins; 0 if it has none of relevant size. */
  readonly alignedOffset: number;
  readonly #chunks: readonly Uint8Array[];
  /** The next chunk, and the number of bytes taken from it. */
  #index = 0;
  #taken = 0;
  #left: number;

  constructor({ chunks, byteLength }: MessageChunks) {
    this.byteLength = byteLength;
    this.#chunks = chunks;
    this.#left = byteLength;
    this.alignedOffset = offsetOfLargest(chunks);
  }

  static of<T>(type: MessageType<T>, message: T): OutgoingPayload {
    return new OutgoingPayload(encodeChunks(type, message));
  }

  /** Remaining bytes. */
  get left(): number {
    return this.#left;
  }

  /** The next bytes: at most as many as requested, fewer before and after a large chunk, which is not copied. */
  take(maxBytes: number): Uint8Array {
    const size = Math.min(maxBytes, this.#nextBytes());
    const first = this.#chunks[this.#index];
    if (first !== undefined && first.byteLength - this.#taken >= size) {
      return this.#advance(first, size);
    }
    const bytes = new Uint8Array(size);
    for (let filled = 0; filled < size; ) {
      const chunk = this.#chunks[this.#index];
      if (chunk === undefined) {
        break;
      }
      const piece = this.#advance(chunk, Math.min(chunk.byteLength - this.#taken, size - filled));
      bytes.set(piece, filled);
      filled += piece.byteLength;
    }
    return bytes;
  }

  /** The rest of a large chunk, or of the small ones that come before the next large one. */
  #nextBytes(): number {
    let bytes = (this.#chunks[this.#index]?.byteLength ?? 0) - this.#taken;
    for (let i = this.#index + 1; bytes < MIN_ALONE_BYTES; i += 1) {
      const next = this.#chunks[i]?.byteLength;
      if (next === undefined || next >= MIN_ALONE_BYTES) {
        break;
      }
      bytes += next;
    }
    return bytes;
  }

  #advance(chunk: Uint8Array, size: number): Uint8Array {
    const piece = chunk.subarray(this.#taken, this.#taken + size);
    this.#taken += size;
    this.#left -= size;
    if (this.#taken === chunk.byteLength) {
      this.#index += 1;
      this.#taken = 0;
    }
    return piece;
  }
}

function offsetOfLargest(chunks: readonly Uint8Array[]): number {
  let largest = 0;
  let largestAt = 0;
  let at = 0;
  for (const { byteLength } of chunks) {
    if (byteLength > largest) {
      largest = byteLength;
      largestAt = at;
    }
    at += byteLength;
  }
  return largestAt;
}
