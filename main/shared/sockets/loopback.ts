/** The loopback interface: listening where only programs of this machine can connect, and connecting to them. */
import { connect, createServer, type Server, type Socket } from "node:net";

/** Both, since "localhost" resolves to either, and programs differ in which they try first. */
const HOSTS = ["127.0.0.1", "::1"] as const;

/** A listener on 127.0.0.1, and on ::1 where the machine has IPv6. */
export class LoopbackServer {
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  /**
   * Listens, with the sockets given paused: nothing is read before the receiver reads it.
   *
   * @throws Error of Node's own, EADDRINUSE if one of the two addresses is taken.
   */
  static async listen(port: number, onConnection: (socket: Socket) => void): Promise<LoopbackServer> {
    const servers: Server[] = [];
    try {
      for (const host of HOSTS) {
        const server = await listen(port, host, onConnection);
        if (server) servers.push(server);
      }
    } catch (error) {
      for (const server of servers) server.close();
      throw error;
    }
    return new LoopbackServer(servers);
  }

  /** Accepts no more connections; open ones continue. Resolves as soon as the port is free. */
  close(): void {
    for (const server of this.#servers) server.close();
  }
}

/**
 * Connects to a program of this machine. Nothing is read from the socket before the caller does.
 *
 * @throws Error of Node's own, ECONNREFUSED if nothing listens.
 */
export function connectLoopback(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    // A server may speak first.
    socket.pause();
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}

function listen(
  port: number,
  host: string,
  onConnection: (socket: Socket) => void,
): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, onConnection);
    const failed = (error: NodeJS.ErrnoException) => {
      const { code } = error;
      // A machine without IPv6 has no ::1.
      if (host === "::1" && (code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL")) resolve(undefined);
      else reject(error);
    };
    server.once("error", failed);
    server.listen({ port, host, exclusive: true }, () => {
      server.removeListener("error", failed);
      // A listener that fails later (no descriptors left) accepts again once some are available.
      server.on("error", () => undefined);
      resolve(server);
    });
  });
}
