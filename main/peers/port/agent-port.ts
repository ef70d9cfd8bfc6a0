/**
 * The one port at which other machines reach this one. Every connection is TLS 1.3 with a certificate on both sides;
 * the certificate decides what is answered, and the ALPN protocol tells the purpose. An unpaired machine does not get a
 * single byte except for a pairing.
 */
import type { X509Certificate } from "node:crypto";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from "node:tls";
import { deviceIdOf } from "../../machine/device-id.js";
import { log } from "../../shared/log/log.js";
import { errnoOf, messageOf, problem } from "../../shared/problems.js";
import { certificateProblem } from "../identity/certificate.js";
import type { Identity } from "../identity/identity.js";
import { PairedAddresses } from "../trust/paired-addresses.js";
import type { TrustStore } from "../trust/trust-store.js";
import { ADMITTED, type AgentPeer, Alpn, unmappedAddress } from "./agent-peer.js";
import { ConnectionLimits } from "./connection-limits.js";
import { secureContextOptions } from "./tls-options.js";

/** Two below TensorFlow's customary 2222. */
export const DEFAULT_AGENT_PORT = 2220;
/**
 * Connections that one machine may have open for one protocol; a browser at a machine's window has the most. Tunnels
 * have a separate limit.
 */
const MAX_OPEN_OF_PEER = 64;
/** A handshake on a local network takes milliseconds; a Pi under load some hundreds. */
const HANDSHAKE_TIMEOUT_MILLIS = 10_000;
/** All addresses of both families. */
const EVERYWHERE = "::";
const EVERYWHERE_IPV4 = "0.0.0.0";
const KEEP_ALIVE_MILLIS = 15_000;

export interface AgentPortOptions {
  readonly identity: Identity;
  readonly trust: TrustStore;
  /** Addresses at which paired machines were seen; taken from the trust store unless given. */
  readonly pairedAddresses?: PairedAddresses;
  /** 2220 unless given. Any free one is taken instead where another program has it; 0: any. */
  readonly port?: number;
  /**
   * "127.0.0.1" for a machine that communicates only with itself; all addresses of both families unless
   * given.
   */
  readonly host?: string;
  /** How long a peer may take for its handshake. */
  readonly handshakeTimeoutMillis?: number;
}

interface Protocol {
  readonly handler: (peer: AgentPeer) => void;
  readonly admits: (peer: AgentPeer) => boolean;
}

/** A connection that a handler owns. */
interface OpenConnection {
  readonly peer: AgentPeer;
  readonly protocol: Protocol;
}

/** The peers that a protocol admits by default. */
const pairedOnly = (peer: AgentPeer): boolean => peer.trusted !== undefined;

export class AgentPort {
  readonly #identity: Identity;
  readonly #trust: TrustStore;
  readonly #pairedAddresses: PairedAddresses;
  readonly #limits: ConnectionLimits;
  readonly #protocols = new Map<string, Protocol>();
  /** Every socket from its first byte to its end, by connection. */
  readonly #sockets = new Map<string, Socket>();
  readonly #open = new Map<TLSSocket, OpenConnection>();
  readonly #tls: TlsServer;
  readonly #server: NetServer;
  readonly #stopListening: () => void;

