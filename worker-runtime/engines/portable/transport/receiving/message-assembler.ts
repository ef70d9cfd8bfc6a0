import { memoryBudget } from "../../kernels/support/memory-budget.js";

/** What gRPC puts before a message: whether it is compressed, and its length, big endian. */
export const PREFIX_BYTES = 5;

/** Smaller messages are put together when all of them is there: it takes well below a millisecond. */
const MIN_LARGE_BYTES = 2 ** 20;

/** Memory for a large message is taken when this part of it has come: the announcement alone costs its sender nothing. */
const ARRIVED_SHARE = 1 / 8;

/** For each byte that comes, so many of those that came before are copied to their place. */
const BACKLOG_RATIO = 4;

/**
 * Puts the messages of a call together from the data that comes. grpc-js keeps all of a message and copies it at the end,
 * which holds up everybody else for a tenth of a second where the message has 64 MB: here each piece of a large one is
 * copied when it comes. As grpc-js wants them, messages are given with the five bytes that gRPC puts before each.
 */
export class MessageAssembler {
  readonly #maxBytes: number;
  #prefix = Buffer.alloc(PREFIX_BYTES);
  /** What came of the message so far, its prefix included. */
  #arrived = 0;
  /** Of the message that is coming, with its prefix; known when that is complete. */
  #size = 0;
  /** What was not copied yet. */
  #pieces: Buffer[] = [];
  #whole: Buffer | undefined;
  /** Up to where `#whole` is filled by pieces that came before it was there. */
  #copied = 0;

  /** @param maxBytes of a message; -1 for any number. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next bytes of the call.
   * @returns the messages that they complete.
   * @throws Error with gRPC's text for a message that is too large, or where there is no memory for it.
   */
  write(data: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    for (let position = 0; position < data.byteLength; ) {
      position +=
        this.#arrived < PREFIX_BYTES ? this.#readPrefix(data, position) : this.#read(data, position);
      if (this.#arrived >= PREFIX_BYTES && this.#arrived === this.#size) {
        messages.push(this.#take());
      }
    }
    return messages;
  }

  /** @returns how many bytes it took. */
  #readPrefix(data: Buffer, position: number): number {
    const count = data.copy(this.#prefix, this.#arrived, position);
    this.#arrived += count;
    if (this.#arrived === PREFIX_BYTES) {
      const bytes = this.#prefix.readUInt32BE(1);
      if (this.#maxBytes !== -1 && bytes > this.#maxBytes) {
        throw new Error(`Received message larger than max (${bytes} vs ${this.#maxBytes})`);
      }
      this.#size = PREFIX_BYTES + bytes;
      this.#pieces.push(this.#prefix);
    }
    return count;
  }

  #read(data: Buffer, position: number): number {
    const piece = data.subarray(position, position + this.#size - this.#arrived);
    const start = this.#arrived;
    this.#arrived += piece.byteLength;
    if (this.#whole === undefined) {
      this.#pieces.push(piece);
      if (this.#size >= MIN_LARGE_BYTES && this.#arrived >= this.#size * ARRIVED_SHARE) {
        if (!memoryBudget.hasRoomNow(this.#size)) {
          throw new Error(
            `There is no memory for a message of ${this.#size} bytes${memoryBudget.refusal(this.#size)}`,
          );
        }
        this.#whole = Buffer.allocUnsafeSlow(this.#size);
        this.#pieces.reverse();
      }
    } else {
      this.#whole.set(piece, start);
      this.#copyBacklog(this.#whole, piece.byteLength * BACKLOG_RATIO);
    }
    return piece.byteLength;
  }

  /** Copies so many bytes, or a few more, of what came before there was memory for all. The first piece is the last one. */
  #copyBacklog(whole: Buffer, bytes: number): void {
    const end = this.#copied + bytes;
    while (this.#copied < end) {
      const piece = this.#pieces.pop();
      if (piece === undefined) {
        return;
      }
      whole.set(piece, this.#copied);
      this.#copied += piece.byteLength;
    }
  }

  #take(): Buffer {
    const whole = this.#whole ?? Buffer.concat(this.#pieces, this.#size);
    if (this.#whole !== undefined) {
      this.#copyBacklog(whole, this.#size);
    }
    this.#prefix = Buffer.alloc(PREFIX_BYTES);
    this.#arrived = 0;
    this.#size = 0;
    this.#pieces = [];
    this.#whole = undefined;
    this.#copied = 0;
    return whole;
  }
}
