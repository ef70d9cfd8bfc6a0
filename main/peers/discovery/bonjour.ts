/**
 * The bonjour-service library on one network interface and address family, with the few internals of it that are needed
 * elsewhere: its multicast-dns is private and typed as `any`. Only this file accesses them.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { EventEmitter } from "node:events";
import Bonjour from "bonjour-service";
import type { NetworkInterface } from "./interfaces.js";
import type { DnsRecord, Packet, Question } from "./packet.js";

export const MDNS_PORT = 5353;
const GROUP4 = "224.0.0.251";
const GROUP6 = "ff02::fb";

type Done = (error?: Error | null) => void;

/** The part of multicast-dns that is used. */
interface MulticastDns extends EventEmitter {
  /** Everything that is sent goes through this, the library's own answers too. */
  send: (packet: Packet, to: object | Done | null | undefined, done?: Done) => void;
  query(questions: readonly Question[]): void;
}

export interface BonjourListeners {
  /** From now on packets can be sent. */
  ready(): void;
  /** The socket does not work. May be called more than once. */
  failed(error: Error): void;
  /** Whether the library may read packets from this sender. */
  admits(from: RemoteInfo): boolean;
  /** A response, before the library's browsers read it. @returns The records that they read instead. */
  incoming(packet: Packet): readonly DnsRecord[];
  /** A query, which the library answers only when, and only as far as, it is passed to `answer`. */
  query(packet: Required<Packet>): void;
  /** Called before a packet is sent. @returns What is sent instead, if anything. */
  outgoing(packet: Packet): Packet | undefined;
}

export interface OpenBonjour {
  readonly bonjour: Bonjour;
  query(questions: readonly Question[]): void;
  /** Lets the library answer questions by multicast. */
  answer(questions: readonly Question[]): void;
  /** Closes the socket without a goodbye. Resolves when it is closed. */
  destroy(): Promise<void>;
}

/** Opens at once; errors are passed to the listener and never thrown. */
export function openBonjour(
  network: NetworkInterface,
  family: 4 | 6,
  listeners: BonjourListeners,
): OpenBonjour {
  // The library's own IPv6 socket would take IPv4 packets too. The port is shared with the system's own responder.
  const socket = createSocket(
    family === 4 ? { type: "udp4", reuseAddr: true } : { type: "udp6", reuseAddr: true, ipv6Only: true },
  );
  const place =
    family === 4
      ? { ip: GROUP4, interface: network.addresses4[0], bind: "0.0.0.0" }
      : { ip: `${GROUP6}%${network.scope}`, interface: `::%${network.scope}`, bind: "::" };
  // `bind` is all addresses: a socket that is bound to one of them receives no multicast on Linux and macOS.
  const options = { ...place, type: `udp${family}`, port: MDNS_PORT, ttl: 255, loopback: true, socket };
  const bonjour = new Bonjour(options, listeners.failed);
  // biome-ignore lint/complexity/useLiteralKeys: a private member, and there is no public alternative.
  const mdns: MulticastDns = bonjour["server"].mdns;

  readGuarded(socket, listeners);
  mdns.on("ready", listeners.ready);
  mdns.on("error", listeners.failed);
  mdns.on("warning", (error: Error) => {
    // A packet that cannot be read is a warning too; only an error of the system came from a call.
    if ("syscall" in error) listeners.failed(error);
  });
  // The library's browsers subscribe later, and so are called after this listener.
  mdns.on("response", (packet: { answers: readonly DnsRecord[]; additionals: readonly DnsRecord[] }) => {
    packet.answers = listeners.incoming({ type: "response", ...packet });
    packet.additionals = [];
  });
  const answer = takeOver(mdns, "query");
  mdns.on("query", listeners.query);

  const send = mdns.send;
  mdns.send = (packet, to, done) => {
    // The library never passes a destination: everything goes to the multicast group.
    const told = typeof to === "function" ? to : done;
    const outgoing = listeners.outgoing(packet);
    if (outgoing === undefined) {
      told?.();
      return;
    }
    send(outgoing, null, (error) => {
      // Most of the library's own calls drop the error.
      if (error) listeners.failed(error);
      told?.(error);
    });
  };
  return {
    bonjour,
    query: (questions) => mdns.query(questions),
    answer: (questions) => answer({ questions }),
    destroy: async () => {
      // Not while multicast-dns sets the socket up, if that is what failed: it goes on with it, closed or not.
      await Promise.resolve();
      await new Promise<void>((resolve) => bonjour.destroy(resolve));
    },
  };
}

/** No received packet may end this process: the library catches only errors thrown while it decodes a packet. */
function readGuarded(socket: Socket, { admits }: BonjourListeners): void {
  const read = takeOver(socket, "message");
  socket.on("message", (bytes, from) => {
    if (!admits(from)) return;
    try {
      read(bytes, from);
    } catch {
      // A packet that makes the library fail is not an announcement.
    }
  });
}

/** Takes the library's only listener for an event from it. @returns The listener, to be called by hand. */
function takeOver(emitter: EventEmitter, event: string): (...values: readonly unknown[]) => void {
  const listeners = emitter.listeners(event);
  emitter.removeAllListeners(event);
  return (...values) => {
    for (const listener of listeners) listener.apply(emitter, values);
  };
}
