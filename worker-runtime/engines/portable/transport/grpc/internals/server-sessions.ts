import type { ServerHttp2Session } from "node:http2";

type SessionListener = (session: ServerHttp2Session) => void;

/** Where a grpc-js server sets its own listeners on an HTTP/2 server that it has made. */
interface ServerInternals {
  _setupHandlers(
    http2Server: { on(event: "session", listener: SessionListener): void },
    ...rest: readonly unknown[]
  ): void;
}

/**
 * Tells of each connection of a server as HTTP/2 sees it: its window, its pings and its end have no place in the interface
 * of grpc-js. To be called before the first connection.
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
