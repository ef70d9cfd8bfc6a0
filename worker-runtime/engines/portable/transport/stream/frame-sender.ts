import type { StreamFrame, StreamPayload } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import type { OutgoingPayload } from "./outgoing-payload.js";

/** Maximum payload bytes in one frame. Smaller frames cost more calls, larger ones delay the frames behind them. */
export const PART_BYTES = 512 * 1024;

/** Payloads up to this size are sent at once, before the parts of larger ones. */
const EXPRESS_BYTES = 16 * 1024;

/** Maximum parts in the network's buffers; further frames wait here and can be overtaken. */
const MAX_PARTS_IN_FLIGHT = 2;

/** Approximate bytes of a frame besides its payload. */
const FRAME_BYTES = 64;

/** Passes a frame to the network. `taken` is called when it can take more. */
export type FrameWriter = (frame: StreamFrame, taken: () => void) => void;

/** The request or response whose payload is sent. */
export interface PayloadFrames {
  readonly callId: number;
  readonly payload: OutgoingPayload;
  /** The first frame's content, with the beginning of the payload. */
  first(payload: StreamPayload): StreamFrame["content"];
  /** Called once when all of it was passed on, or it was dropped. */
  done?(): void;
}

/**
 * One direction of a stream. Small frames are sent first; large payloads are cut into parts and take turns, so that
 * none of them holds up the others. Only as much is passed on as the network takes: data that a slow reader has not
 * fetched stays in the tensors themselves.
 */
export class FrameSender {
  readonly #write: FrameWriter;
  readonly #partBytes: number;
  readonly #express: StreamFrame[] = [];
  /** Large payloads, the next one first. */
  readonly #large = new Map<number, Transfer>();
  #inFlight = 0;
  #partsTaken = 0;
  #isPumping = false;
  #isClosed = false;

  /** @param partBytes maximum payload bytes in one frame */
  constructor(write: FrameWriter, partBytes = PART_BYTES) {
    this.#write = write;
    this.#partBytes = partBytes;
  }

  /** Number of payloads that are not sent completely. */
  get waiting(): number {
    return this.#large.size;
  }

  /** Whether the network has data that was not sent yet. */
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
   * @returns true if the other side never learns of the call, since nothing of the payload was sent.
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
    // A writer may call back synchronously.
    if (this.#isPumping) {
      return;
    }
    this.#isPumping = true;
    while (!this.#isClosed && this.#inFlight < MAX_PARTS_IN_FLIGHT * this.#partBytes) {
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
      ? { callId, content: { $case: "part" as const, value: payload.take(this.#partBytes) } }
      : firstFrame(frames, this.#partBytes);
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
