import { setImmediate } from "node:timers/promises";
import type { CancellationSignal } from "../../cancellation/cancellation-signal.js";

/** Work in small pieces: it yields wherever the thread may do something else before it goes on. */
export type PausingWork<T> = Generator<void, T>;

/** Small items that are worked on between two pauses: a few milliseconds' work. */
export const ITEMS_PER_PAUSE = 8192;

/** Nodes of a graph that are worked on between two pauses: about a millisecond's work. */
export const NODES_PER_PAUSE = 128;

/** How long the work may block the thread that answers gRPC. */
const TURN_MILLIS = 4;

/** Does the work without a pause: for threads that need not respond meanwhile. */
export function withoutPauses<T>(work: PausingWork<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
  }
}

/**
 * Does the work and lets the event loop go round every few milliseconds. Short work is done when this returns.
 * @param signal ends the work at a pause, with its reason.
 */
export async function withPauses<T>(work: PausingWork<T>, signal?: CancellationSignal): Promise<T> {
  let turnEnd = performance.now() + TURN_MILLIS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
    if (performance.now() >= turnEnd) {
      await setImmediate();
      signal?.throwIfAborted();
      turnEnd = performance.now() + TURN_MILLIS;
    }
  }
}

/** As `eachOf`: an iterator would make an object for each of the items. */
function* eachOfArray<T>(
  items: readonly T[],
  act: (item: T, index: number) => void,
  itemsPerPause: number,
): PausingWork<undefined> {
  // An array may grow while it is walked.
  for (let index = 0; index < items.length; index += 1) {
    act(items[index] as T, index);
    if ((index + 1) % itemsPerPause === 0) {
      yield;
    }
  }
  return undefined;
}

/** Does something with each of many items. */
export function* eachOf<T>(
  items: Iterable<T>,
  act: (item: T, index: number) => void,
  itemsPerPause = ITEMS_PER_PAUSE,
): PausingWork<undefined> {
  if (Array.isArray(items)) {
    return yield* eachOfArray(items, act, itemsPerPause);
  }
  let count = 0;
  for (const item of items) {
    act(item, count);
    count += 1;
    if (count % itemsPerPause === 0) {
      yield;
    }
  }
  return undefined;
}

/** The results of `map` for many items. */
export function* mapped<T, R>(
  items: Iterable<T>,
  map: (item: T, index: number) => R,
  itemsPerPause = ITEMS_PER_PAUSE,
): PausingWork<R[]> {
  // With room for all of them, where their number is known: an array that grows is copied again and again.
  const results: R[] = Array.isArray(items) ? new Array<R>(items.length) : [];
  const put = (item: T, index: number) => {
    results[index] = map(item, index);
  };
  yield* eachOf(items, put, itemsPerPause);
  return results;
}
