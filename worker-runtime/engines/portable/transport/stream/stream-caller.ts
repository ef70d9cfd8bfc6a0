import { WorkerServiceDefinition } from "../../../../../protos/generated/tensorflow/worker_service.js";
import { CancellationController } from "../../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../../faults.js";
import {
  asTensorFlowError,
  cancelledBy,
  StatusCode,
  type TensorFlowError,
  unavailable,
} from "../../../../protocol/status.js";
import type { Channel } from "../../../../rpc/channel.js";
import { decodeMessage } from "../../../../rpc/message-coding.js";
import type { UnaryMethod } from "../../../../rpc/message-type.js";
import type { CallOptions, MethodCaller } from "../../../../rpc/method-caller.js";
import { deadlineError } from "../../../../rpc/rpc-error.js";
import { ServiceClient } from "../../../../rpc/service-client.js";
import { MAX_TIMER_MILLIS } from "../../../../timers.js";
import { MAX_MESSAGE_BYTES } from "../receiving/message-limits.js";
import { SILENCE_LIMITS, silentPeerError, watchSilence } from "../sockets/silence-watch.js";
import { ClientStream, type ClientStreamOptions } from "./client-stream.js";
import { OutgoingPayload } from "./outgoing-payload.js";

/**
 * The calls of tensorflow.WorkerService to one task: on a stream if the task offers it, as every task of ours does, and
 * otherwise as unary calls. The stream is opened with the first call; when it breaks, its calls fail with UNAVAILABLE
 * and are not repeated, and the next call opens another one.
 */
export class StreamCaller implements MethodCaller {
  readonly #channel: Channel;
  readonly #unary: ServiceClient;
  readonly #options: ClientStreamOptions;
  readonly #stopWatching: () => void;
  #stream: ClientStream | undefined;
  /** Calls that wait until it is known whether there are streams. */
  #openings = 0;
  /** Unary calls in progress, with the functions that end them. */
  readonly #unaryCalls = new Set<CancellationController>();
  /** Counts the peer's answers outside of open streams. */
  #signs = 0;
  #isAsking = false;
  /** Whether the task does not support streams; asked again after it was away, as it may have been replaced. */
  #isUnaryOnly = false;

