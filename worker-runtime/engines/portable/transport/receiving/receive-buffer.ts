import { resourceExhausted, type TensorFlowError } from "../../../../protocol/status.js";
import { memoryBudget } from "../../kernels/support/memory-budget.js";
import { receivePool } from "../../memory/receive-pool.js";

/** Numbers of every dtype can be read in place at multiples of this many bytes. */
const ALIGNMENT_BYTES = 16;

/** Memory for a message is allocated when this share of it has arrived: stating a length costs a peer nothing. */
const ARRIVED_SHARE = 1 / 16;

/** Smaller messages do not count against the budget, so that a client can tell a full task to release something. */
const MIN_BUDGETED_BYTES = 64 * 1024;

/** Smaller messages are allocated within one buffer with others. */
const MIN_UNSHARED_BYTES = 4096;

/** For each new byte, this many of the earlier ones are copied to their destination. */
const BACKLOG_RATIO = 4;

/**
 * The one place that allocates memory according to a length that a peer states. The pieces of a message are kept until
 * a share of it has arrived; then memory for all of it is allocated, and each further piece is copied at once, so that
 * no message of many megabytes is copied in one go while others wait.
 */
export class ReceiveBuffer {
  /** The size of the whole message. */
  readonly byteLength: number;
  /** Bytes left free before it to align the data at a certain offset. */
  readonly #padding: number;
  #arrived = 0;
  /** Pieces that were not copied yet; in reverse order once there is memory for all. */
  #pieces: Uint8Array[] = [];
  #whole: Buffer | undefined;
  /** End of the part of `#whole` that is filled with pieces from before its allocation. */
  #copied = 0;

  /**
   * Allocates no memory yet.
   * @param alignedOffset the data at this offset is aligned for numbers of every dtype
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
   * Takes the next bytes, at most the rest of the message.
   * @param isReused true if the memory of the piece is overwritten once this returns
   * @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory for the message.
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

  /** Where the next bytes belong, at most so many, once the memory is allocated. Whoever writes there calls `wrote`. */
  space(maxBytes: number): Uint8Array | undefined {
    return this.#whole?.subarray(this.#arrived, this.#arrived + maxBytes);
  }

  /** So many bytes were written to the beginning of `space`. */
  wrote(count: number): void {
    this.#arrived += count;
    if (this.#whole !== undefined) {
      this.#copyBacklog(this.#whole, count * BACKLOG_RATIO);
    }
  }

  /** The message, which must be complete. */
  take(): Buffer {
    const whole = this.#whole ?? this.#allocate();
    this.#copyBacklog(whole, this.byteLength);
    return whole;
  }

  /** Copies this many bytes, or a few more, of the pieces from before the allocation. */
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
    const bytes = this.#padding + this.byteLength;
    const reused = receivePool.reuse(bytes);
    if (reused !== undefined) {
      return Buffer.from(reused, this.#padding, this.byteLength);
    }
    if (this.byteLength >= MIN_BUDGETED_BYTES && !memoryBudget.hasRoomFor(this.byteLength)) {
      throw this.#noMemory(memoryBudget.refusal(this.byteLength));
    }
    try {
      // Every byte of it is written before it is read.
      return bytes < MIN_UNSHARED_BYTES
        ? Buffer.allocUnsafe(bytes).subarray(this.#padding)
        : Buffer.from(receivePool.allocate(bytes), this.#padding, this.byteLength);
    } catch (cause) {
      throw this.#noMemory("", cause);
    }
  }

  #noMemory(why: string, cause?: unknown): TensorFlowError {
    return resourceExhausted(`There is no memory for a message of ${this.byteLength} bytes${why}`, { cause });
  }
}
