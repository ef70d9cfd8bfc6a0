import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { ClientConnection } from "../../clients/client-connection.js";
import { http2StreamOf } from "./internals/call-stream.js";

/** By the streams of the calls; a stream itself no longer knows its session once that is closed. */
const connections = new WeakMap<ServerHttp2Stream, ClientConnection>();

/** Records which calls arrive on a connection, for `connectionOf`. */
export function noteCalls(session: ServerHttp2Session): void {
  const connection = new ClientConnection();
  session.once("close", () => connection.close());
  // Before grpc-js, which calls handlers from its own listener.
  session.prependListener("stream", (stream) => {
    connections.set(stream, connection);
    connection.beginCall();
    stream.once("close", () => connection.endCall());
  });
}

/** The connection on which a call of a grpc-js server arrived. Undefined if grpc-js does not reveal it. */
export function connectionOf(call: object): ClientConnection | undefined {
  const stream = http2StreamOf(call);
  return stream === undefined ? undefined : connections.get(stream);
}
