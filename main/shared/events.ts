import { randomUUID } from "node:crypto";
import { type EventData, type EventName, isStateEvent } from "../api/contract.js";
import type { KnownEvent, MissedEvents, NumberedEvent } from "../api/missed-events.js";
import { KEPT_SAMPLES } from "../api/samples.js";
import { log } from "./log/log.js";

/** Receives every event of the application; a transport passes them on to its windows. */
export type EventListener = <E extends EventName>(event: E, data: EventData<E>, sequence: number) => void;
/** The function with which a service notifies the windows. */
export type EmitEvent = <E extends EventName>(event: E, data: EventData<E>) => void;

/**
 * The one place that events pass through. It numbers them and keeps what a reconnecting window needs: the last of each
 * event that carries a state, and the newest samples. A listener that throws does not stop the others.
 */
export class EventHub {
  /** Numbers of another run of the application are meaningless here. */
  readonly #feed = randomUUID();
  readonly #listeners = new Set<EventListener>();
  readonly #states = new Map<string, NumberedEvent>();
  #samples: NumberedEvent[] = [];
  #sequence = 0;
  /** Events that listeners emitted while others had yet to receive the previous one. */
  readonly #due: (() => void)[] = [];
  #telling = false;

  readonly emit: EmitEvent = (event, data) => {
    const sequence = ++this.#sequence;
    if (isStateEvent(event)) this.#states.set(event, { event, sequence, data });
    else if (event === "samples") {
      this.#samples = [...this.#samples.slice(1 - KEPT_SAMPLES), { event, sequence, data }];
    }
    this.#due.push(() => this.#tell(event, data, sequence));
    if (this.#telling) return;
    this.#telling = true;
    for (let tell = this.#due.shift(); tell; tell = this.#due.shift()) tell();
    this.#telling = false;
  };

  /** Calls the listener for every event until the returned function is called. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The newest event of a name that carries a state; undefined if there was none. */
  newest(event: EventName): NumberedEvent | undefined {
    return this.#states.get(event);
  }

  /** The events that a window missed after the last one it knows; all stored ones for a new window. */
  missed(known?: KnownEvent): MissedEvents {
    const after = known?.feed === this.#feed ? known.sequence : 0;
    const events = [...this.#states.values(), ...this.#samples]
      .filter(({ sequence }) => sequence > after)
      .sort((a, b) => a.sequence - b.sequence);
    return { last: { feed: this.#feed, sequence: this.#sequence }, events };
  }

  #tell<E extends EventName>(event: E, data: EventData<E>, sequence: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, data, sequence);
      } catch (error) {
        log.error(`A listener of the event "${event}" failed:`, error);
      }
    }
  }
}
