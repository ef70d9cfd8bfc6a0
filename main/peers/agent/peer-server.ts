/**
 * The gRPC server for one connection of one paired machine. Each connection has a server of its own, so that the
 * identity of the caller is fixed when the server is created and nothing that a caller sends can change it.
 */
import type { Duplex } from "node:stream";
import {
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import { problem } from "../../shared/problems.js";
import { statusOf } from "./problem-status.js";
import {
  type AgentMethodName,
  agentMethodNames,
  type DuplexName,
  methodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServerStreamName,
  type UnaryName,
} from "./service-definition.js";

/** The largest request is a table of tunnels; no legitimate request comes near this size. */
const MAX_REQUEST_BYTES = 1 << 20;
/**
 * Concurrent calls of one connection; an application has about one stream for each task whose log is open.
 */
const MAX_OPEN_CALLS = 128;
/**
 * So that streams to a machine that vanished without closing its connection end, and nothing is sampled for it
 * any more.
 */
const KEEPALIVE_INTERVAL_MILLIS = 10_000;
const KEEPALIVE_TIMEOUT_MILLIS = 5000;
/**
 * For the measurement of links: HTTP/2's default of 64 KiB would stall a fast network for a round trip per window.
 */
const FLOW_CONTROL_WINDOW_BYTES = 4 << 20;

export interface CallContext {
  /** Device ID of the machine that calls. */
  readonly caller: string;
  /** Aborted when the caller is gone, has cancelled or exceeded its deadline. */
  readonly signal: AbortSignal;
}

/** Sends one answer; resolves when there is room for another. */
export type Send<T> = (message: T) => Promise<void>;

export type UnaryHandlers = {
  readonly [N in UnaryName]: (
    request: RequestOf<N>,
    context: CallContext,
  ) => ResponseOf<N> | Promise<ResponseOf<N>>;
};
export type ServerStreamHandlers = {
  readonly [N in ServerStreamName]: (
    request: RequestOf<N>,
    context: CallContext,
    send: Send<ResponseOf<N>>,
  ) => Promise<void>;
};
export type DuplexHandlers = {
  readonly [N in DuplexName]: (
    requests: AsyncIterable<RequestOf<N>>,
    context: CallContext,
    send: Send<ResponseOf<N>>,
  ) => Promise<void>;
};
export type AgentHandlers = UnaryHandlers & ServerStreamHandlers & DuplexHandlers;

export interface PeerServerOptions {
  /** Device ID of the machine at the other end, which the TLS handshake proved. */
  readonly caller: string;
  readonly handlers: AgentHandlers;
  /** @throws ProblemError PERMISSION_DENIED when the machine may not call this. Called for each call. */
  readonly admit: (method: AgentMethodName) => void;
  /** Runs an admitted call. @throws ProblemError RESOURCE_EXHAUSTED when the machine has too many. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Serves a connection until it ends or the returned function is called, which ends every call at once. */
export function servePeer(socket: Duplex, options: PeerServerOptions): () => void {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_REQUEST_BYTES,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": MAX_OPEN_CALLS,
    "grpc.keepalive_time_ms": KEEPALIVE_INTERVAL_MILLIS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MILLIS,
    "grpc-node.flow_control_window": FLOW_CONTROL_WINDOW_BYTES,
    "grpc.enable_channelz": 0,
  });
  server.addService(
    Object.fromEntries(agentMethodNames.map((name) => [name, methodDefinition(name)])),
    Object.fromEntries(agentMethodNames.map((name) => [name, implementation(name, options)])),
  );
  // The socket is encrypted already; the server must not add TLS again.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const end = () => {
    server.forceShutdown();
    injector.destroy();
    socket.destroy();
  };
  socket.once("close", end);
  injector.injectConnection(socket);
  return end;
}

function implementation(name: AgentMethodName, options: PeerServerOptions): UntypedHandleCall {
  const { requestStream, responseStream } = methodDefinition(name);
  if (requestStream) return duplex(name as DuplexName, options);
  return responseStream ? serverStream(name as ServerStreamName, options) : unary(name as UnaryName, options);
}

function unary<N extends UnaryName>(
  name: N,
  { caller, handlers, admit, within }: PeerServerOptions,
): handleUnaryCall<RequestOf<N>, ResponseOf<N>> {
  const handle: UnaryHandlers[N] = handlers[name];
  return (call, done) => {
    const answer = async () => {
      admit(name);
      return await within(async () => await handle(call.request, { caller, signal: signalOf(call) }));
    };
    answer().then(
      (response) => done(null, response as ResponseOf<N>),
      (error: unknown) => done(statusOf(error)),
    );
  };
}

function serverStream<N extends ServerStreamName>(
  name: N,
  { caller, handlers, admit, within }: PeerServerOptions,
): handleServerStreamingCall<RequestOf<N>, ResponseOf<N>> {
  const handle: ServerStreamHandlers[N] = handlers[name];
  return (call) => {
    const signal = signalOf(call);
    const answer = async () => {
      admit(name);
      await within(() => handle(call.request, { caller, signal }, sender(call, signal)));
    };
    finish(call, answer());
  };
}

function duplex<N extends DuplexName>(
  name: N,
  { caller, handlers, admit, within }: PeerServerOptions,
): handleBidiStreamingCall<RequestOf<N>, ResponseOf<N>> {
  const handle: DuplexHandlers[N] = handlers[name];
  return (call) => {
    const signal = signalOf(call);
    const answer = async () => {
      admit(name);
      // The end of the requests must not end the call, whose answers may still be pending.
      const requests = call.iterator({ destroyOnReturn: false });
      await within(() => handle(requests, { caller, signal }, sender(call, signal)));
    };
    finish(call, answer());
  };
}

type WritableCall<Q, R> = ServerWritableStream<Q, R> | ServerDuplexStream<Q, R>;

function finish<Q, R>(call: WritableCall<Q, R>, work: Promise<void>): void {
  // A caller that has gone away gets no status, and grpc-js reports the failed write as an error of the stream.
  call.on("error", () => undefined);
  work.then(
    () => call.end(),
    // How a failure is passed to grpc-js. Destroying the stream would leave the caller without a status.
    (error: unknown) => call.emit("error", statusOf(error)),
  );
}

function sender<Q, R>(call: WritableCall<Q, R>, signal: AbortSignal): Send<R> {
  return async (message) => {
    if (signal.aborted || call.write(message)) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        call.off("drain", resume);
        signal.removeEventListener("abort", resume);
        resolve();
      };
      call.once("drain", resume);
      signal.addEventListener("abort", resume, { once: true });
    });
  };
}

/** Aborted when the call was cancelled, by the caller, its deadline or the end of the connection. */
function signalOf(call: {
  on(event: "cancelled", listener: () => void): unknown;
  cancelled: boolean;
}): AbortSignal {
  const controller = new AbortController();
  const cancel = () => controller.abort(problem("CANCELLED", "The call was cancelled."));
  if (call.cancelled) cancel();
  call.on("cancelled", cancel);
  return controller.signal;
}
