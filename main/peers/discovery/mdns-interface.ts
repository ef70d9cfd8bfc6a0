/**
 * This machine on one of its networks by one address family: bonjour-service announces it there, answers queries and
 * finds others. This class adds what the library lacks; see the comments at each addition.
 */
import type { RemoteInfo } from "node:dgram";
import type Bonjour from "bonjour-service";
import { inBackground } from "../../../worker-runtime/faults.js";
import { MDNS_PORT, type OpenBonjour, openBonjour } from "./bonjour.js";
import type { NetworkInterface } from "./interfaces.js";
import type { DnsRecord, Packet, Question } from "./packet.js";
import { PacketBudget } from "./packet-budget.js";
import {
  asksForAll,
  type Heard,
  isGoodbye,
  mentionedIn,
  outgoing,
  ownQuestions,
  questionsAbout,
  readFound,
  relevant,
  SERVICE,
  serviceOf,
} from "./records.js";
import type { Announced } from "./sighting.js";

/** When queries are sent after the start, in milliseconds: packets get lost. This machine answers them, too. */
const BURST = [0, 250, 1000, 3000];
/** An answer is delayed by up to this long, so that not all machines answer at once. */
const ANSWER_AFTER_MILLIS = 60;
/** Minimum interval between sending the same records (RFC 6762, section 6). */
const BETWEEN_ANSWERS_MILLIS = 1000;
/** Interval before a machine that was named without its port is queried again. */
const BETWEEN_INQUIRIES_MILLIS = 1000;
/** Machines that are queried at once. */
const MOST_INQUIRIES = 8;

export interface MdnsListeners {
  /** A machine announces itself. `source` is the sender's address, without scope. */
  heard(machine: Heard, source: string): void;
  /** A machine says goodbye. */
  gone(deviceId: string): void;
  /** Whether the network carries multicast may have become known. */
  changed(): void;
  /** Whether a paired machine was seen at an address. */
  isPairedAt(address: string): boolean;
}

export class MdnsInterface {
  readonly #network: NetworkInterface;
  readonly #family: 4 | 6;
  readonly #machine: () => Announced;
  readonly #lifetime: number;
  readonly #listeners: MdnsListeners;
  readonly #library: OpenBonjour;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Questions waiting to be answered, by name and type. */
  readonly #asked = new Map<string, Question>();
  #answer: NodeJS.Timeout | undefined;
  #lastAnswer = Number.NEGATIVE_INFINITY;
  #lastInquiry = Number.NEGATIVE_INFINITY;
  #state: "opening" | "open" | "leaving" | "closed" = "opening";
  #service: Bonjour.Service | undefined;
  #browser: Bonjour.Browser | undefined;
  #heardItself = false;
  #error: Error | undefined;
  readonly #budget = new PacketBudget();
  /** When a machine last queried without listing known answers. */
  #lastQuestion = Number.NEGATIVE_INFINITY;

