/** The connection to one paired machine: redialled whenever it ends, and detected as dead within seconds. */

import type { WatchEvent } from "../../../protos/generated/tensordeck/agent.js";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import type { Presence } from "../../api/machines.js";
import type { Problem } from "../../api/problem.js";
import type { MachineSample } from "../../api/samples.js";
import { defined, problem, problemOf } from "../../shared/problems.js";
import type { Identity } from "../identity/identity.js";
import { type AgentChannel, openAgentChannel } from "./agent-channel.js";
import { ClockEstimate } from "./clock-estimate.js";
import { keepAsking } from "./heartbeat.js";
import { type DescribedMachine, machineFromMessage, machineSampleFromMessage } from "./messages/machine.js";

/** A host that is off never answers; one that is on answers at once. */
const DIAL_TIMEOUT_MILLIS = 3000;
/** Waits between attempts: short while a machine is probably restarting, then long enough to cost nothing. */
const BACKOFF_MILLIS = [200, 400, 700, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 2000] as const;
/** A connection that ends sooner than this counts as a failed attempt. */
const STABLE_MILLIS = 5000;

export interface PersistentChannelOptions {
  /** The identity of this machine. */
  readonly identity: Identity;
  readonly deviceId: string;
  /** The certificate whose hash is the device ID. */
  readonly certPem: string;
  /** The name of the machine until it has reported its own. */
  readonly name: string;
  /** Where its agent may be now, "host:port" each, the likeliest first. Queried before each attempt. */
  readonly addresses: () => readonly string[];
}

export interface ChannelEvents {
  /** The machine answers. */
  readonly connected: (channel: AgentChannel) => void;
  readonly disconnected: () => void;
  /** The machine sent an event; the first of a connection is its complete state. */
  readonly watched: (event: WatchEvent, isFirst: boolean) => void;
}

export class PersistentChannel {
  readonly #options: PersistentChannelOptions;
  readonly #events: ChannelEvents;
  readonly #listeners = new Set<() => void>();
  readonly #sampleListeners = new Set<(sample: MachineSample) => void>();
  #running: Promise<void> | undefined;
  #closed = false;
  /** Ends an attempt, or the wait for the next one. */
  #hurry = new AbortController();
  /** Ends the connection; set while there is one. */
  #over: AbortController | undefined;
  /** Number of consecutive failed attempts. */
  #failures = 0;
  #presence: Presence = "connecting";
  #channel: AgentChannel | undefined;
  #described: DescribedMachine | undefined;
  #clock = new ClockEstimate();
  #lastSeenAt: number | undefined;
  #problem: Problem | undefined;

  constructor(options: PersistentChannelOptions, events: ChannelEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Set if and only if the machine is online. */
  get channel(): AgentChannel | undefined {
    return this.#channel;
  }

  get presence(): Presence {
    return this.#presence;
  }

  /** The machine's last report about itself. */
  get described(): DescribedMachine | undefined {
    return this.#described;
  }

  get name(): string {
    return this.#described?.description.name ?? this.#options.name;
  }

  /** When the machine last answered, by the local clock. */
  get lastSeenAt(): number | undefined {
    return this.#lastSeenAt;
  }

  /** Why it does not answer. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls the listener with measurements of the machine and of the route to it, until the returned function is called.
   */
  onSample(listener: (sample: MachineSample) => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  open(): void {
    this.#running ??= this.#run();
  }

  /** Stops waiting, whether for the next attempt or for the answer to the current one. */
  dialNow(): void {
    if (this.#presence === "online") return;
    this.#failures = 0;
    this.#hurry.abort();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#hurry.abort();
    this.#over?.abort();
    this.#listeners.clear();
    this.#sampleListeners.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#hurry = new AbortController();
      const { signal: hurried } = this.#hurry;
      try {
        await this.#attend(await this.#dial(hurried));
      } catch (error) {
        if (this.#closed) return;
        // An attempt that was cancelled in favour of the next one says nothing about the machine.
        if (!hurried.aborted) this.#setPresence("offline", problemOf(error));
      }
      await delay(BACKOFF_MILLIS[Math.min(this.#failures, BACKOFF_MILLIS.length - 1)] ?? 0, hurried);
      this.#failures++;
    }
  }

  async #dial(signal: AbortSignal): Promise<AgentChannel> {
    const { addresses, ...machine } = this.#options;
    const where = { name: this.name, addresses: addresses(), timeoutMillis: DIAL_TIMEOUT_MILLIS };
    return await openAgentChannel({ ...machine, ...where }, signal);
  }

  /**
   * Runs one connection until it ends. Resolves when it was established and the machine ended it, cleanly or not: the
   * machine may just have restarted, and is redialled before it is reported as gone.
   *
   * @throws ProblemError when the connection is not established, or pings go unanswered.
   */
  async #attend(channel: AgentChannel): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    this.#over = over;
    if (this.#closed) over.abort();
    this.#clock = new ClockEstimate();
    const watch = channel.stream("watch", {}, (event) => this.#watched(channel, event), { signal });
    const heartbeat = keepAsking({
      channel,
      clock: this.#clock,
      name: this.name,
      onAnswer: () => this.#seen(),
      signal,
    });
    const watchEnd = watch.catch((error: unknown) => {
      if (this.#channel === undefined) throw error;
    });
    const startedAt = Date.now();
    try {
      await Promise.race([watchEnd, heartbeat]);
    } finally {
      if (Date.now() - startedAt > STABLE_MILLIS) this.#failures = 0;
      over.abort();
      this.#over = undefined;
      channel.close();
      await Promise.allSettled([watch, heartbeat]);
      this.#down();
    }
  }

  #watched(channel: AgentChannel, event: WatchEvent): void {
    const isFirst = this.#channel === undefined;
    this.#seen();
    if (event.machine) this.#described = machineFromMessage(event.machine);
    this.#events.watched(event, isFirst);
    if (isFirst) {
      this.#channel = channel;
      this.#events.connected(channel);
      this.#setPresence("online", undefined);
    } else if (event.machine) {
      this.#tell();
    }
    if (event.metrics) this.#measured(machineSampleFromMessage(event.metrics));
  }

  #measured(sample: MachineSample): void {
    const { roundTripMillis, offsetMillis: clockOffsetMillis } = this.#clock;
    const whole = defined({ ...sample, roundTripMillis, clockOffsetMillis });
    for (const listener of [...this.#sampleListeners]) listener(whole);
  }

  #seen(): void {
    this.#lastSeenAt = Date.now();
  }

  #down(): void {
    if (this.#channel === undefined) return;
    this.#channel = undefined;
    this.#events.disconnected();
    const { problem: why } = problem("UNAVAILABLE", `${this.name} ended the connection.`, {
      reason: "Tensordeck was probably stopped or restarted there.",
      remedy: "It is redialled automatically.",
    });
    this.#setPresence("connecting", why);
  }

  #setPresence(presence: Presence, why: Problem | undefined): void {
    this.#presence = presence;
    this.#problem = why;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
