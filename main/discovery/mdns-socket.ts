/** One socket for mDNS (RFC 6762): one address family on one network interface. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { NetworkInterface } from "./interfaces.js";
import { decodePacket, encodePacket, type Packet } from "./packet.js";

const PORT = 5353;
const GROUP4 = "224.0.0.251";
const GROUP6 = "ff02::fb";
/** Packets that are read in a second; whoever sends more is not announcing anything. */
const MOST_PACKETS = 500;

export interface MdnsListeners {
  /** From now on packets can be sent. */
  opened(): void;
  /** A packet from the interface's network, or from this machine. `source` has no scope. */
  packet(packet: Required<Packet>, source: string): void;
  /** The socket does not work, and will not be used again. */
  failed(error: Error): void;
}

export class MdnsSocket {
  readonly #socket: Socket;
  readonly #family: 4 | 6;
  readonly #network: NetworkInterface;
  readonly #listeners: MdnsListeners;
  #state: "opening" | "open" | "closed" = "opening";
  #second = 0;
  #packets = 0;

  /** Opens at once; errors are told to the listener and never thrown. */
  constructor(network: NetworkInterface, family: 4 | 6, listeners: MdnsListeners) {
    this.#network = network;
    this.#family = family;
    this.#listeners = listeners;
    // The port is shared with the system's own responder, and IPv6 sockets leave IPv4 to others.
    this.#socket = createSocket(
      family === 4 ? { type: "udp4", reuseAddr: true } : { type: "udp6", reuseAddr: true, ipv6Only: true },
    );
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("message", (bytes, from) => this.#receive(bytes, from));
    // All addresses: a socket that is bound to one of them receives no multicast on Linux and macOS.
    this.#socket.bind({ port: PORT, address: family === 4 ? "0.0.0.0" : "::" }, () => this.#join());
  }

  /** Resolves when the packet was handed to the system, or could not be. */
  send(packet: Packet): Promise<void> {
    if (this.#state !== "open") return Promise.resolve();
    const bytes = encodePacket(packet);
    const group = this.#family === 4 ? GROUP4 : `${GROUP6}%${this.#network.scope}`;
    return new Promise((resolve) => {
      this.#socket.send(bytes, PORT, group, (error) => {
        if (error !== null) this.#fail(error);
        resolve();
      });
    });
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    try {
      this.#socket.close();
    } catch {
      // It was never bound.
    }
  }

  #join(): void {
    if (this.#state === "closed") return;
    const own = this.#family === 4 ? (this.#network.addresses4[0] ?? "") : `::%${this.#network.scope}`;
    try {
      this.#socket.addMembership(this.#family === 4 ? GROUP4 : GROUP6, own);
      this.#socket.setMulticastInterface(own);
      this.#socket.setMulticastTTL(255);
      this.#socket.setMulticastLoopback(true);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#state = "open";
    this.#listeners.opened();
  }

  #fail(error: Error): void {
    if (this.#state === "closed") return;
    this.close();
    this.#listeners.failed(error);
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    const second = Math.trunc(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#packets = 0;
    }
    this.#packets += 1;
    if (this.#state === "closed" || from.port !== PORT || this.#packets > MOST_PACKETS) return;
    const [source = "", scope] = from.address.split("%");
    // The system hands every socket on the port what came in by any interface.
    if (this.#family === 6 && scope !== undefined && scope !== this.#network.scope) return;
    if (!this.#network.isOnLink(source)) return;
    let packet: Required<Packet>;
    try {
      packet = decodePacket(bytes);
    } catch {
      return;
    }
    this.#listeners.packet(packet, source);
  }
}
