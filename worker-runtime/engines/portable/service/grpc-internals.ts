import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { type StatusObject, status } from "@grpc/grpc-js";
import { ClientConnection } from "../connections/client-connection.js";

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
 */
export function tuneServer(server: object): void {
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
