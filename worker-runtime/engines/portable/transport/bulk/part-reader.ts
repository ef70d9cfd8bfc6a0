import type { TensorFlowError } from "../../../../protocol/status.js";
import { isRefusedMessage } from "../receiving/message-limits.js";
import type { IncomingPayload } from "../stream/incoming-payload.js";
import { decodePartHead, PART_HEAD_BYTES, type PartHead } from "./bulk-coding.js";

/** Receives the parts. */
export interface PartSink {
  /** Where the bytes of a part go; undefined if they are no longer needed. */
  begin(head: PartHead): IncomingPayload | undefined;
  /** There is no memory for the answer; the rest of it is skipped. */
  refused(callId: number, error: TensorFlowError): void;
  /** All bytes of a part were added. */
  end(callId: number): void;
}

/** Bytes without a destination, or whose destination is not allocated yet, are read here and copied or dropped. */
const SCRATCH_BYTES = 256 * 1024;

/**
 * Parses the bytes of a bulk connection as they arrive. It says where the next ones have to be written, so that the
 * bytes of a large answer are read from the system directly into the memory of the message.
 */
export class PartReader {
  readonly #sink: PartSink;
  readonly #head = Buffer.alloc(PART_HEAD_BYTES);
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #headFilled = 0;
  #callId = 0;
  /** Bytes of the current part that have not arrived. */
  #left = 0;
  #payload: IncomingPayload | undefined;
  #space: Uint8Array = this.#head;
  /** Whether `#space` is part of the message. */
  #isDirect = false;

  constructor(sink: PartSink) {
    this.#sink = sink;
  }

  /** Where the next bytes belong: at least one, at most as many as the current head or part still needs. */
  get space(): Uint8Array {
    return this.#space;
  }

  /**
   * Takes the bytes that were written to the beginning of `space`; it is another one afterwards.
   * @throws TensorFlowError INTERNAL for more bytes than an answer announced, and whatever the sink throws.
   */
  wrote(count: number): void {
    if (this.#left === 0) {
      this.#readHead(count);
    } else {
      this.#readPart(count);
    }
    this.#space = this.#nextSpace();
  }

  #nextSpace(): Uint8Array {
    if (this.#left === 0) {
      this.#isDirect = false;
      return this.#head.subarray(this.#headFilled);
    }
    const direct = this.#payload?.space(this.#left);
    this.#isDirect = direct !== undefined;
    return direct ?? this.#scratch.subarray(0, this.#left);
  }

  #readHead(count: number): void {
    this.#headFilled += count;
    if (this.#headFilled === PART_HEAD_BYTES) {
      this.#headFilled = 0;
      const head = decodePartHead(this.#head);
      this.#callId = head.callId;
      this.#left = head.partBytes;
      this.#payload = this.#sink.begin(head);
    }
  }

  #readPart(count: number): void {
    if (this.#isDirect) {
      this.#payload?.wrote(count);
    } else {
      this.#add(this.#space.subarray(0, count));
    }
    this.#left -= count;
    if (this.#left === 0) {
      this.#payload = undefined;
      this.#sink.end(this.#callId);
    }
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
