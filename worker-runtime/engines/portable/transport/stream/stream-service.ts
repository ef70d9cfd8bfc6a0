import type { Socket } from "node:net";
import { Metadata, type Server, type ServerDuplexStream } from "@grpc/grpc-js";
import {
  StreamFrame,
  type StreamRequest,
  WorkerStreamDefinition,
} from "../../../../../protos/generated/tensordeck/worker_stream.js";
import { GrpcPayloadContainer } from "../../../../../protos/generated/tensorflow/distributed_runtime_payloads.js";
import { CancellationController } from "../../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../../faults.js";
import {
  asTensorFlowError,
  cancelled,
  internalError,
  resourceExhausted,
  StatusCode,
  unavailable,
  unimplemented,
} from "../../../../protocol/status.js";
import { decodeMessage, encodeMessage } from "../../../../rpc/message-coding.js";
import type { ClientConnection } from "../../clients/client-connection.js";
import { BULK_BYTES, BULK_KEY_HEADER, BULK_PART_BYTES } from "../bulk/bulk-coding.js";
import type { BulkDesk } from "../bulk/bulk-desk.js";
import { beatHeart, bulkWriter } from "../bulk/bulk-writer.js";
import { connectionOf } from "../grpc/call-connections.js";
import type { CallLedger } from "../grpc/call-limits.js";
import { http2StreamOf } from "../grpc/internals/call-stream.js";
import {
  parseRequest,
  passBytes,
  type ServedCall,
  type ServedMethod,
  type ServiceDefinition,
  type ServiceHandlers,
  servedMethods,
} from "../grpc/unary-service.js";
import { statusOfError } from "../grpc/wire-error.js";
import { checkMessageSize, isRefusedMessage } from "../receiving/message-limits.js";
import { type SilenceLimits, watchSilence } from "../sockets/silence-watch.js";
import { directWriter } from "./frame-coding.js";
import { FrameSender } from "./frame-sender.js";
import { IncomingPayload } from "./incoming-payload.js";
import { OutgoingPayload } from "./outgoing-payload.js";

/** The limits of one server over all its calls, streamed or not. */
export interface StreamLimits {
  readonly ledger: CallLedger;
  /** Largest message, in bytes. A frame must fit, too. */
  readonly maxMessageBytes: number;
  /** Receives the bulk connections. */
  readonly bulk: BulkDesk;
  /** When a caller that takes no answers is considered gone. */
  readonly silence: SilenceLimits;
}

/** Offers the calls of a service on streams of tensordeck.WorkerStream. */
export function serveStream<Methods extends object>(
  server: Server,
  definition: ServiceDefinition<Methods>,
  handlers: ServiceHandlers<Methods>,
  limits: StreamLimits,
): void {
  const methods = new Map(servedMethods(definition, handlers).map((served) => [served.method.name, served]));
  const { fullName, methods: own } = WorkerStreamDefinition;
  server.register(
    `/${fullName}/${own.open.name}`,
    (stream: ServerDuplexStream<Buffer, Buffer>) => new ServedStream(stream, methods, limits),
    passBytes,
    passBytes,
    "bidi",
  );
}

/** One stream of one caller. When it ends, so do all calls on it. */
class ServedStream {
  readonly #stream: ServerDuplexStream<Buffer, Buffer>;
  readonly #methods: ReadonlyMap<string, ServedMethod>;
  readonly #limits: StreamLimits;
  /** The connection of all its calls. */
  readonly #connection: ClientConnection | undefined;
  readonly #sender: FrameSender;
  readonly #calls = new Map<number, StreamedCall>();
  readonly #bulkKey: Buffer;
  /** For large answers, once the caller has opened a connection for them. */
  #bulk: { readonly socket: Socket; readonly sender: FrameSender } | undefined;
  #hasEnded = false;

  constructor(
    stream: ServerDuplexStream<Buffer, Buffer>,
    methods: ReadonlyMap<string, ServedMethod>,
    limits: StreamLimits,
  ) {
    this.#stream = stream;
    this.#methods = methods;
    this.#limits = limits;
    this.#connection = connectionOf(stream);
    const direct = http2StreamOf(stream);
    this.#sender = new FrameSender(
      direct === undefined
        ? (frame, taken) => stream.write(encodeMessage(StreamFrame, frame), taken)
        : directWriter(direct),
    );
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    stream.once("end", () => {
      this.#end();
      stream.end();
    });
    stream.once("cancelled", () => this.#end());
    stream.once("error", () => this.#end());
    this.#bulkKey = limits.bulk.offer((socket) => this.#takeBulk(socket));
    // Says that this service exists.
    const headers = new Metadata();
    headers.set(BULK_KEY_HEADER, this.#bulkKey);
    stream.sendMetadata(headers);
  }

  /** Invalid frames end the stream, since their meaning is unknown. */
  #receive(bytes: Buffer): void {
    if (this.#hasEnded) {
      return;
    }
    try {
      this.#handle(decodeMessage(StreamFrame, bytes));
    } catch (error) {
      this.#stream.emit("error", statusOfError(error));
    }
  }

  #handle({ callId, content }: StreamFrame): void {
    switch (content?.$case) {
      case "request":
        this.#begin(callId, content.value);
        return;
      case "part":
        this.#continue(callId, content.value);
        return;
      case "cancel":
        this.#calls.get(callId)?.cancel();
        this.#leave(callId);
        return;
      default:
        throw internalError("Received a frame that only a server sends.");
    }
  }

