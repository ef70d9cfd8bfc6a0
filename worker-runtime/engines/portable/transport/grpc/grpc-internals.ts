import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import {
  Metadata,
  type ServerInterceptingCall,
  type ServerInterceptor,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { ClientConnection } from "../../clients/client-connection.js";
import { MessageAssembler } from "../receiving/message-assembler.js";

/**
 * Bytes that a client may send before it must wait for us, for each call and for all calls of a connection. HTTP/2's own
 * 64 KiB make a feed of many megabytes stop at every window for a round trip: at 5 ms, 13 MB/s.
 */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** By the streams of the calls; a stream itself no longer knows its session once that is closed. */
const connections = new WeakMap<ServerHttp2Stream, ClientConnection>();

/** The parts of a grpc-js server that there are no options for. */
interface ServerInternals {
  commonServerOptions: { settings?: Record<string, number> };
  _setupHandlers(http2Server: Emitter, interceptors: unknown): void;
  _respondWithError(error: Partial<StatusObject>, ...rest: readonly unknown[]): void;
}

interface Emitter {
  on(event: "session", listener: (session: ServerHttp2Session) => void): void;
}

/**
 * Widens the windows of a server's connections: grpc-js has an option for this on channels,
 * `grpc-node.flow_control_window`, and none on servers (1.14). Notes the connections of calls, for `connectionOf`. And
 * answers unknown methods as TensorFlow's server does, without a text. Where a later version is made otherwise nothing
 * happens. Call it before the first address is bound.
 * @param onSession told of each connection
 */
export function tuneServer(server: object, onSession: (session: ServerHttp2Session) => void): void {
  if (!hasInternals(server)) {
    return;
  }
  const options = server.commonServerOptions;
  options.settings = { ...options.settings, initialWindowSize: WINDOW_BYTES };
  const setUp = server._setupHandlers.bind(server);
  server._setupHandlers = (http2Server, interceptors) => {
    setUp(http2Server, interceptors);
    http2Server.on("session", (session) => {
      session.setLocalWindowSize(WINDOW_BYTES);
      noteCalls(session);
      onSession(session);
    });
  };
  const respond = server._respondWithError.bind(server);
  server._respondWithError = (error, ...rest) =>
    respond(error.code === status.UNIMPLEMENTED ? { ...error, details: "" } : error, ...rest);
}

function hasInternals(server: object): server is ServerInternals {
  return (
    "commonServerOptions" in server &&
    typeof server.commonServerOptions === "object" &&
    ["_setupHandlers", "_respondWithError"].every((name) => typeof Reflect.get(server, name) === "function")
  );
}

function noteCalls(session: ServerHttp2Session): void {
  const connection = new ClientConnection();
  session.once("close", () => connection.close());
  // Before grpc-js, which calls handlers from its own listener.
  session.prependListener("stream", (stream) => {
    connections.set(stream, connection);
    connection.beginCall();
    stream.once("close", () => connection.endCall());
  });
}

/**
 * Has a call's messages put together while they come: see MessageAssembler. An interceptor is the only place that is given
 * a call before its data. Where a later version is made otherwise nothing happens.
 */
export const assembleWhileReceiving: ServerInterceptor = (_method, call) => {
  if (
    "decoder" in call &&
    "maxReceiveMessageSize" in call &&
    typeof call.maxReceiveMessageSize === "number"
  ) {
    call.decoder = new MessageAssembler(call.maxReceiveMessageSize);
  }
  // What an interceptor is given may be what it gives; the types ask for a wrapper around it.
  return call as ServerInterceptingCall;
};

/** The parts of a call under grpc-js's own handling of unary calls. */
interface CallInternals {
  readonly stream: ServerHttp2Stream;
  /** In bytes; -1 for any number. */
  readonly maxSendMessageSize: number;
  sendMetadata(metadata: Metadata): void;
  sendStatus(status: StatusObject): void;
}

/**
 * The HTTP/2 stream of a unary call whose answer, of so many bytes, is to be written to it directly, its headers sent,
 * and what ends the call well. Undefined where the answer is too large, which grpc-js tells the caller, and where grpc-js
 * is made otherwise.
 */
export function openAnswer(
  call: object,
  byteLength: number,
): { readonly stream: ServerHttp2Stream; end(): void } | undefined {
  const inner: unknown = Reflect.get(call, "call");
  if (!isCallInternals(inner) || (inner.maxSendMessageSize !== -1 && byteLength > inner.maxSendMessageSize)) {
    return undefined;
  }
  inner.sendMetadata(new Metadata());
  return {
    stream: inner.stream,
    end: () => inner.sendStatus({ code: status.OK, details: "OK", metadata: new Metadata() }),
  };
}

function isCallInternals(inner: unknown): inner is CallInternals {
  return (
    typeof inner === "object" &&
    inner !== null &&
    ["sendMetadata", "sendStatus"].every((name) => typeof Reflect.get(inner, name) === "function") &&
    typeof Reflect.get(inner, "maxSendMessageSize") === "number" &&
    isHttp2Stream(Reflect.get(inner, "stream"))
  );
}

/** The connection that a call of a grpc-js server came on. Undefined where grpc-js is made otherwise. */
export function connectionOf(call: object): ClientConnection | undefined {
  const stream = http2StreamOf(call);
  return stream === undefined ? undefined : connections.get(stream);
}

/**
 * The HTTP/2 stream under a call of a grpc-js server, for messages that are not to be copied on their way.
 * Whatever is written to it must be framed, and the headers must have been sent. Undefined where grpc-js is made otherwise.
 */
export function http2StreamOf(call: object): ServerHttp2Stream | undefined {
  const inner: unknown = Reflect.get(call, "call");
  const stream: unknown =
    typeof inner === "object" && inner !== null ? Reflect.get(inner, "stream") : undefined;
  return isHttp2Stream(stream) ? stream : undefined;
}

function isHttp2Stream(stream: unknown): stream is ServerHttp2Stream {
  return (
    typeof stream === "object" &&
    stream !== null &&
    ["write", "cork", "uncork", "respond"].every((name) => typeof Reflect.get(stream, name) === "function")
  );
}
