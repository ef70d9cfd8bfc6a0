import type { TensorFlowError } from "../../../../protocol/status.js";
import { isRefusedMessage } from "../receiving/message-limits.js";
import type { IncomingPayload } from "../stream/incoming-payload.js";
import { decodePartHead, PART_HEAD_BYTES, type PartHead } from "./bulk-coding.js";

/** Who takes the parts. */
export interface PartSink {
  /** Where the bytes of a part go; undefined if they are no longer needed. */
  begin(head: PartHead): IncomingPayload | undefined;
  /** There is no memory for the answer; what else comes of it is passed over. */
  refused(callId: number, error: TensorFlowError): void;
  /** All bytes of a part were added. */
  end(callId: number): void;
}

/** Takes the bytes of a bulk connection apart as they come, whole or in pieces. They are copied out of what it is given. */
export class PartReader {
  readonly #sink: PartSink;
  readonly #head = Buffer.alloc(PART_HEAD_BYTES);
  #headFilled = 0;
  #callId = 0;
  /** Bytes of the current part that have not come. */
  #left = 0;
  #payload: IncomingPayload | undefined;

  constructor(sink: PartSink) {
    this.#sink = sink;
  }

  /** @throws TensorFlowError INTERNAL for more bytes than an answer announced, and whatever the sink throws. */
  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      at += this.#left === 0 ? this.#readHead(bytes, at) : this.#readPart(bytes, at);
    }
  }

  #readHead(bytes: Uint8Array, at: number): number {
    const taken = Math.min(PART_HEAD_BYTES - this.#headFilled, bytes.byteLength - at);
    this.#head.set(bytes.subarray(at, at + taken), this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled === PART_HEAD_BYTES) {
      this.#headFilled = 0;
      const head = decodePartHead(this.#head);
      this.#callId = head.callId;
      this.#left = head.partBytes;
      this.#payload = this.#sink.begin(head);
    }
    return taken;
  }

  #readPart(bytes: Uint8Array, at: number): number {
    const taken = Math.min(this.#left, bytes.byteLength - at);
    this.#add(bytes.subarray(at, at + taken));
    this.#left -= taken;
    if (this.#left === 0) {
      this.#payload = undefined;
      this.#sink.end(this.#callId);
    }
    return taken;
  }

  #add(bytes: Uint8Array): void {
    try {
      this.#payload?.add(bytes, true);
    } catch (error) {
      if (!isRefusedMessage(error)) {
        throw error;
      }
      this.#payload = undefined;
      this.#sink.refused(this.#callId, error);
    }
  }
}
