import type { Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { CancellationController } from "../../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../../faults.js";
import { cancelled, internalError, TensorFlowError } from "../../../../protocol/status.js";
import { bufferOfChunks } from "../../../../rpc/chunked-buffer.js";
import { encodeChunks } from "../../../../rpc/message-coding.js";
import type { UnaryMethod } from "../../../../rpc/message-type.js";
import type { ClientConnection } from "../../clients/client-connection.js";
import { withPauses } from "../../pauses.js";
import { decodeInPieces } from "../receiving/piecewise-decoding.js";
import { connectionOf } from "./call-connections.js";
import type { CallLedger } from "./call-limits.js";
import { sendLargeAnswer } from "./large-answer.js";
import { statusOfError } from "./wire-error.js";

/** The context of a call, which a handler receives besides its request. */
export interface ServedCall {
  /** Aborted when the caller cancels, its deadline passes or its connection breaks. */
  readonly signal: CancellationSignal;
  /** The connection of the call; undefined if unknown. */
  readonly connection: ClientConnection | undefined;
}

type Handler<Request, Response> = (request: Request, call: ServedCall) => Promise<Response>;

/** A generated service definition, all of whose methods are unary. */
export interface ServiceDefinition<Methods> {
  readonly fullName: string;
  readonly methods: Methods;
}

/** The implementation of a definition: one method of the same name for each. */
export type ServiceHandlers<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends UnaryMethod<infer Request, infer Response>
    ? Handler<Request, Response>
    : never;
};

/** A method with its handler; the types of `serve` have checked their messages. */
export interface ServedMethod {
  readonly method: UnaryMethod<unknown, unknown>;
  readonly handle: Handler<unknown, unknown>;
}

/** The methods of a service with their handlers. */
export function servedMethods<Methods extends object>(
  { methods }: ServiceDefinition<Methods>,
  handlers: ServiceHandlers<Methods>,
): readonly ServedMethod[] {
  const entries = Object.entries(methods) as [keyof Methods, UnaryMethod<unknown, unknown>][];
  return entries.map(([key, method]) => ({
    method,
    handle: (handlers[key] as Handler<unknown, unknown>).bind(handlers),
  }));
}

/** For messages that grpc-js must not decode or encode. */
export const passBytes = (bytes: Buffer): Buffer => bytes;

/**
 * Offers a service on a server. Messages go through grpc-js as bytes: they are decoded here, where an invalid one can
 * be answered as in TensorFlow, and large answers are not assembled twice.
 */
export function serve<Methods extends object>(
  server: Server,
  definition: ServiceDefinition<Methods>,
  handlers: ServiceHandlers<Methods>,
  ledger: CallLedger,
): void {
  for (const { method, handle } of servedMethods(definition, handlers)) {
    server.register(
      `/${definition.fullName}/${method.name}`,
      (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
        inBackground(answerCall(method, handle, call, answer, ledger)),
      passBytes,
      passBytes,
      "unary",
    );
  }
}

/** Larger answers bypass grpc-js. */
const MIN_DIRECT_BYTES = 2 ** 20;

/** Handles one call. Never rejects: any error becomes the status of the call. */
async function answerCall(
  method: UnaryMethod<unknown, unknown>,
  handler: Handler<unknown, unknown>,
  call: ServerUnaryCall<Buffer, Buffer>,
  answer: sendUnaryData<Buffer>,
  ledger: CallLedger,
): Promise<void> {
  const bytes = call.request;
  const size = bytes.byteLength;
  const caller = new Caller(call, method.name);
  let entered = false;
  try {
    ledger.enter(size);
    entered = true;
    const request = parseRequest(method, bytes);
    const response = await handler(request instanceof Promise ? await request : request, caller);
    const message = encodeChunks(method.responseType, response);
    caller.forget();
    if (message.byteLength < MIN_DIRECT_BYTES || !(await sendLargeAnswer(call, message))) {
      answer(null, bufferOfChunks(message));
    }
  } catch (error) {
    caller.forget();
    answer(statusOfError(error));
  } finally {
    if (entered) {
      ledger.leave(size);
    }
  }
}

/**
 * The caller as a handler sees it. Most handlers answer at once and never use the signal, so it is created on demand.
 */
class Caller implements ServedCall {
  readonly #call: ServerUnaryCall<Buffer, Buffer>;
  readonly #method: string;
  #controller: CancellationController | undefined;

  constructor(call: ServerUnaryCall<Buffer, Buffer>, method: string) {
    this.#call = call;
    this.#method = method;
  }

  get signal(): CancellationSignal {
    if (this.#controller === undefined) {
      this.#controller = new CancellationController();
      // Emitted when the caller cancels, a deadline has passed or the connection is gone.
      this.#call.once("cancelled", this.#abort);
      if (this.#call.cancelled) {
        this.#abort();
      }
    }
    return this.#controller.signal;
  }

  get connection(): ClientConnection | undefined {
    return connectionOf(this.#call);
  }

  /** Before the answer: grpc-js emits "cancelled" at the end of every call. */
  forget(): void {
    this.#call.off("cancelled", this.#abort);
  }

  readonly #abort = (): void => {
    this.#controller?.abort(cancelled(`${this.#method} was cancelled by its caller.`));
  };
}

/** Larger requests may take long to decode, so other calls get their turns in between. */
const MIN_PIECED_BYTES = 64 * 1024;

/**
 * The received request, synchronously unless it is large.
 * @throws TensorFlowError INTERNAL with the text of gRPC's C++ server, which TensorFlow's clients know;
 *   RESOURCE_EXHAUSTED for more fields than there is memory for.
 */
export function parseRequest<Request>(
  { requestType }: UnaryMethod<Request, unknown>,
  bytes: Uint8Array,
): Request | Promise<Request> {
  if (bytes.byteLength >= MIN_PIECED_BYTES) {
    return withPauses(decodeInPieces(requestType, bytes)).catch(refuseRequest);
  }
  try {
    return requestType.decode(bytes);
  } catch (cause) {
    return refuseRequest(cause);
  }
}

function refuseRequest(cause: unknown): never {
  throw cause instanceof TensorFlowError ? cause : internalError("Unable to parse request", { cause });
}
