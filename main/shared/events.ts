import type { EventData, EventName } from "../api/contract.js";
import { log } from "./log/log.js";

/** Receives every event of the application; what a transport hands on to its windows. */
export type EventListener = <E extends EventName>(event: E, data: EventData<E>) => void;
/** What a service is given to tell the windows something. */
export type EmitEvent = EventListener;

/** The one place that events pass through. A listener that throws is the listener's fault and stops no other. */
export class EventHub {
  readonly #listeners = new Set<EventListener>();

  readonly emit: EmitEvent = (event, data) => {
    for (const listener of this.#listeners) {
      try {
        listener(event, data);
      } catch (error) {
        log.error(`A listener of the event "${event}" failed:`, error);
      }
    }
  };

  /** Calls the listener for every event until the returned function is called. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
