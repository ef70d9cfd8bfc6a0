import { PREFIX_BYTES, statedLength } from "../../../../rpc/message-prefix.js";
import { checkMessageSize } from "./message-limits.js";
import { ReceiveBuffer } from "./receive-buffer.js";

/**
 * Assembles the messages of a call from incoming data. grpc-js keeps all of a message and copies it at the end, which
 * blocks everything else for a tenth of a second if the message has 64 MB: here each piece of a large one is copied
 * when it arrives. As grpc-js expects, messages include the five bytes of gRPC's prefix.
 */
export class MessageAssembler {
  readonly #maxBytes: number;
  #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixFilled = 0;
  /** The current message, with its prefix; set once that is complete. */
  #message: ReceiveBuffer | undefined;

  /** @param maxBytes of a message; -1 for no limit. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes === -1 ? Number.POSITIVE_INFINITY : maxBytes;
  }

  /**
   * Takes the next bytes of the call.
   * @returns the messages that they complete.
   * @throws TensorFlowError RESOURCE_EXHAUSTED for a message that is too large, or where there is no memory for it.
   */
  write(data: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    for (let position = 0; position < data.byteLength; ) {
      const message = this.#message;
      position +=
        message === undefined ? this.#readPrefix(data, position) : readMessage(message, data, position);
      if (this.#message?.isComplete) {
        messages.push(this.#message.take());
        this.#message = undefined;
      }
    }
    return messages;
  }

  /** @returns the number of bytes consumed. */
  #readPrefix(data: Buffer, position: number): number {
    const count = data.copy(this.#prefix, this.#prefixFilled, position);
    this.#prefixFilled += count;
    if (this.#prefixFilled === PREFIX_BYTES) {
      const bytes = statedLength(this.#prefix);
      checkMessageSize(bytes, this.#maxBytes);
      this.#message = new ReceiveBuffer(PREFIX_BYTES + bytes);
      this.#message.add(this.#prefix, true);
      this.#prefixFilled = 0;
    }
    return count;
  }
}

/** @returns the number of bytes consumed. */
function readMessage(message: ReceiveBuffer, data: Buffer, position: number): number {
  const piece = data.subarray(position, position + message.byteLength - message.arrived);
  message.add(piece);
  return piece.byteLength;
}