  private constructor({ identity, trust, pairedAddresses, handshakeTimeoutMillis }: AgentPortOptions) {
    this.#identity = identity;
    this.#trust = trust;
    this.#pairedAddresses = pairedAddresses ?? new PairedAddresses(trust);
    this.#limits = new ConnectionLimits((address) => this.#pairedAddresses.has(address));
    // Never listens itself: which connections may start a handshake is decided first.
    this.#tls = createTlsServer({
      ...secureContextOptions(identity),
      requestCert: true,
      // These certificates are self-signed; they are checked in #secured.
      rejectUnauthorized: false,
      handshakeTimeout: handshakeTimeoutMillis ?? HANDSHAKE_TIMEOUT_MILLIS,
      ALPNCallback: ({ protocols }) => protocols.find((protocol) => this.#protocols.has(protocol)),
    });
    this.#tls.on("secureConnection", (socket) => this.#secured(socket));
    this.#tls.on("tlsClientError", (_error, socket) => socket.destroy());
    this.#server = createServer(
      { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MILLIS },
      (socket) => this.#accept(socket),
    );
    this.#stopListening = trust.onChange((deviceId) => this.#trustChanged(deviceId));
  }

  /**
   * Listens for other machines. Nothing is answered before a protocol has its handler.
   *
   * @throws ProblemError UNAVAILABLE when the machine has no such address or does not permit listening.
   */
  static async listen(options: AgentPortOptions): Promise<AgentPort> {
    const agentPort = new AgentPort(options);
    try {
      await listenSomewhere(agentPort.#server, options.host, options.port ?? DEFAULT_AGENT_PORT);
    } catch (error) {
      agentPort.#stopListening();
      throw problem(
        "UNAVAILABLE",
        "Other machines cannot reach this one: no port could be opened for them.",
        {
          details: messageOf(error),
        },
      );
    }
    // Later errors (too many open files) concern one connection; the port stays open.
    agentPort.#server.on("error", (error) =>
      log.error("The agent's port could not accept a connection:", error),
    );
    return agentPort;
  }

  /** The port that is listened on. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /**
   * Hands every connection for a protocol to its handler, which owns the socket from then on.
   *
   * @param admits Which peers are admitted, checked when a peer connects and whenever its trust changes: a connection
   *   that is no longer admitted is destroyed. Paired machines unless given.
   */
  handle(
    alpn: Alpn,
    handler: (peer: AgentPeer) => void,
    admits: (peer: AgentPeer) => boolean = pairedOnly,
  ): void {
    this.#protocols.set(alpn, { handler, admits });
  }

  /** Stops listening and ends every connection. */
  async close(): Promise<void> {
    this.#stopListening();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of [...this.#open.keys(), ...this.#sockets.values()]) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const address = unmappedAddress(socket.remoteAddress ?? "");
    const key = connectionKey(socket);
    const { admitted, evicted } = this.#limits.begin(key, address, performance.now());
    for (const other of evicted) this.#sockets.get(other)?.destroy();
    if (!admitted) {
      socket.destroy();
      return;
    }
    this.#sockets.set(key, socket);
    // TLS reports errors on a socket of its own; an earlier error would end the process.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#sockets.delete(key);
      this.#limits.ended(key, false, performance.now());
    });
    this.#tls.emit("connection", socket);
  }

  #secured(socket: TLSSocket): void {
    socket.on("error", () => socket.destroy());
    const peer = this.#peerOf(socket);
    const protocol = this.#protocols.get(socket.alpnProtocol || "");
    const admitted = peer !== undefined && protocol?.admits(peer) === true;
    // A pairing is open to any machine; a machine that a tunnel admits has been vouched for by a paired one.
    const vouchedFor = admitted && socket.alpnProtocol === Alpn.tunnel;
    const isPaired = peer?.trusted !== undefined;
    this.#limits.ended(connectionKey(socket), isPaired || vouchedFor, performance.now());
    if (isPaired) this.#pairedAddresses.met(peer.deviceId, peer.address);
    if (!admitted || !protocol || this.#hasTooMany(peer.deviceId, socket.alpnProtocol)) {
      // The caller sees its connection end after the handshake and treats that as a refusal.
      socket.destroySoon();
      return;
    }
    this.#open.set(socket, { peer, protocol });
    socket.once("close", () => this.#open.delete(socket));
    if (socket.alpnProtocol === Alpn.grpc) {
      protocol.handler(peer);
      return;
    }
    // Passed on once the byte has been sent, so that a handler that ends the connection at once does not look like
    // a refusal.
    socket.write(Uint8Array.of(ADMITTED), () => {
      if (!socket.destroyed) protocol.handler(peer);
    });
  }

  #hasTooMany(deviceId: string, alpn: string | false | null): boolean {
    if (alpn === Alpn.tunnel) return false;
    const open = [...this.#open].filter(
      ([socket, { peer }]) => peer.deviceId === deviceId && socket.alpnProtocol === alpn,
    );
    return open.length >= MAX_OPEN_OF_PEER;
  }

  /** Undefined for a peer without a certificate, with an invalid one, or with our own. */
  #peerOf(socket: TLSSocket): AgentPeer | undefined {
    let certificate: X509Certificate | undefined;
    try {
      certificate = socket.getPeerX509Certificate();
    } catch {
      return undefined;
    }
    if (!certificate || certificateProblem(certificate, "The caller's certificate")) return undefined;
    const deviceId = deviceIdOf(certificate.raw);
    const address = socket.remoteAddress;
    if (address === undefined || deviceId === this.#identity.deviceId) return undefined;
    const trust = this.#trust;
    return {
      deviceId,
      certPem: certificate.toString(),
      socket,
      address: unmappedAddress(address),
      get trusted() {
        return trust.get(deviceId);
      },
    };
  }

  #trustChanged(deviceId: string): void {
    for (const [socket, { peer, protocol }] of this.#open) {
      if (peer.deviceId === deviceId && !protocol.admits(peer)) socket.destroy();
    }
  }
}

/**
 * The two addresses of a connection, which identify it while it is open: Node's TLS server passes on another socket.
 */
function connectionKey({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

/**
 * Opens the port; another one if it is taken, IPv4 only if the machine has no IPv6.
 *
 * @throws Error of Node's own.
 */
async function listenSomewhere(server: NetServer, host: string | undefined, port: number): Promise<void> {
  try {
    await listenAt(server, host ?? EVERYWHERE, port);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EADDRINUSE" && port !== 0) return await listenSomewhere(server, host, 0);
    const noIpv6 = errno === "EAFNOSUPPORT" || errno === "EADDRNOTAVAIL";
    if (noIpv6 && host === undefined) return await listenSomewhere(server, EVERYWHERE_IPV4, port);
    throw error;
  }
}

async function listenAt(server: NetServer, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
