import type { ServerHttp2Session } from "node:http2";

type SessionListener = (session: ServerHttp2Session) => void;

/** The method in which a grpc-js server adds its listeners to a new HTTP/2 server. */
interface ServerInternals {
  _setupHandlers(
    http2Server: { on(event: "session", listener: SessionListener): void },
    ...rest: readonly unknown[]
  ): void;
}

/**
 * Reports each connection of a server at the HTTP/2 level: the interface of grpc-js does not expose its window, pings
 * and end. To be called before the first connection.
 */
export function onServerSession(server: object, listener: SessionListener): void {
  if (hasHandlers(server)) {
    const setUp = server._setupHandlers.bind(server);
    server._setupHandlers = (http2Server, ...rest) => {
      setUp(http2Server, ...rest);
      http2Server.on("session", listener);
    };
  }
}

function hasHandlers(server: object): server is ServerInternals {
  return typeof Reflect.get(server, "_setupHandlers") === "function";
}
