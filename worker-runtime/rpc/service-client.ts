import { type CallOptions as GrpcCallOptions, Metadata, type ServiceError } from "@grpc/grpc-js";
import { cancelledBy, internalError, unavailable } from "../protocol/status.js";
import type { Channel } from "./channel.js";
import { decodeMessage, encodeMessage } from "./message-coding.js";
import type { UnaryMethod } from "./message-type.js";
import type { CallOptions, MethodCaller } from "./method-caller.js";
import { errorOfCall } from "./rpc-error.js";

/** Deadline of calls that only ask or change a little; a server that lives answers them at once. */
export const CONTROL_DEADLINE_MILLIS = 10_000;

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
   * One call. It ends when the server answers, the connection fails (at once where nothing listens), the deadline passes
   * or the signal is aborted.
   * @throws TensorFlowError with the server's code, message and payloads; UNAVAILABLE when there is no connection;
   *   CANCELLED when the signal was aborted.
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
      const metadata = new Metadata();
      for (const [key, value] of Object.entries(options.metadata ?? {})) {
        metadata.set(key, value);
      }
      const callOptions: GrpcCallOptions =
        options.deadlineMillis === undefined ? {} : { deadline: Date.now() + options.deadlineMillis };
      const done = (error: ServiceError | null, response?: Response): void => {
        signal?.removeEventListener("abort", cancel);
        if (signal?.aborted && error !== null) {
          reject(cancelledBy(signal.reason, what));
        } else if (error !== null) {
          reject(errorOfCall(error, method.name, address, options.deadlineMillis));
        } else if (response === undefined) {
          reject(internalError(`${address} answered ${method.name} with nothing.`));
        } else {
          resolve(response);
        }
      };
      const call = client.makeUnaryRequest(
        `/${this.#service}/${method.name}`,
        (message: Request) => encodeMessage(method.requestType, message),
        (bytes: Buffer) => decodeMessage(method.responseType, bytes),
        request,
        metadata,
        callOptions,
        done,
      );
      const cancel = (): void => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}
