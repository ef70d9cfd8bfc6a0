import { getEventListeners } from "node:events";
import { CancellationController } from "../../../../worker-runtime/cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../../worker-runtime/cancellation/cancellation-signal.js";

/** Resolves with the signal's reason. */
export const whenAborted = (signal: CancellationSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

/** A controller of either kind, with the number of listeners that its signal has. */
export interface ObservedController {
  readonly signal: CancellationSignal;
  abort(reason?: unknown): void;
  listeners(): number;
}

function nodesOwn(): ObservedController {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    listeners: () => getEventListeners(signal, "abort").length,
  };
}

function light(): ObservedController {
  const controller = new CancellationController();
  const listeners = new Set<() => void>();
  const signal: CancellationSignal = {
    get aborted() {
      return controller.signal.aborted;
    },
    get reason() {
      return controller.signal.reason;
    },
    throwIfAborted: () => controller.signal.throwIfAborted(),
    addEventListener: (type, listener, options) => {
      listeners.add(listener);
      controller.signal.addEventListener(type, listener, options);
    },
    removeEventListener: (type, listener) => {
      listeners.delete(listener);
      controller.signal.removeEventListener(type, listener);
    },
  };
  return {
    signal,
    abort: (reason) => {
      controller.abort(reason);
      listeners.clear();
    },
    listeners: () => listeners.size,
  };
}

/** Everything that takes a signal takes both kinds. */
export const KINDS: readonly (readonly [kind: string, create: () => ObservedController])[] = [
  ["Node's", nodesOwn],
  ["a light", light],
];