  constructor(channel: Channel, options: Partial<ClientStreamOptions> = {}) {
    this.#channel = channel;
    this.#options = { maxMessageBytes: MAX_MESSAGE_BYTES, silence: SILENCE_LIMITS, ...options };
    this.#unary = new ServiceClient(WorkerServiceDefinition.fullName, channel);
    this.#stopWatching = watchSilence(
      {
        signs: () => this.#signs + (this.#stream?.signs ?? 0),
        isAwaited: () => this.#openings > 0 || this.#unaryCalls.size > 0 || this.#stream?.isAwaited === true,
        ask: () => this.#ask(),
        gone: () => this.#giveUp(silentPeerError(this.address, this.#options.silence)),
      },
      this.#options.silence,
    );
  }

  get address(): string {
    return this.#channel.address;
  }

  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: CallOptions = {},
  ): Promise<Response> {
    if (this.#isUnaryOnly || this.#channel.isClosed) {
      return this.#callUnary(method, request, options);
    }
    const stream = this.#currentStream();
    return stream.isOpen
      ? this.#callStream(stream, method, request, options)
      : this.#callOpening(stream, method, request, options);
  }

  /** Ends the stream; calls that wait fail. */
  close(): void {
    this.#stopWatching();
    this.#endCalls(unavailable(`The connection to ${this.address} is closed.`));
  }

  /**
   * Probes the peer on the connection of the waiting calls: GetStatus is answered by every task at once, whatever it
   * computes. Pings would do for our tasks, but TensorFlow's server closes a connection with more than one of them in
   * five minutes.
   */
  #ask(): void {
    if (!this.#isAsking) {
      this.#isAsking = true;
      const answered = (): void => {
        this.#isAsking = false;
      };
      this.call(WorkerServiceDefinition.methods.getStatus, {}).then(answered, answered);
    }
  }

  /** The next call makes another connection. */
  #giveUp(error: TensorFlowError): void {
    this.#endCalls(error);
    this.#channel.reconnect();
  }

  #endCalls(error: TensorFlowError): void {
    this.#stream?.close(error);
    for (const call of [...this.#unaryCalls]) {
      call.abort(error);
    }
  }

  #currentStream(): ClientStream {
    if (this.#stream === undefined || this.#stream.hasEnded) {
      this.#signs += this.#stream?.signs ?? 0;
      this.#stream = new ClientStream(this.#channel, this.#options);
    }
    return this.#stream;
  }

  async #callOpening<Request, Response>(
    stream: ClientStream,
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: CallOptions,
  ): Promise<Response> {
    const startMillis = performance.now();
    this.#openings += 1;
    const opening = await new Promise<Awaited<ClientStream["opening"]>>((resolve, reject) => {
      const limits = new CallLimits(method.name, this.address, options, reject);
      inBackground(
        stream.opening.then((how) => {
          limits.release();
          resolve(how);
        }),
      );
    }).finally(() => {
      this.#openings -= 1;
    });
    const { deadlineMillis } = options;
    const restMillis = Math.ceil((deadlineMillis ?? 0) - (performance.now() - startMillis));
    const rest =
      deadlineMillis === undefined ? options : { ...options, deadlineMillis: Math.max(restMillis, 1) };
    if (opening === "unknown service") {
      this.#isUnaryOnly = true;
      return this.#callUnary(method, request, rest);
    }
    if (stream.isOpen) {
      return this.#callStream(stream, method, request, rest);
    }
    throw this.#channel.isClosed
      ? unavailable(`The connection to ${this.address} is closed.`)
      : stream.errorFor(method.name);
  }

  #callStream<Request, Response>(
    stream: ClientStream,
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: CallOptions,
  ): Promise<Response> {
    return new Promise<Response>((resolve, reject) => {
      let callId: number | undefined;
      const limits = new CallLimits(method.name, this.address, options, (error) => {
        if (callId !== undefined) {
          stream.cancel(callId);
        }
        reject(error);
      });
      if (limits.isReached) {
        return;
      }
      const call = {
        method: method.name,
        answered: (bytes: Uint8Array) => {
          limits.release();
          try {
            resolve(decodeMessage(method.responseType, bytes));
          } catch (error) {
            reject(asTensorFlowError(error, StatusCode.INTERNAL));
          }
        },
        failed: (error: TensorFlowError) => {
          limits.release();
          reject(error);
        },
      };
      callId = stream.call(call, OutgoingPayload.of(method.requestType, request));
    });
  }

  async #callUnary<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options: CallOptions,
  ): Promise<Response> {
    const call = new CancellationController();
    const leave = call.follow(options.signal, () =>
      cancelledBy(options.signal?.reason, `${method.name} at ${this.address}`),
    );
    this.#unaryCalls.add(call);
    try {
      const response = await this.#unary.call(method, request, { ...options, signal: call.signal });
      this.#signs += 1;
      return response;
    } catch (error) {
      const { code } = asTensorFlowError(error);
      if (code === StatusCode.UNAVAILABLE) {
        this.#isUnaryOnly = false;
      }
      this.#signs += noSigns.has(code) ? 0 : 1;
      throw error;
    } finally {
      this.#unaryCalls.delete(call);
      leave();
    }
  }
}

/** The codes of calls that may have ended without an answer. */
const noSigns: ReadonlySet<StatusCode> = new Set([
  StatusCode.CANCELLED,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.UNAVAILABLE,
]);

/** The signal and the deadline that may end a call before its answer. */
class CallLimits {
  readonly #signal: CancellationSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #isReached = false;

  /** @param reached called once, synchronously if the signal is already aborted; not after `release`. */
  constructor(
    method: string,
    address: string,
    { signal, deadlineMillis }: CallOptions,
    reached: (error: TensorFlowError) => void,
  ) {
    const end = (error: TensorFlowError): void => {
      this.#isReached = true;
      this.release();
      reached(error);
    };
    if (signal !== undefined) {
      const abort = (): void => end(cancelledBy(signal.reason, `${method} at ${address}`));
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#signal = signal;
      this.#onAbort = abort;
    }
    if (deadlineMillis !== undefined) {
      this.#timer = setTimeout(
        () => end(deadlineError(method, address, deadlineMillis)),
        Math.min(deadlineMillis, MAX_TIMER_MILLIS),
      );
    }
  }

  get isReached(): boolean {
    return this.#isReached;
  }

  release(): void {
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) {
      this.#signal?.removeEventListener("abort", this.#onAbort);
    }
  }
}
