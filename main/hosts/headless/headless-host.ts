/** The window without Electron: an HTTP server on the loopback interface that a browser opens. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { inBackground } from "../../../worker-runtime/faults.js";
import { SOCKET_PATH, SOCKET_PROTOCOL, SocketClose, secretOfProtocols } from "../../api/headless.js";
import type { SharedWindow } from "../../peers/agent/shared-window.js";
import { deferred } from "../../shared/deferred.js";
import { errnoOf, messageOf, problem } from "../../shared/problems.js";
import { Access, isOwnHost, isOwnOrigin } from "./access.js";
import { Connection, type ServedApplication } from "./connection.js";
import { handleHttp } from "./http-routes.js";

/** Graphs with their weights travel in one message: the largest document plus its envelope. */
const DEFAULT_MAX_MESSAGE_BYTES = 2 ** 30 + 2 ** 20;
/**
 * Any program on this machine can connect before it has presented a secret; the file descriptors that tasks
 * need must not run out. The oldest connections without a secret give way to new ones, which may be a window's.
 */
const MAX_CONNECTIONS = 256;
/** A connection on which nothing is asked within this time is none of a browser. */
const FIRST_REQUEST_MILLIS = 5_000;

export interface HeadlessHostOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Folder of the built window. */
  readonly rendererFolder: string;
  /** Larger frames from a tab end its connection. */
  readonly maxMessageBytes?: number;
  readonly access?: Access;
}

export interface HeadlessHost {
  readonly port: number;
  /** A fresh one-time address. */
  newWindowUrl(): string;
  /** Connects the application to the tabs, which wait until then. */
  serve(application: ServedApplication): void;
  /** The window that the agent offers to paired machines. */
  readonly sharedWindow: SharedWindow;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and resolves when it does.
 *
 * @throws ProblemError UNAVAILABLE when the port is taken, PERMISSION_DENIED when this account may not use it.
 */
export async function startHeadlessHost(options: HeadlessHostOptions): Promise<HeadlessHost> {
  const access = options.access ?? new Access();
  const connections = new Set<Connection>();
  const application = deferred<ServedApplication>();
  let port = options.port;

  /** Ports under which browsers of other machines know this window, by the connection that the agent handed on. */
  const sharedPorts = new WeakMap<Duplex, number>();
  const portOf = (request: IncomingMessage) => sharedPorts.get(request.socket) ?? port;

  const server = createServer((request, response) => {
    const { rendererFolder } = options;
    const routes = { access, application: application.promise, port: portOf(request), rendererFolder };
    inBackground(handleHttp(routes, request, response));
  });
  // Requests have only headers or a token; slow senders are disconnected.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  /** Every socket, upgraded ones included, of which the server itself no longer knows. */
  const open = new Set<Duplex>();
  /** Those of no window, the oldest first, with what ends them unless something is asked. */
  const unproven = new Map<Duplex, NodeJS.Timeout>();
  server.on("connection", (socket) => {
    open.add(socket);
    unproven.set(
      socket,
      setTimeout(() => socket.destroy(), FIRST_REQUEST_MILLIS),
    );
    socket.once("close", () => {
      clearTimeout(unproven.get(socket));
      open.delete(socket);
      unproven.delete(socket);
    });
    if (open.size <= MAX_CONNECTIONS) return;
    // The new one itself, if all others are windows.
    for (const [oldest, timer] of unproven) {
      clearTimeout(timer);
      oldest.destroy();
      // Its close comes later.
      open.delete(oldest);
      unproven.delete(oldest);
      break;
    }
  });
  server.on("request", ({ socket }) => clearTimeout(unproven.get(socket)));

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
  });

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const refusal = refuseUpgrade(request, portOf(request), access);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    clearTimeout(unproven.get(socket));
    unproven.delete(socket);
    inBackground(
      application.promise.then((served) => {
        if (socket.destroyed || !server.listening) return;
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          const connection = new Connection(webSocket, served);
          connections.add(connection);
          webSocket.once("close", () => connections.delete(connection));
        });
      }),
    );
  });

  await listen(server, options.port);
  port = (server.address() as AddressInfo).port;

  return {
    port,
    newWindowUrl: () => `http://127.0.0.1:${port}/#token=${access.issueToken()}`,
    serve: (served) => application.resolve(served),
    sharedWindow: {
      issueToken: () => access.issueToken(),
      serve: (socket, sharedPort) => {
        if (!server.listening) {
          socket.destroy();
          return;
        }
        sharedPorts.set(socket, sharedPort);
        server.emit("connection", socket);
      },
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...connections].map((tab) => tab.close(SocketClose.goingAway, "Tensordeck ends")));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Why an upgrade to a WebSocket is refused, as an HTTP status line's end; undefined when it is not. */
function refuseUpgrade(request: IncomingMessage, port: number, access: Access): string | undefined {
  if (!isOwnHost(request.headers.host, port)) return "403 Forbidden";
  if (!isOwnOrigin(request.headers.origin, port)) return "403 Forbidden";
  if ((request.url ?? "").split("?", 1)[0] !== SOCKET_PATH) return "404 Not Found";
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const secret = secretOfProtocols(offered);
  return secret !== undefined && access.admits(secret) ? undefined : "401 Unauthorized";
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    if (errnoOf(error) === "EADDRINUSE") {
      throw problem("UNAVAILABLE", `Port ${port} of 127.0.0.1 is in use.`, {
        reason: "Another program, perhaps another Tensordeck, listens on it.",
        remedy: "End that program, or choose another port with --port (0 takes any that is free).",
        details: messageOf(error),
      });
    }
    if (errnoOf(error) === "EACCES") {
      throw problem("PERMISSION_DENIED", `Port ${port} may not be used by this account.`, {
        remedy: "Choose a port above 1023 with --port (0 takes any that is free).",
        details: messageOf(error),
      });
    }
    throw error;
  }
}
