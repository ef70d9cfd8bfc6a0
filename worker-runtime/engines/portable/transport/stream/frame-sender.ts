import type { StreamFrame, StreamPayload } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import type { OutgoingPayload } from "./outgoing-payload.js";

/** The most payload bytes in one frame. Smaller ones cost more calls, larger ones hold up what comes behind. */
export const PART_BYTES = 512 * 1024;

/** Payloads up to this size go out at once, before the parts of larger ones. */
const EXPRESS_BYTES = 16 * 1024;

/** Bytes that are handed on and not yet taken by the network; beyond them, frames wait here and can be overtaken. */
const MAX_IN_FLIGHT_BYTES = 2 * PART_BYTES;

/** What a frame takes besides its payload, about. */
const FRAME_BYTES = 64;

/** Hands a frame to the network. `taken` is called when it can take more. */
export type FrameWriter = (frame: StreamFrame, taken: () => void) => void;

/** The request or response whose payload is sent. */
export interface PayloadFrames {
  readonly callId: number;
  readonly payload: OutgoingPayload;
  /** The first frame's content, with the beginning of the payload. */
  first(payload: StreamPayload): StreamFrame["content"];
  /** Told once when all of it was handed on, or it was dropped. */
  done?(): void;
}

/**
 * One direction of a stream. Small frames are sent first; large payloads are cut into parts and take turns, so that none
 * of them holds up the others. No more is handed on than the network takes: what a slow reader does not fetch stays where
 * it is, in the tensors themselves.
 */
export class FrameSender {
  readonly #write: FrameWriter;
  readonly #express: StreamFrame[] = [];
  /** Large payloads, the one whose turn it is first. */
  readonly #large = new Map<number, Transfer>();
  #inFlight = 0;
  #partsTaken = 0;
  #isPumping = false;
  #isClosed = false;

  constructor(write: FrameWriter) {
    this.#write = write;
  }

  /** Payloads that are not sent completely. */
  get waiting(): number {
    return this.#large.size;
  }

  /** Whether the network has something that it did not take yet. */
  get isInFlight(): boolean {
    return this.#inFlight > 0;
  }

  /** Parts of large payloads that the network has taken so far: a dead one takes no more of them than its buffers hold. */
  get partsTaken(): number {
    return this.#partsTaken;
  }

  /** Sends a frame without payload, or with a small one. */
  send(frame: StreamFrame): void {
    if (!this.#isClosed) {
      this.#express.push(frame);
      this.#pump();
    }
  }

  /** Sends a request or a response. */
  sendPayload(frames: PayloadFrames): void {
    if (this.#isClosed) {
      frames.done?.();
    } else if (frames.payload.byteLength <= EXPRESS_BYTES) {
      this.send(firstFrame(frames, EXPRESS_BYTES));
      frames.done?.();
    } else {
      this.#large.set(frames.callId, { frames, isBegun: false });
      this.#pump();
    }
  }

  /**
   * Sends no more of a call's payload.
   * @returns whether the other side never hears of the call: nothing of the payload was sent.
   */
  drop(callId: number): boolean {
    const transfer = this.#large.get(callId);
    this.#large.delete(callId);
    transfer?.frames.done?.();
    return transfer?.isBegun === false;
  }

  /** The stream is gone: drops everything. */
  close(): void {
    this.#isClosed = true;
    this.#express.length = 0;
    for (const callId of [...this.#large.keys()]) {
      this.drop(callId);
    }
  }

  #pump(): void {
    // A writer that takes a frame at once calls back at once.
    if (this.#isPumping) {
      return;
    }
    this.#isPumping = true;
    while (!this.#isClosed && this.#inFlight < MAX_IN_FLIGHT_BYTES) {
      const frame = this.#express.shift() ?? this.#nextPart();
      if (frame === undefined) {
        break;
      }
      this.#handOn(frame);
    }
    this.#isPumping = false;
  }

  #handOn(frame: StreamFrame): void {
    const size = FRAME_BYTES + payloadBytes(frame);
    this.#inFlight += size;
    this.#write(frame, () => {
      this.#inFlight -= size;
      this.#partsTaken += size > EXPRESS_BYTES ? 1 : 0;
      this.#pump();
    });
  }

  #nextPart(): StreamFrame | undefined {
    const [transfer] = this.#large.values();
    if (transfer === undefined) {
      return undefined;
    }
    const { frames } = transfer;
    const { callId, payload } = frames;
    const frame = transfer.isBegun
      ? { callId, content: { $case: "part" as const, value: payload.take(PART_BYTES) } }
      : firstFrame(frames, PART_BYTES);
    transfer.isBegun = true;
    this.#large.delete(callId);
    if (payload.left > 0) {
      this.#large.set(callId, transfer);
    } else {
      frames.done?.();
    }
    return frame;
  }
}

interface Transfer {
  readonly frames: PayloadFrames;
  isBegun: boolean;
}

function firstFrame({ callId, payload, first }: PayloadFrames, maxBytes: number): StreamFrame {
  const { byteLength: size, alignedOffset } = payload;
  return { callId, content: first({ size, alignedOffset, data: payload.take(maxBytes) }) };
}

function payloadBytes({ content }: StreamFrame): number {
  switch (content?.$case) {
    case "part":
      return content.value.byteLength;
    case "request":
    case "response":
      return content.value.payload?.data.byteLength ?? 0;
    default:
      return 0;
  }
}
