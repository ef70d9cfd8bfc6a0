import { resourceExhausted, type TensorFlowError } from "../../../../protocol/status.js";
import { memoryBudget } from "../../kernels/support/memory-budget.js";

/** Numbers of every dtype can be read where they are from a multiple of this many bytes on. */
const ALIGNMENT_BYTES = 16;

/** Memory for a message is taken when this share of it has come: to state a length costs a peer nothing. */
const ARRIVED_SHARE = 1 / 16;

/** Smaller messages are not held against the budget, so that a client can tell a full task to give something back. */
const MIN_BUDGETED_BYTES = 64 * 1024;

/** For each byte that comes, so many of those that came before are copied to their place. */
const BACKLOG_RATIO = 4;

/**
 * The one place that takes memory by a length that a peer states. The pieces of a message are kept as they come until a
 * share of it is there; then memory for all of it is taken, and each further piece is copied to its place at once, so that
 * no message of many megabytes is copied in one go while others wait.
 */
export class ReceiveBuffer {
  /** Of the whole message. */
  readonly byteLength: number;
  /** Bytes left free before it, so that what is at a certain offset is aligned. */
  readonly #padding: number;
  #arrived = 0;
  /** What was not copied yet; once there is memory for all, in reverse order. */
  #pieces: Uint8Array[] = [];
  #whole: Buffer | undefined;
  /** Up to where `#whole` is filled by pieces that came before it was there. */
  #copied = 0;

  /**
   * Takes no memory yet.
   * @param alignedOffset what is at this offset is aligned for numbers of every dtype
   */
  constructor(byteLength: number, alignedOffset = 0) {
    this.byteLength = byteLength;
    this.#padding = (ALIGNMENT_BYTES - (alignedOffset % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES;
  }

  /** Bytes that have come. */
  get arrived(): number {
    return this.#arrived;
  }

  get isComplete(): boolean {
    return this.#arrived === this.byteLength;
  }

  /**
   * Takes the next bytes; there must be no more of them than the message has.
   * @param isReused the memory of the piece is written again once this returns
   * @throws TensorFlowError RESOURCE_EXHAUSTED where there is no memory for the message.
   */
  add(piece: Uint8Array, isReused = false): void {
    const start = this.#arrived;
    this.#arrived += piece.byteLength;
    if (this.#whole === undefined && this.#arrived >= this.byteLength * ARRIVED_SHARE) {
      this.#whole = this.#allocate();
      this.#pieces.reverse();
    }
    if (this.#whole === undefined) {
      this.#pieces.push(isReused ? Buffer.from(piece) : piece);
    } else {
      this.#whole.set(piece, start);
      this.#copyBacklog(this.#whole, piece.byteLength * BACKLOG_RATIO);
    }
  }

  /** The message, all of which must have come. */
  take(): Buffer {
    const whole = this.#whole ?? this.#allocate();
    this.#copyBacklog(whole, this.byteLength);
    return whole;
  }

  /** Copies so many bytes, or a few more, of what came before there was memory for all. */
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

  #allocate(): Buffer {
    if (this.byteLength >= MIN_BUDGETED_BYTES && !memoryBudget.hasRoomFor(this.byteLength)) {
      throw this.#noMemory(memoryBudget.refusal(this.byteLength));
    }
    try {
      // Every byte of it is written before it is read.
      return Buffer.allocUnsafe(this.#padding + this.byteLength).subarray(this.#padding);
    } catch (cause) {
      throw this.#noMemory("", cause);
    }
  }

  #noMemory(why: string, cause?: unknown): TensorFlowError {
    return resourceExhausted(`There is no memory for a message of ${this.byteLength} bytes${why}`, { cause });
  }
}
