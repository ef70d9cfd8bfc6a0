import type { StreamPayload } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import { internalError } from "../../../../protocol/status.js";
import { checkMessageSize } from "../receiving/message-limits.js";
import { ReceiveBuffer } from "../receiving/receive-buffer.js";

/**
 * An incoming message. One that comes in parts is assembled in a buffer of its full size, positioned so that the
 * content of its tensor is aligned and need not be moved.
 */
export class IncomingPayload {
  readonly byteLength: number;
  /** The message, if it came in one piece. */
  readonly #whole: Uint8Array | undefined;
  readonly #buffer: ReceiveBuffer | undefined;

  /**
   * @param maxBytes of a message
   * @throws TensorFlowError RESOURCE_EXHAUSTED if it is too large or there is no memory for it, INTERNAL for more bytes
   *   than announced.
   */
  constructor({ size, alignedOffset, data }: StreamPayload, maxBytes: number) {
    checkMessageSize(size, maxBytes);
    this.byteLength = size;
    if (data.byteLength === size) {
      this.#whole = data;
      return;
    }
    this.#buffer = new ReceiveBuffer(size, alignedOffset);
    this.add(data);
  }

  /**
   * @param isReused the memory of the part is written again once this returns
   * @throws TensorFlowError INTERNAL for more bytes than were announced, RESOURCE_EXHAUSTED if there is no memory for
   *   the message.
   */
  add(part: Uint8Array, isReused = false): void {
    this.#checkRest(part.byteLength);
    this.#buffer?.add(part, isReused);
  }

  /**
   * Where the next bytes belong, if there is memory for them already: who reads them into it saves a copy, and then calls
   * `wrote`. Undefined if they have to be added with `add`.
   * @param maxBytes of it
   * @throws TensorFlowError INTERNAL if that is more than was announced.
   */
  space(maxBytes: number): Uint8Array | undefined {
    this.#checkRest(maxBytes);
    return this.#buffer?.space(maxBytes);
  }

  /** So many bytes were written to the beginning of `space`. */
  wrote(count: number): void {
    this.#buffer?.wrote(count);
  }

  /** The whole message, once all of it has come. */
  get complete(): Uint8Array | undefined {
    return this.#whole ?? (this.#buffer?.isComplete ? this.#buffer.take() : undefined);
  }

  #checkRest(bytes: number): void {
    const arrived = this.#buffer?.arrived ?? this.byteLength;
    if (arrived + bytes > this.byteLength) {
      throw internalError(`More than the ${this.byteLength} bytes came that were announced.`);
    }
  }
}
