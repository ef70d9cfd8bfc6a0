import type { StreamPayload } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import { internalError } from "../../../../protocol/status.js";
import { checkMessageSize } from "../receiving/message-limits.js";
import { ReceiveBuffer } from "../receiving/receive-buffer.js";

/**
 * A message on its way in. One that comes in parts is put together in a buffer that has its size from the beginning, so
 * placed in it that the content of its tensor is aligned and need not be moved.
 */
export class IncomingPayload {
  readonly byteLength: number;
  /** The message, where it came in one piece. */
  readonly #whole: Uint8Array | undefined;
  readonly #buffer: ReceiveBuffer | undefined;

  /**
   * @param maxBytes of a message
   * @throws TensorFlowError RESOURCE_EXHAUSTED where it is too large or there is no memory for it, INTERNAL for more bytes
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
   * @throws TensorFlowError INTERNAL for more bytes than were announced, RESOURCE_EXHAUSTED where there is no memory for
   *   the message.
   */
  add(part: Uint8Array, isReused = false): void {
    const arrived = this.#buffer?.arrived ?? this.byteLength;
    if (arrived + part.byteLength > this.byteLength) {
      throw internalError(`More than the ${this.byteLength} bytes came that were announced.`);
    }
    this.#buffer?.add(part, isReused);
  }

  /** The whole message, once all of it has come. */
  get complete(): Uint8Array | undefined {
    return this.#whole ?? (this.#buffer?.isComplete ? this.#buffer.take() : undefined);
  }
}
