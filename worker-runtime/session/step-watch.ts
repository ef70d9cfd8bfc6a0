import { inBackground } from "../faults.js";
import { aborted, type TensorFlowError, unavailable } from "../protocol/status.js";
import type { Participants, ProbeResult } from "./participants.js";

/** Time between two rounds of probes. Steps that end sooner cost nothing. */
const INTERVAL_MILLIS = 2000;
/** A task that failed to answer is probed again sooner. */
const RETRY_INTERVAL_MILLIS = 250;
const PROBE_DEADLINE_MILLIS = 5000;
/** Rounds without an answer after which a task counts as lost; more than one, since a busy machine may miss one. */
const MISSES_ALLOWED = 2;

/**
 * Watches the tasks while a step is pending. The protocol has no such mechanism: a step with a participant that was
 * switched off would hang forever. Notifies all pending steps if a task no longer answers or its process was replaced.
 */
export class StepWatch {
  readonly #participants: Participants;
  readonly #pending = new Set<(error: TensorFlowError) => void>();
  readonly #misses = new Map<string, number>();
  /** Since when at least one step has been pending without a break. */
  #pendingSinceMillis = 0;
  #timer: NodeJS.Timeout | undefined;
  #probing: AbortController | undefined;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  /** Watches until the returned function is called. */
  add(fail: (error: TensorFlowError) => void): () => void {
    if (this.#pending.size === 0) {
      this.#pendingSinceMillis = performance.now();
    }
    this.#pending.add(fail);
    // It may still run for earlier steps: a timer for each would take as long as all other work here.
    if (this.#timer === undefined && this.#probing === undefined) {
      this.#schedule(INTERVAL_MILLIS);
    }
    return () => {
      this.#pending.delete(fail);
      if (this.#pending.size === 0) {
        this.#stopProbing();
      }
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopProbing();
  }

  #stopProbing(): void {
    this.#probing?.abort();
    this.#probing = undefined;
    this.#misses.clear();
  }

  #schedule(millis: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, millis);
    // The connection of a pending step keeps the process alive.
    this.#timer.unref();
  }

  /** Probes if the same steps, or others without a break, have been pending for a whole interval. */
  #look(): void {
    if (this.#pending.size === 0) {
      return;
    }
    const restMillis = INTERVAL_MILLIS - (performance.now() - this.#pendingSinceMillis);
    if (restMillis > 0) {
      this.#schedule(Math.ceil(restMillis));
    } else {
      inBackground(this.#round());
    }
  }

  async #round(): Promise<void> {
    const controller = new AbortController();
    this.#probing = controller;
    let results: ProbeResult[];
    try {
      results = await this.#participants.probe(PROBE_DEADLINE_MILLIS, controller.signal);
    } catch {
      // Only an abort gets here: no step is pending.
      return;
    }
    if (controller.signal.aborted) {
      return;
    }
    this.#probing = undefined;
    const failure = this.#failureOf(results);
    if (failure !== undefined) {
      for (const fail of [...this.#pending]) {
        fail(failure);
      }
    }
    if (this.#pending.size > 0) {
      this.#schedule(this.#misses.size > 0 ? RETRY_INTERVAL_MILLIS : INTERVAL_MILLIS);
    }
  }

  #failureOf(results: readonly ProbeResult[]): TensorFlowError | undefined {
    for (const { name, task, address, error, restarted } of results) {
      const where = name === address ? address : `${name} (${address})`;
      if (restarted) {
        return aborted(
          `${where} was restarted while the step ran: its variables and graphs are lost. Make a new session.`,
          { task },
        );
      }
      const misses = error === undefined ? 0 : (this.#misses.get(address) ?? 0) + 1;
      if (error === undefined) {
        this.#misses.delete(address);
      } else {
        this.#misses.set(address, misses);
      }
      if (error !== undefined && misses > MISSES_ALLOWED) {
        return unavailable(`${where} stopped answering while the step ran. ${error.message}`, {
          task,
          cause: error,
        });
      }
    }
    return undefined;
  }
}
