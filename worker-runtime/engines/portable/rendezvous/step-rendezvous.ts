import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { cancelledBy, type TensorFlowError } from "../../../protocol/status.js";
import type { Rendezvous, Sent } from "./rendezvous.js";
import { parseRendezvousKey, sendDeviceOf } from "./rendezvous-key.js";

/** Fetches what a device of another task sends. */
export interface RemoteReceiver {
  /** Whether a device, by its full name, belongs to this task, under its name in the step. */
  isLocal(device: string): boolean;
  /** Asks the task that the key names. @throws TensorFlowError that task's, or CANCELLED when the signal is aborted. */
  receive(key: string, signal: CancellationSignal): Promise<Sent>;
}

/** A pending receive of a key that has not been sent yet. */
interface Waiter {
  resolve(sent: Sent): void;
  reject(error: TensorFlowError): void;
}

/** The state of a key: values that have not been received, or pending receives; never both. */
type Entry =
  | { readonly kind: "sent"; readonly values: Sent[] }
  | { readonly kind: "awaited"; readonly waiters: Waiter[] };

/**
 * The rendezvous of one step on one task. It may be created before the step runs here, by another task that requests a
 * tensor; `attach` then tells how other tasks are reached. Values that are sent twice under a key are queued, as in
 * TensorFlow. A request to another task ends with the signal of its caller: code that aborts the rendezvous of a
 * running step also aborts the step's signal.
 */
export class StepRendezvous implements Rendezvous {
  readonly #entries = new Map<string, Entry>();
  #receiver: RemoteReceiver | undefined;
  /** Set once; afterwards nothing is stored and nothing waits. */
  #error: TensorFlowError | undefined;

  /** Whether a step of this task uses it; otherwise only other tasks have requested it. */
  get isAttached(): boolean {
    return this.#receiver !== undefined;
  }

  /** Whether nothing is stored and nothing waits. */
  get isIdle(): boolean {
    return this.#entries.size === 0;
  }

  /**
   * Sets how values of other tasks are fetched. Only the first call counts: a step belongs to one session.
   */
  attach(receiver: RemoteReceiver): void {
    this.#receiver ??= receiver;
  }

  send(key: string, sent: Sent): void {
    if (this.#error !== undefined) {
      throw this.#error;
    }
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { kind: "sent", values: [sent] });
    } else if (entry.kind === "sent") {
      entry.values.push(sent);
    } else {
      const waiter = entry.waiters.shift();
      if (entry.waiters.length === 0) {
        this.#entries.delete(key);
      }
      waiter?.resolve(sent);
    }
  }

  recv(key: string, signal: CancellationSignal): Promise<Sent> {
    const receiver = this.#receiver;
    if (this.#error === undefined && receiver !== undefined && !receiver.isLocal(sendDeviceOf(key))) {
      parseRendezvousKey(key);
      return receiver.receive(key, signal);
    }
    return this.recvLocal(key, signal);
  }

  /** Waits for a value that a device of this task sends, regardless of the device's name in the key. */
  recvLocal(key: string, signal: CancellationSignal): Promise<Sent> {
    if (this.#error !== undefined) {
      return Promise.reject(this.#error);
    }
    const entry = this.#entries.get(key);
    if (entry?.kind === "sent") {
      const sent = entry.values.shift();
      if (entry.values.length === 0) {
        this.#entries.delete(key);
      }
      if (sent !== undefined) {
        return Promise.resolve(sent);
      }
    }
    if (signal.aborted) {
      return Promise.reject(cancelledBy(signal.reason, "Waiting for a tensor"));
    }
    return this.#wait(key, signal);
  }

  abort(error: TensorFlowError): void {
    if (this.#error !== undefined) {
      return;
    }
    this.#error = error;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) {
      if (entry.kind === "awaited") {
        for (const waiter of entry.waiters) {
          waiter.reject(error);
        }
      }
    }
  }

  #wait(key: string, signal: CancellationSignal): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.#leave(key, waiter);
        reject(cancelledBy(signal.reason, "Waiting for a tensor"));
      };
      const waiter: Waiter = {
        resolve: (sent) => {
          signal.removeEventListener("abort", give);
          resolve(sent);
        },
        reject: (error) => {
          signal.removeEventListener("abort", give);
          reject(error);
        },
      };
      signal.addEventListener("abort", give, { once: true });
      const entry = this.#entries.get(key);
      if (entry?.kind === "awaited") {
        entry.waiters.push(waiter);
      } else {
        this.#entries.set(key, { kind: "awaited", waiters: [waiter] });
      }
    });
  }

  #leave(key: string, waiter: Waiter): void {
    const entry = this.#entries.get(key);
    if (entry?.kind === "awaited") {
      const index = entry.waiters.indexOf(waiter);
      if (index !== -1) {
        entry.waiters.splice(index, 1);
      }
      if (entry.waiters.length === 0) {
        this.#entries.delete(key);
      }
    }
  }
}