  #begin(callId: number, { method: name, payload }: StreamRequest): void {
    if (payload === undefined || this.#calls.has(callId)) {
      throw internalError(`The request of call ${callId} is not whole or comes twice.`);
    }
    const { ledger, maxMessageBytes } = this.#limits;
    try {
      const served = this.#methods.get(name);
      if (served === undefined) {
        throw unimplemented("");
      }
      checkMessageSize(payload.size, maxMessageBytes);
      ledger.enter(payload.size);
      // From here on the call is unregistered when it is done.
      this.#calls.set(callId, new StreamedCall(served, payload.size, this.#connection));
      const request = new IncomingPayload(payload, maxMessageBytes);
      this.#proceed(callId, request);
    } catch (error) {
      this.#fail(callId, error);
    }
  }

  /** Parts of calls that were cancelled or refused may still be on their way. */
  #continue(callId: number, part: Uint8Array): void {
    const request = this.#calls.get(callId)?.incoming;
    if (request === undefined) {
      return;
    }
    try {
      request.add(part);
    } catch (error) {
      if (!isRefusedMessage(error)) {
        throw error;
      }
      this.#fail(callId, error);
      return;
    }
    this.#proceed(callId, request);
  }

  #proceed(callId: number, request: IncomingPayload): void {
    const call = this.#calls.get(callId);
    if (call === undefined) {
      return;
    }
    const bytes = request.complete;
    call.incoming = bytes === undefined ? request : undefined;
    if (bytes !== undefined) {
      inBackground(this.#answer(callId, call, bytes));
    }
  }

  /** Never rejects: any error becomes the call's failure. */
  async #answer(callId: number, call: StreamedCall, bytes: Uint8Array): Promise<void> {
    const { method, handle } = call.served;
    try {
      const request = parseRequest(method, bytes);
      const response = await handle(request instanceof Promise ? await request : request, call);
      if (this.#calls.get(callId) === call) {
        this.#respond(callId, OutgoingPayload.of(method.responseType, response));
      }
    } catch (error) {
      if (this.#calls.get(callId) === call) {
        this.#fail(callId, error);
      }
    }
  }

  #respond(callId: number, payload: OutgoingPayload): void {
    const { maxMessageBytes } = this.#limits;
    if (payload.byteLength > maxMessageBytes) {
      throw resourceExhausted(`Sent message larger than max (${payload.byteLength} vs. ${maxMessageBytes})`);
    }
    const bulk = payload.byteLength < BULK_BYTES ? undefined : this.#bulk;
    (bulk?.sender ?? this.#sender).sendPayload({
      callId,
      payload,
      first: (value) => ({ $case: "response", value: { payload: value } }),
      // The calls of a caller that does not fetch its answers stay in progress.
      done: () => this.#leave(callId),
    });
  }

  #fail(callId: number, error: unknown): void {
    this.#leave(callId);
    const { code, message, payloads } = asTensorFlowError(error, StatusCode.INTERNAL);
    const container =
      payloads.size === 0
        ? new Uint8Array(0)
        : GrpcPayloadContainer.encode({ payloads: new Map(payloads) }).finish();
    this.#sender.send({
      callId,
      content: { $case: "failure", value: { code, message, payloads: container } },
    });
  }

  #leave(callId: number): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) {
      this.#calls.delete(callId);
      this.#limits.ledger.leave(call.requestBytes);
      this.#sender.drop(callId);
      this.#bulk?.sender.drop(callId);
    }
  }

  #takeBulk(socket: Socket): void {
    if (this.#hasEnded) {
      socket.destroy();
      return;
    }
    const sender = new FrameSender(bulkWriter(socket), BULK_PART_BYTES);
    this.#bulk = { socket, sender };
    const { silence } = this.#limits;
    const stopWatching = watchSilence(
      { signs: () => sender.partsTaken, isAwaited: () => sender.isInFlight, gone: () => socket.destroy() },
      silence,
    );
    const stopBeating = beatHeart(socket, silence.lookMillis);
    // Data in transit is lost, and with it calls that would never be answered.
    const lost = (): void => {
      stopWatching();
      stopBeating();
      sender.close();
      if (!this.#hasEnded) {
        this.#stream.emit("error", statusOfError(unavailable("The connection for large tensors was lost.")));
      }
    };
    socket.once("error", () => socket.destroy());
    socket.once("close", lost);
    // No data is expected; reading shows when the other side is gone.
    socket.on("data", () => socket.destroy());
  }

  #end(): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    this.#limits.bulk.withdraw(this.#bulkKey);
    this.#sender.close();
    this.#bulk?.sender.close();
    this.#bulk?.socket.destroy();
    for (const [callId, call] of [...this.#calls]) {
      call.cancel();
      this.#leave(callId);
    }
  }
}

/** A call as seen by its handler. Most handlers answer at once and never use the signal. */
class StreamedCall implements ServedCall {
  readonly served: ServedMethod;
  readonly requestBytes: number;
  readonly connection: ClientConnection | undefined;
  /** The request, until it is complete. */
  incoming: IncomingPayload | undefined;
  #controller: CancellationController | undefined;
  #isCancelled = false;

  constructor(served: ServedMethod, requestBytes: number, connection: ClientConnection | undefined) {
    this.served = served;
    this.requestBytes = requestBytes;
    this.connection = connection;
  }

  get signal(): CancellationSignal {
    if (this.#controller === undefined) {
      this.#controller = new CancellationController();
      if (this.#isCancelled) {
        this.#abort();
      }
    }
    return this.#controller.signal;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(cancelled(`${this.served.method.name} was cancelled by its caller.`));
  }
}
