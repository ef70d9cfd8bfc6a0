import { getClientChannel, Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { cancelledBy, internalError, unavailable } from "../protocol/status.js";
import type { Channel } from "./channel.js";
import { decodeMessage, encodeMessage } from "./message-coding.js";
import type { UnaryMethod } from "./message-type.js";
import type { CallOptions, MethodCaller } from "./method-caller.js";
import { errorOfCall } from "./rpc-error.js";

/** Deadline of calls that only query something or make a small change, which a live server answers at once. */
export const CONTROL_DEADLINE_MILLIS = 10_000;

/** The text that grpc-js uses for a call cancelled by its caller. */
const CANCELLED_HERE = "Cancelled on client";

/** The status that grpc-js reports for a unary call that ends with OK but without a message. */
const NO_ANSWER = { code: status.UNIMPLEMENTED, details: "No message received" };

function serviceError(end: StatusObject): ServiceError {
  return Object.assign(new Error(`${end.code} ${status[end.code]}: ${end.details}`), end);
}

/** @throws TensorFlowError INTERNAL for a response that cannot be decoded. */
function decodeAnswer<Response>(
  { name, responseType }: UnaryMethod<unknown, Response>,
  bytes: Buffer,
  address: string,
): Response {
  try {
    return decodeMessage(responseType, bytes);
  } catch (cause) {
    throw internalError(`The response of ${address} to ${name} cannot be decoded.`, { cause });
  }
}

function metadataOf({ metadata: entries }: CallOptions): Metadata {
  const metadata = new Metadata();
  if (entries !== undefined) {
    for (const [key, value] of Object.entries(entries)) {
      metadata.set(key, value);
    }
  }
  return metadata;
}

/** Calls the unary methods of one generated service definition over a channel. */
export class ServiceClient implements MethodCaller {
  readonly #service: string;
  readonly #channel: Channel;

  /** @param service the definition's full name, "tensorflow.MasterService". */
  constructor(service: string, channel: Channel) {
    this.#service = service;
    this.#channel = channel;
  }

  get address(): string {
    return this.#channel.address;
  }

  /**
   * Makes a call. It ends when the server responds, the connection fails (at once if nothing listens), the deadline
   * passes or the signal is aborted.
   * @throws TensorFlowError with the server's code, message and payloads; UNAVAILABLE if there is no connection;
   *   CANCELLED if the signal was aborted.
   */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: CallOptions = {},
  ): Promise<Response> {
    const { signal } = options;
    const { address, client, isClosed } = this.#channel;
    const what = `${method.name} at ${address}`;
    return new Promise<Response>((resolve, reject) => {
      if (signal?.aborted) {
        reject(cancelledBy(signal.reason, what));
        return;
      }
      if (isClosed) {
        reject(unavailable(`The connection to ${address} is closed.`));
        return;
      }
      // Before the call is created: an error here would leave it open.
      const message = encodeMessage(method.requestType, request);
      const deadline = options.deadlineMillis === undefined ? Infinity : Date.now() + options.deadlineMillis;
      // Like `Client.makeUnaryRequest`, but without what it creates for every call: an Error with a stack trace in case
      // the call fails, an event emitter, and interceptors.
      const call = getClientChannel(client).createCall(
        `/${this.#service}/${method.name}`,
        deadline,
        null,
        null,
        null,
      );
      const cancel = (): void => call.cancelWithStatus(status.CANCELLED, CANCELLED_HERE);
      let answer: Buffer | undefined;
      const ended = (end: StatusObject): void => {
        signal?.removeEventListener("abort", cancel);
        if (end.code === status.OK && answer !== undefined) {
          resolve(decodeAnswer(method, answer, address));
        } else if (signal?.aborted) {
          reject(cancelledBy(signal.reason, what));
        } else {
          const failure = end.code === status.OK ? { ...end, ...NO_ANSWER } : end;
          reject(errorOfCall(serviceError(failure), method.name, address, options.deadlineMillis));
        }
      };
      call.start(metadataOf(options), {
        onReceiveMetadata: () => undefined,
        onReceiveMessage: (bytes: Buffer) => {
          answer = bytes;
        },
        // grpc-js must not see our exceptions.
        onReceiveStatus: (end) => {
          try {
            ended(end);
          } catch (error) {
            reject(error);
          }
        },
      });
      call.startRead();
      call.sendMessageWithContext({}, message);
      call.halfClose();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}
