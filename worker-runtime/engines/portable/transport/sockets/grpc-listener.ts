import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { BindPlan } from "./bind-rules.js";
import { peerSocketOptions } from "./peer-socket.js";
import type { PeerTrust } from "./peer-trust.js";
import { SILENCE_LIMITS, silenceMillis } from "./silence-watch.js";

/** Attempts to find a port that is free on all addresses. */
const MAX_ATTEMPTS = 10;

/** Where there is no IPv6. */
const NO_SUCH_FAMILY: ReadonlySet<string> = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

/**
 * The sockets of a server: one for each address, all with the same port. Connections are passed to the function given
 * to `handTo`; earlier ones wait. With a trust, only connections with a known certificate are passed on.
 */
export class GrpcListener {
  /** The port, as chosen if 0 was requested. */
  readonly port: number;
  /** The addresses listened on. */
  readonly addresses: readonly string[];
  readonly #servers: readonly NetServer[];
  readonly #inbox: Inbox;

  private constructor(
    servers: readonly NetServer[],
    addresses: readonly string[],
    port: number,
    inbox: Inbox,
  ) {
    this.#servers = servers;
    this.addresses = addresses;
    this.port = port;
    this.#inbox = inbox;
  }

  /** Listens. @throws the system's error, with its `code`, for an address of the plan that it must have. */
  static async open(plan: BindPlan, port: number, trust: PeerTrust | undefined): Promise<GrpcListener> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await GrpcListener.#openOnce(plan, port, trust);
      } catch (error) {
        // The port that was free on the first address may be taken on the second.
        if (port !== 0 || attempt === MAX_ATTEMPTS || codeOf(error) !== "EADDRINUSE") {
          throw error;
        }
      }
    }
  }

  static async #openOnce(plan: BindPlan, port: number, trust: PeerTrust | undefined): Promise<GrpcListener> {
    const inbox = new Inbox();
    const servers: NetServer[] = [];
    const addresses: string[] = [];
    let chosen = port;
    const listen = async (address: string): Promise<void> => {
      const server = makeServer(inbox, trust);
      chosen = await listenOn(server, address, chosen);
      servers.push(server);
      addresses.push(address);
    };
    try {
      for (const address of plan.required) {
        await listen(address).catch((error: unknown) => {
          if (address === "::" && NO_SUCH_FAMILY.has(codeOf(error))) {
            return listen("0.0.0.0");
          }
          throw error;
        });
      }
      for (const address of plan.optional) {
        await listen(address).catch((error: unknown) => {
          if (!NO_SUCH_FAMILY.has(codeOf(error))) {
            throw error;
          }
        });
      }
    } catch (error) {
      for (const server of servers) {
        server.close();
      }
      throw error;
    }
    return new GrpcListener(servers, addresses, chosen, inbox);
  }

  /** Sets the receiver of the connections, starting with the waiting ones. */
  handTo(accept: (socket: Socket) => void): void {
    this.#inbox.open(accept);
  }

  /** Accepts no more connections; open ones stay. */
  close(): void {
    for (const server of this.#servers) {
      server.close();
    }
  }
}

/** Keeps connections until they are accepted. */
class Inbox {
  readonly #waiting: Socket[] = [];
  #accept: ((socket: Socket) => void) | undefined;

  put(socket: Socket): void {
    if (this.#accept === undefined) {
      this.#waiting.push(socket);
    } else {
      this.#accept(socket);
    }
  }

  open(accept: (socket: Socket) => void): void {
    this.#accept = accept;
    for (const socket of this.#waiting.splice(0)) {
      accept(socket);
    }
  }
}

function makeServer(inbox: Inbox, trust: PeerTrust | undefined): NetServer {
  if (trust === undefined) {
    return createServer(peerSocketOptions, (socket) => inbox.put(socket));
  }
  const handshake = { handshakeTimeout: silenceMillis(SILENCE_LIMITS) };
  const options = { ...trust.serverOptions(), ...peerSocketOptions, ...handshake };
  const server = createTlsServer(options, (socket) => {
    // A peer without a certificate of the cluster gets no answer at all.
    socket.on("error", () => undefined);
    if (trust.isPeer(socket.getPeerCertificate())) {
      inbox.put(socket);
    } else {
      socket.destroy();
    }
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

/** @returns the port, as chosen if it is 0. */
function listenOn(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      // Such as too many open files: the connection fails, the server continues.
      server.on("error", () => undefined);
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : port);
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
