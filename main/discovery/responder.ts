/**
 * This machine on one of its networks: announces it there, answers who asks, and hears others. It has a socket for each
 * address family of the interface; a family that does not work leaves the other alone.
 */
import type { NetworkInterface } from "./interfaces.js";
import { MdnsSocket } from "./mdns-socket.js";
import type { Packet } from "./packet.js";
import { announcement, asksFor, concerns, inquiry, readResponse, search, type Told } from "./records.js";
import type { Announced } from "./sighting.js";

/** When after the start it is announced and asked again, in milliseconds: packets get lost. */
const BURST = [0, 250, 1000, 3000];
/** An answer waits up to so long, so that all who answer do not speak at once. */
const ANSWER_AFTER_MILLIS = 60;
/** The same records are sent so seldom at most (RFC 6762, section 6). */
const BETWEEN_ANSWERS_MILLIS = 1000;
/** A machine that was named without its port is asked about again only after a while. */
const BETWEEN_INQUIRIES_MILLIS = 1000;

export interface ResponderListeners {
  told(told: Told, source: string): void;
  /** Whether the network carries what is sent may be known better now. */
  changed(): void;
}

interface Link {
  socket: MdnsSocket;
  /** Whether a packet of this socket has come back, as multicast to ourselves does. */
  heardItself: boolean;
  error: Error | undefined;
  lastAnswer: number;
  answer: NodeJS.Timeout | undefined;
}

export class Responder {
  readonly network: NetworkInterface;
  readonly #machine: () => Announced;
  readonly #lifetime: number;
  readonly #listeners: ResponderListeners;
  readonly #links: Link[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastInquiry = Number.NEGATIVE_INFINITY;
  #closed = false;

  /**
   * @param machine This machine, as it is to be announced at the moment.
   * @param lifetime Seconds for which others may believe it.
   */
  constructor(
    network: NetworkInterface,
    machine: () => Announced,
    lifetime: number,
    listeners: ResponderListeners,
  ) {
    this.network = network;
    this.#machine = machine;
    this.#lifetime = lifetime;
    this.#listeners = listeners;
    if (network.addresses4.length > 0) this.#open(4);
    if (network.addresses6.length > 0) this.#open(6);
  }

  /** on: what is sent is heard again. silent: it is sent, and nothing of it comes back. failed: it cannot be sent. */
  get state(): "on" | "silent" | "failed" {
    if (this.#links.some((link) => link.heardItself && link.error === undefined)) return "on";
    return this.#links.some((link) => link.error === undefined) ? "silent" : "failed";
  }

  /** Why a family does not work, if one does not. */
  get error(): Error | undefined {
    return this.#links.find((link) => link.error !== undefined)?.error;
  }

  /** Asks who is there. */
  search(): void {
    for (const { socket } of this.#links) void socket.send(search());
  }

  /** Announces this machine and asks who is there, several times in the next seconds. */
  burst(): void {
    for (const link of this.#links) this.#burst(link);
  }

  /** Closes, after saying goodbye if the network is still there. */
  async close(goodbye: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const link of this.#links) clearTimeout(link.answer);
    if (goodbye) {
      const packet = announcement(this.#machine(), this.#addresses(), 0);
      await Promise.all(this.#links.map(({ socket }) => socket.send(packet)));
    }
    for (const { socket } of this.#links) socket.close();
  }

  #open(family: 4 | 6): void {
    const link: Link = {
      socket: new MdnsSocket(this.network, family, {
        opened: () => this.#burst(link),
        packet: (packet, source) => this.#receive(link, packet, source),
        failed: (error) => {
          link.error = error;
          this.#listeners.changed();
        },
      }),
      heardItself: false,
      error: undefined,
      lastAnswer: Number.NEGATIVE_INFINITY,
      answer: undefined,
    };
    this.#links.push(link);
  }

  #burst(link: Link): void {
    for (const delay of BURST) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        if (delay === 0 || delay >= BETWEEN_ANSWERS_MILLIS) this.#announce(link);
        void link.socket.send(search());
      }, delay);
      this.#timers.add(timer);
    }
  }

  #announce(link: Link): void {
    clearTimeout(link.answer);
    link.answer = undefined;
    link.lastAnswer = performance.now();
    void link.socket.send(announcement(this.#machine(), this.#addresses(), this.#lifetime));
  }

  #addresses(): string[] {
    return [...this.network.addresses4, ...this.network.addresses6];
  }

  #receive(link: Link, packet: Required<Packet>, source: string): void {
    if (!link.heardItself && this.#addresses().includes(source)) {
      link.heardItself = true;
      this.#listeners.changed();
    }
    if (packet.type === "query") {
      this.#answer(link, packet);
      return;
    }
    if (!concerns(packet)) return;
    const told = readResponse(packet);
    const incomplete = told.incomplete.filter((deviceId) => deviceId !== this.#machine().deviceId);
    const now = performance.now();
    if (incomplete.length > 0 && now - this.#lastInquiry >= BETWEEN_INQUIRIES_MILLIS) {
      this.#lastInquiry = now;
      void link.socket.send(inquiry(incomplete.slice(0, 8)));
    }
    this.#listeners.told(told, source);
  }

  #answer(link: Link, query: Required<Packet>): void {
    if (link.answer !== undefined || !asksFor(this.#machine().deviceId, query, this.#lifetime)) return;
    const next = link.lastAnswer + BETWEEN_ANSWERS_MILLIS - performance.now();
    const wait = Math.max(Math.random() * ANSWER_AFTER_MILLIS, next);
    link.answer = setTimeout(() => this.#announce(link), wait);
  }
}
