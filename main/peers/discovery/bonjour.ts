/**
 * The library, bonjour-service, on one network interface and address family, and the few places inside it that the rest
 * has to reach: it keeps its multicast-dns to itself and types it as anything. Only this file knows of them.
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

/** What is used of multicast-dns. */
interface MulticastDns extends EventEmitter {
  /** Everything that is sent goes through this, the library's own answers too. */
  send: (packet: Packet, to: object | Done | null | undefined, done?: Done) => void;
  query(questions: readonly Question[]): void;
}

export interface BonjourListeners {
  /** From now on packets can be sent. */
  ready(): void;
  /** The socket does not work. May be told more than once. */
  failed(error: Error): void;
  /** Whether the library is to read what came from there. */
  admits(from: RemoteInfo): boolean;
  /** A response, before the library's browsers read it. @returns The records that they read instead. */
  incoming(packet: Packet): readonly DnsRecord[];
  /** A query, which the library answers only when and as far as it is given to `answer`. */
  query(packet: Required<Packet>): void;
  /** A packet that is about to be sent. @returns What is sent instead, if anything. */
  outgoing(packet: Packet): Packet | undefined;
}

export interface OpenBonjour {
  readonly bonjour: Bonjour;
  query(questions: readonly Question[]): void;
  /** Lets the library answer questions, to the group. */
  answer(questions: readonly Question[]): void;
  /** Closes the socket without a word. Resolves when it is closed. */
  destroy(): Promise<void>;
}

/** Opens at once; errors are told to the listener and never thrown. */
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
  // biome-ignore lint/complexity/useLiteralKeys: a private member can be reached only so, and nothing else leads there.
  const mdns: MulticastDns = bonjour["server"].mdns;

  readGuarded(socket, listeners);
  mdns.on("ready", listeners.ready);
  mdns.on("error", listeners.failed);
  mdns.on("warning", (error: Error) => {
    // A packet that cannot be read is a warning too; only what the system refused came from a call.
    if ("syscall" in error) listeners.failed(error);
  });
  // The library's browsers come to listen later, and so are told after us.
  mdns.on("response", (packet: { answers: readonly DnsRecord[]; additionals: readonly DnsRecord[] }) => {
    packet.answers = listeners.incoming({ type: "response", ...packet });
    packet.additionals = [];
  });
  const answer = takeOver(mdns, "query");
  mdns.on("query", listeners.query);

  const send = mdns.send;
  mdns.send = (packet, to, done) => {
    // Where to is never given by the library: all goes to the group.
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

/** Nothing that anybody sends may end this process: the library catches only what is thrown while a packet is decoded. */
function readGuarded(socket: Socket, { admits }: BonjourListeners): void {
  const read = takeOver(socket, "message");
  socket.on("message", (bytes, from) => {
    if (!admits(from)) return;
    try {
      read(bytes, from);
    } catch {
      // What makes the library fail is no announcement.
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