  /**
   * Opens at once.
   *
   * @param machine This machine, as it is currently announced.
   * @param lifetime Lifetime of announcements in seconds, of this machine and of others.
   */
  constructor(
    network: NetworkInterface,
    family: 4 | 6,
    machine: () => Announced,
    lifetime: number,
    listeners: MdnsListeners,
  ) {
    this.#network = network;
    this.#family = family;
    this.#machine = machine;
    this.#lifetime = lifetime;
    this.#listeners = listeners;
    this.#library = openBonjour(network, family, {
      ready: () => this.#begin(),
      failed: (error) => this.#fail(error),
      admits: (from) => this.#admits(from),
      incoming: (packet) => this.#receive(packet),
      query: (packet) => this.#heed(packet),
      outgoing: (packet) => this.#sending(packet),
    });
  }

  /** Whether a packet has come back by multicast loopback. */
  get heardItself(): boolean {
    return this.#heardItself;
  }

  /** Why it does not work, if it does not. */
  get error(): Error | undefined {
    return this.#error;
  }

  /**
   * Queries for machines, with a new browser of the library each time: a browser never forgets a service, and keeps
   * more of them than it exposes.
   *
   * @param unlessSince Skipped if another machine has queried since then, by the monotonic clock.
   */
  search(unlessSince = Number.POSITIVE_INFINITY): void {
    if (this.#state !== "open" || this.#lastQuestion >= unlessSince) return;
    this.#browser?.stop();
    this.#browser = this.#library.bonjour.find({ type: SERVICE }, (service) => this.#found(service));
  }

  /** Queries several times in the next seconds, which also makes this machine announce itself as often. */
  burst(): void {
    for (const delay of BURST) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.search();
      }, delay);
      this.#timers.add(timer);
    }
  }

  /**
   * Announces this machine as it is now. The library cannot change what it announces: it is published again.
   */
  publish(): void {
    if (this.#state !== "open") return;
    this.#service?.stop();
    this.#service = this.#library.bonjour.publish(serviceOf(this.#machine()));
  }

  /** Closes, after saying goodbye if the network is still there. */
  async close(goodbye: boolean): Promise<void> {
    if (this.#state === "open" && goodbye) {
      this.#state = "leaving";
      await new Promise<void>((resolve) => this.#library.bonjour.unpublishAll(() => resolve()));
    }
    await this.#end();
  }

  #begin(): void {
    if (this.#state !== "opening") return;
    this.#state = "open";
    this.publish();
    this.burst();
  }

  #fail(error: Error): void {
    if (this.#state === "closed") return;
    inBackground(this.#end());
    this.#error = error;
    this.#listeners.changed();
  }

  async #end(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#answer);
    this.#browser?.stop();
    await this.#library.destroy();
  }

  /**
   * The library reads every packet that reaches the port, over any interface, from any sender, without a limit.
   */
  #admits({ address, port }: RemoteInfo): boolean {
    if (this.#state === "closed" || port !== MDNS_PORT) return false;
    const [source = "", scope] = address.split("%");
    const isPaired = this.#listeners.isPairedAt(source);
    if (!this.#budget.spend(source, isPaired, performance.now())) return false;
    if (this.#family === 6 && scope !== undefined && scope !== this.#network.scope) return false;
    if (!this.#network.isOnLink(source)) return false;
    if (!this.#heardItself && this.#addresses().includes(source)) {
      this.#heardItself = true;
      this.#listeners.changed();
    }
    return true;
  }

  /**
   * Reports what the library's browser does not: goodbyes of machines that it has not seen since the last search, and
   * machines that were named without their port or texts.
   *
   * @returns The part of the packet that the browser reads.
   */
  #receive(packet: Packet): DnsRecord[] {
    // The browser reports a service once, and keeps neither its lifetime nor its addresses up to date. A service
    // that it does not know is reported again.
    this.#browser?.services.splice(0);
    const records = relevant(packet);
    const { gone, incomplete } = mentionedIn(records);
    for (const deviceId of gone) this.#listeners.gone(deviceId);
    const now = performance.now();
    const unknown = incomplete.filter((deviceId) => deviceId !== this.#machine().deviceId);
    if (this.#state === "open" && unknown.length > 0 && now - this.#lastInquiry >= BETWEEN_INQUIRIES_MILLIS) {
      this.#lastInquiry = now;
      this.#library.query(questionsAbout(unknown.slice(0, MOST_INQUIRIES)));
    }
    return records;
  }

  #found(service: Bonjour.Service): void {
    const found = readFound(service, this.#lifetime);
    if (found !== undefined) this.#listeners.heard(found.heard, found.source);
  }

  /**
   * The library answers each question at once and each time, also when the sender lists the answer as known.
   */
  #heed(query: Required<Packet>): void {
    if (this.#state !== "open") return;
    if (asksForAll(query)) this.#lastQuestion = performance.now();
    for (const question of ownQuestions(this.#machine().deviceId, query, this.#lifetime)) {
      this.#asked.set(`${question.name} ${question.type}`, question);
    }
    if (this.#asked.size === 0 || this.#answer !== undefined) return;
    const next = this.#lastAnswer + BETWEEN_ANSWERS_MILLIS - performance.now();
    const wait = Math.max(Math.random() * ANSWER_AFTER_MILLIS, next);
    this.#answer = setTimeout(() => {
      this.#answer = undefined;
      const questions = [...this.#asked.values()];
      this.#asked.clear();
      if (this.#state === "open") this.#library.answer(questions);
    }, wait);
  }

  /** The library's packets, with this program's lifetimes and the addresses of this interface only. */
  #sending(packet: Packet): Packet | undefined {
    if (packet.type === "query") return packet;
    // A service that is published again is not gone.
    if (isGoodbye(packet)) return this.#state === "leaving" ? this.#rewritten(packet, 0) : undefined;
    this.#lastAnswer = performance.now();
    return this.#rewritten(packet, this.#lifetime);
  }

  #rewritten(packet: Packet, lifetime: number): Packet {
    return outgoing(packet, this.#machine().deviceId, this.#addresses(), lifetime);
  }

  #addresses(): string[] {
    return [...this.#network.addresses4, ...this.#network.addresses6];
  }
}
