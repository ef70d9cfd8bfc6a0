import { type ClientDuplexStream, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import {
  type StreamFailure,
  StreamFrame,
  type StreamPayload,
  WorkerStreamDefinition,
} from "../../../../../protos/generated/tensordeck/worker_stream.js";
import {
  asTensorFlowError,
  internalError,
  StatusCode,
  statusCodeOf,
  TensorFlowError,
} from "../../../../protocol/status.js";
import type { Channel } from "../../../../rpc/channel.js";
import { decodeMessage, encodeMessage } from "../../../../rpc/message-coding.js";
import { decodePayloads, errorOfCall, lostConnectionError } from "../../../../rpc/rpc-error.js";
import {
  BULK_BYTES,
  BULK_KEY_BYTES,
  BULK_KEY_HEADER,
  HEARTBEAT_CALL_ID,
  type PartHead,
} from "../bulk/bulk-coding.js";
import { type BulkDialer, BulkReceiver } from "../bulk/bulk-receiver.js";
import { isRefusedMessage } from "../receiving/message-limits.js";
import { type SilenceLimits, silentPeerError, watchSilence } from "../sockets/silence-watch.js";
import { FrameSender } from "./frame-sender.js";
import { IncomingPayload } from "./incoming-payload.js";
import type { OutgoingPayload } from "./outgoing-payload.js";

const MAX_CALL_ID = 2 ** 32 - 1;

export interface ClientStreamOptions {
  /** For large answers; without it they come on the stream. */
  readonly dialBulk?: BulkDialer | undefined;
  /** The largest answer. */
  readonly maxMessageBytes: number;
  /** When a silent bulk connection is considered dead. */
  readonly silence: SilenceLimits;
}

/** The outcome of opening a stream. */
export type Opening = "open" | "unknown service" | "failed";

/** A call that waits for its answer. */
export interface WaitingCall {
  /** "RecvTensor". */
  readonly method: string;
  /** Called with the serialized answer. If it throws, the call fails. */
  answered(bytes: Uint8Array): void;
  failed(error: TensorFlowError): void;
}

interface Waiting {
  readonly call: WaitingCall;
  /** The answer, once its beginning has arrived. */
  response?: IncomingPayload;
}

const passBytes = (bytes: Buffer): Buffer => bytes;

/** The caller's end of one stream, from its opening to its end. Calls can be made once `opening` resolves to open. */
export class ClientStream {
  /** Never rejects. */
  readonly opening: Promise<Opening>;
  readonly #address: string;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #sender: FrameSender;
  readonly #waiting = new Map<number, Waiting>();
  #isOpen = false;
  #error: ServiceError | undefined;
  #hasEnded = false;
  #lastId = 0;
  readonly #dialBulk: BulkDialer | undefined;
  /** The key by which the other side recognises a bulk connection; absent once it was used. */
  #bulkKey: Uint8Array | undefined;
  #bulk: BulkReceiver | undefined;
  /** Whether the other side sends signs of life on the bulk connection; earlier versions do not. */
  #hasHeartbeat = false;
  #stopWatchingBulk: (() => void) | undefined;
  readonly #maxMessageBytes: number;
  readonly #silence: SilenceLimits;
  #framesReceived = 0;
  /** Why it was closed from here. */
  #closeReason: TensorFlowError | undefined;

  constructor(channel: Channel, { dialBulk, maxMessageBytes, silence }: ClientStreamOptions) {
    const { fullName, methods } = WorkerStreamDefinition;
    this.#address = channel.address;
    this.#dialBulk = dialBulk;
    this.#maxMessageBytes = maxMessageBytes;
    this.#silence = silence;
    const stream = channel.client.makeBidiStreamRequest(
      `/${fullName}/${methods.open.name}`,
      passBytes,
      passBytes,
      new Metadata(),
    );
    this.#stream = stream;
    this.#sender = new FrameSender((frame, taken) => stream.write(encodeMessage(StreamFrame, frame), taken));
    this.opening = new Promise((resolve) => {
      stream.once("metadata", (headers: Metadata) => {
        this.#framesReceived += 1;
        const [key] = headers.get(BULK_KEY_HEADER);
        this.#bulkKey = Buffer.isBuffer(key) && key.byteLength === BULK_KEY_BYTES ? key : undefined;
        this.#isOpen = !this.#hasEnded;
        resolve(this.#isOpen ? "open" : "failed");
      });
      stream.once("error", (error: ServiceError) => {
        this.#end(error);
        resolve(error.code === status.UNIMPLEMENTED ? "unknown service" : "failed");
      });
      stream.once("status", () => {
        this.#end(undefined);
        resolve("failed");
      });
    });
    stream.on("error", () => undefined);
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
  }

  /** Whether calls can be made. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether a call waits for its answer. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Changes whenever something came, or a part of a large request was sent. */
  get signs(): number {
    return this.#framesReceived + this.#sender.partsTaken + (this.#bulk?.bytesReceived ?? 0);
  }

  /** Sends a request. The stream must be open. @returns the call's id, for `cancel`. */
  call(call: WaitingCall, payload: OutgoingPayload): number {
    const callId = this.#newId();
    this.#waiting.set(callId, { call });
    this.#sender.sendPayload({
      callId,
      payload,
      first: (value) => ({ $case: "request", value: { method: call.method, payload: value } }),
    });
    return callId;
  }

  /** Stops waiting for a call, and notifies the other side. A call that has ended is ignored. */
  cancel(callId: number): void {
    if (this.#waiting.delete(callId) && !this.#sender.drop(callId)) {
      this.#sender.send({ callId, content: { $case: "cancel", value: {} } });
    }
  }

  /** Ends the stream; calls that wait fail with the reason. */
  close(reason: TensorFlowError): void {
    this.#breakOff(reason);
  }

  /** The error of a call on a stream that has ended. */
  errorFor(method: string): TensorFlowError {
    if (this.#closeReason !== undefined) {
      return this.#closeReason;
    }
    return this.#error === undefined || this.#error.code === status.OK
      ? lostConnectionError(method, this.#address, "the stream was ended")
      : errorOfCall(this.#error, method, this.#address);
  }

  #receive(bytes: Buffer): void {
    this.#framesReceived += 1;
    try {
      this.#handle(decodeMessage(StreamFrame, bytes));
    } catch (error) {
      // The frame was not understood, so nothing that follows can be.
      this.#breakOff(error);
    }
  }

  /** @param error why, undefined if the connection was lost. */
  #breakOff(error: unknown): void {
    if (error !== undefined && !this.#hasEnded) {
      this.#closeReason = asTensorFlowError(error, StatusCode.INTERNAL);
    }
    this.#end(undefined);
    this.#stream.cancel();
  }

  #handle({ callId, content }: StreamFrame): void {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) {
      // The answer to a call that was cancelled.
      return;
    }
    switch (content?.$case) {
      case "response": {
        const { payload } = content.value;
        if (payload === undefined || waiting.response !== undefined) {
          throw internalError(`The answer of ${this.#address} is not whole or comes twice.`);
        }
        if (payload.size >= BULK_BYTES) {
          this.#openBulk();
        }
        if (this.#beginAnswer(callId, waiting, payload) !== undefined) {
          this.#deliver(callId, waiting);
        }
        return;
      }
      case "part":
        this.#addPart(callId, waiting, content.value);
        return;
      case "failure":
        this.#forget(callId);
        waiting.call.failed(this.#failureOf(content.value, waiting.call.method));
        return;
      default:
        throw internalError("Received a frame that only a caller sends.");
    }
  }

  /** @throws TensorFlowError INTERNAL for more bytes than were announced. */
  #addPart(callId: number, waiting: Waiting, part: Uint8Array): void {
    try {
      waiting.response?.add(part);
    } catch (error) {
      if (!isRefusedMessage(error)) {
        throw error;
      }
      this.#giveUp(callId, error);
      return;
    }
    this.#deliver(callId, waiting);
  }

  /** Undefined for an answer that cannot be received; the call has then failed. */
  #beginAnswer(callId: number, waiting: Waiting, payload: StreamPayload): IncomingPayload | undefined {
    try {
      waiting.response = new IncomingPayload(payload, this.#maxMessageBytes);
    } catch (error) {
      this.#giveUp(callId, asTensorFlowError(error));
    }
    return waiting.response;
  }

  /** There was one large answer, so there will be more. */
  #openBulk(): void {
    const key = this.#bulkKey;
    if (key !== undefined && this.#dialBulk !== undefined) {
      this.#bulkKey = undefined;
      this.#bulk = new BulkReceiver(this.#dialBulk, key, {
        begin: (head) => this.#beginPart(head),
        refused: (callId, error) => this.#giveUp(callId, error),
        end: (callId) => {
          const waiting = this.#waiting.get(callId);
          if (waiting !== undefined) {
            this.#deliver(callId, waiting);
          }
        },
        lost: (error) => this.#breakOff(error),
      });
      this.#watchBulk(this.#bulk);
    }
  }

  /** While the stream is open and answers are awaited, the bulk connection must be alive, too: they may come on it. */
  #watchBulk(bulk: BulkReceiver): void {
    this.#stopWatchingBulk = watchSilence(
      {
        signs: () => bulk.bytesReceived,
        isAwaited: () => this.#hasHeartbeat && this.isAwaited,
        gone: () => this.#breakOff(silentPeerError(this.#address, this.#silence)),
      },
      this.#silence,
    );
  }

  #beginPart({ callId, size, alignedOffset }: PartHead): IncomingPayload | undefined {
    if (callId === HEARTBEAT_CALL_ID) {
      this.#hasHeartbeat = true;
      return undefined;
    }
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined || waiting.response !== undefined) {
      return waiting?.response;
    }
    return this.#beginAnswer(callId, waiting, { size, alignedOffset, data: new Uint8Array(0) });
  }

  #deliver(callId: number, { call, response }: Waiting): void {
    const bytes = response?.complete;
    if (bytes !== undefined) {
      this.#forget(callId);
      call.answered(bytes);
    }
  }

  /** An answer that cannot be received fails only its own call. */
  #giveUp(callId: number, error: TensorFlowError): void {
    const waiting = this.#waiting.get(callId);
    this.cancel(callId);
    waiting?.call.failed(error);
  }

  /** A call may be answered before its request is sent completely. */
  #forget(callId: number): void {
    this.#waiting.delete(callId);
    this.#sender.drop(callId);
  }

  #failureOf({ code, message, payloads }: StreamFailure, method: string): TensorFlowError {
    const text =
      message !== ""
        ? message
        : code === StatusCode.UNIMPLEMENTED
          ? `${this.#address} does not offer ${method}: another program or an older version may listen there.`
          : `${method} at ${this.#address} failed without a message.`;
    return new TensorFlowError(statusCodeOf(code), text, { payloads: decodePayloads(payloads) });
  }

  #end(error: ServiceError | undefined): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    this.#isOpen = false;
    this.#error = error;
    this.#sender.close();
    this.#bulk?.close();
    this.#stopWatchingBulk?.();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { call } of waiting) {
      call.failed(this.errorFor(call.method));
    }
  }

  #newId(): number {
    do {
      this.#lastId = this.#lastId === MAX_CALL_ID ? 1 : this.#lastId + 1;
    } while (this.#waiting.has(this.#lastId));
    return this.#lastId;
  }
}
