/** One connection to the agent of a paired machine, and the calls over it. */

import { once } from "node:events";
import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  type ClientWritableStream,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { formatHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { grpcTarget } from "../../../worker-runtime/rpc/grpc-target.js";
import { deferred } from "../../shared/deferred.js";
import { problem } from "../../shared/problems.js";
import type { Identity } from "../identity/identity.js";
import { Alpn } from "../port/agent-peer.js";
import { agentChannelCredentials, agentChannelOptions } from "../port/channel-credentials.js";
import { dialAgent } from "../port/dial-agent.js";
import { problemOfCall } from "./problem-status.js";
import {
  type DuplexName,
  methodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServerStreamName,
  type UnaryName,
  wireName,
} from "./service-definition.js";

/** For calls that only query or make a small change; a responsive machine answers them at once. */
const CONTROL_DEADLINE_MILLIS = 10_000;
/** The largest answer is a batch of log lines, a quarter of a megabyte. */
const MAX_ANSWER_BYTES = 8 << 20;
/** As often as agents ask those that they serve. */
const KEEPALIVE_INTERVAL_MILLIS = 10_000;
const KEEPALIVE_TIMEOUT_MILLIS = 5000;

export interface Calling {
  /** Deadline of the call; CONTROL_DEADLINE_MILLIS by default. */
  readonly deadlineMillis?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface AgentChannelOptions {
  readonly identity: Identity;
  readonly deviceId: string;
  /** The certificate whose hash is the device ID. */
  readonly certPem: string;
  /** The user's name for the machine. */
  readonly name: string;
  /** Where its agent may be, "host:port" each, the likeliest first. */
  readonly addresses: readonly string[];
  /** Time limit for dialling. */
  readonly timeoutMillis: number;
  /**
   * True: a machine that no longer answers fails the calls within KEEPALIVE_INTERVAL_MILLIS and KEEPALIVE_TIMEOUT_MILLIS,
   * for conversations that may be silent for long.
   */
  readonly keepAlive?: boolean;
}

/**
 * Finds the address at which the machine answers and opens a channel to it.
 *
 * @throws ProblemError UNAVAILABLE when it answers at none; what dialAgent throws.
 */
export async function openAgentChannel(
  options: AgentChannelOptions,
  signal: AbortSignal,
): Promise<AgentChannel> {
  const { identity, deviceId, addresses, name, timeoutMillis } = options;
  // gRPC dials by itself and accepts no open socket. Dialling the machine here first costs one more handshake, but
  // explains in words why it cannot be reached.
  const socket = await dialAgent({
    identity,
    deviceId,
    addresses,
    name,
    alpn: Alpn.grpc,
    signal,
    timeoutMillis,
  });
  const { remoteAddress, remotePort } = socket;
  socket.destroy();
  if (remoteAddress === undefined || remotePort === undefined) {
    throw problem("UNAVAILABLE", `The connection to ${name} ended as soon as it was established.`);
  }
  return new AgentChannel(options, { host: remoteAddress, port: remotePort });
}

export class AgentChannel {
  /** "host:port" at which the machine answers, with an IP address for the host. */
  readonly address: string;
  readonly #name: string;
  readonly #client: Client;

  constructor(
    {
      identity,
      certPem,
      deviceId,
      name,
      keepAlive,
    }: Omit<AgentChannelOptions, "addresses" | "timeoutMillis">,
    at: { readonly host: string; readonly port: number },
  ) {
    this.address = formatHostPort(at);
    this.#name = name;
    this.#client = new Client(
      grpcTarget(this.address),
      agentChannelCredentials(identity, certPem, deviceId),
      {
        ...agentChannelOptions,
        "grpc.max_receive_message_length": MAX_ANSWER_BYTES,
        "grpc.max_send_message_length": -1,
        // A lost answer to a start is not retried here: only the caller knows whether the task is still wanted.
        "grpc.enable_retries": 0,
        "grpc.enable_channelz": 0,
        ...(keepAlive && {
          "grpc.keepalive_time_ms": KEEPALIVE_INTERVAL_MILLIS,
          "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MILLIS,
        }),
      },
    );
  }

  /** A unary call. @throws ProblemError that the machine answered, or UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED. */
  call<N extends UnaryName>(
    name: N,
    request: RequestOf<N>,
    { deadlineMillis = CONTROL_DEADLINE_MILLIS, signal }: Calling = {},
  ): Promise<ResponseOf<N>> {
    const { path, requestSerialize, responseDeserialize } = methodDefinition(name);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(problem("CANCELLED", `The request to ${this.#name} was cancelled.`));
        return;
      }
      const done = (error: ServiceError | null, response?: ResponseOf<N>) => {
        signal?.removeEventListener("abort", cancel);
        if (error || response === undefined) reject(this.#problemOf(error, name));
        else resolve(response);
      };
      const options = deadlineIn(deadlineMillis);
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        options,
        done,
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /**
   * A server-streaming call; resolves when the stream has ended. A listener that throws ends it.
   *
   * @throws ProblemError CANCELLED when the signal is aborted; otherwise as `call`.
   */
  async stream<N extends ServerStreamName>(
    name: N,
    request: RequestOf<N>,
    onAnswer: (answer: ResponseOf<N>) => void,
    { deadlineMillis, signal }: Calling = {},
  ): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = methodDefinition(name);
    const options = deadlineMillis === undefined ? {} : deadlineIn(deadlineMillis);
    const call = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      new Metadata(),
      options,
    );
    await this.#answersOf(name, call, onAnswer, signal);
  }

  /** Like `stream`, as an async iterable. Leaving the loop ends the call. */
  async *answers<N extends ServerStreamName>(
    name: N,
    request: RequestOf<N>,
    { signal, ...calling }: Calling = {},
  ): AsyncGenerator<ResponseOf<N>> {
    const left = new LinkedAbortController(signal);
    const waiting: ResponseOf<N>[] = [];
    let news = deferred<void>();
    const onAnswer = (answer: ResponseOf<N>) => {
      waiting.push(answer);
      news.resolve();
    };
    let over: { readonly error?: unknown } | undefined;
    this.stream(name, request, onAnswer, { ...calling, signal: left.signal })
      .then(
        () => {
          over = {};
        },
        (error: unknown) => {
          over = { error };
        },
      )
      .finally(() => news.resolve());
    try {
      while (over === undefined || waiting.length > 0) {
        yield* waiting.splice(0);
        if (over === undefined) await news.promise;
        news = deferred<void>();
      }
      if ("error" in over) throw over.error;
    } finally {
      left.abort();
    }
  }

  /**
   * A bidirectional stream: requests are sent as fast as the machine accepts them; resolves when the answers have
   * ended.
   *
   * @throws ProblemError as `stream`.
   */
  async duplex<N extends DuplexName>(
    name: N,
    requests: Iterable<RequestOf<N>>,
    onAnswer: (answer: ResponseOf<N>) => void,
    { deadlineMillis = CONTROL_DEADLINE_MILLIS, signal }: Calling = {},
  ): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = methodDefinition(name);
    const call = this.#client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      new Metadata(),
      deadlineIn(deadlineMillis),
    );
    const over = new AbortController();
    inBackground(sendAll(call, requests, over.signal));
    try {
      await this.#answersOf(name, call, onAnswer, signal);
    } finally {
      over.abort();
    }
  }

  /**
   * A bidirectional stream without a deadline, with back-pressure in both directions. Leaving the loop ends the call.
   *
   * @throws ProblemError as `stream`.
   */
  async *conversation<N extends DuplexName>(
    name: N,
    requests: AsyncIterable<RequestOf<N>>,
    signal: AbortSignal,
  ): AsyncGenerator<ResponseOf<N>> {
    const { path, requestSerialize, responseDeserialize } = methodDefinition(name);
    const call = this.#client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      new Metadata(),
    );
    const over = new AbortController();
    const cancel = () => call.cancel();
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    inBackground(sendAll(call, requests, over.signal));
    try {
      for await (const answer of call) yield answer as ResponseOf<N>;
    } catch (error) {
      throw this.#problemOf(error as ServiceError, name);
    } finally {
      over.abort();
      signal.removeEventListener("abort", cancel);
      // The iterator has destroyed the stream, which a later error would otherwise leave unhandled.
      call.on("error", () => undefined);
      call.cancel();
    }
  }

  /** Ends the connection and every call over it. */
  close(): void {
    this.#client.close();
  }

  #answersOf<N extends ServerStreamName | DuplexName>(
    name: N,
    call: Pick<ClientReadableStream<ResponseOf<N>>, "on" | "cancel">,
    onAnswer: (answer: ResponseOf<N>) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = () => call.cancel();
      const settle = (end: () => void) => {
        signal?.removeEventListener("abort", cancel);
        end();
      };
      call.on("data", (answer: ResponseOf<N>) => {
        try {
          onAnswer(answer);
        } catch (error) {
          settle(() => reject(error));
          call.cancel();
        }
      });
      call.on("error", (error: ServiceError) => settle(() => reject(this.#problemOf(error, name))));
      call.on("end", () => settle(resolve));
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #problemOf(error: ServiceError | null, name: UnaryName | ServerStreamName | DuplexName): Error {
    if (error) return problemOfCall(error, this.#name, wireName(name));
    return problem("INTERNAL", `${this.#name} sent no answer.`, { details: wireName(name) });
  }
}

/** Writes until the source ends or the signal is aborted, with back-pressure from the other side. */
async function sendAll<T>(
  call: ClientWritableStream<T>,
  messages: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) return;
    if (!call.write(message)) await once(call, "drain", { signal }).catch(() => undefined);
  }
  call.end();
}

function deadlineIn(millis: number): CallOptions {
  return { deadline: Date.now() + millis };
}
