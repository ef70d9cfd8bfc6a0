import { setImmediate } from "node:timers/promises";
import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import type { PausingWork } from "../../pauses.js";

/**
 * Runs a long piece of work in turns of a few milliseconds, and a short one at once.
 * @param count the number of parts of the work.
 * @param perTurn the number of parts done in one turn.
 * @param run does the parts from `first` up to, not including, `end`.
 * @param signal ends the work between two turns, with its reason; undefined for work that must not end half done.
 * @returns what `result` returns once all parts are done.
 */
export function inTurns<T>(
  count: number,
  perTurn: number,
  run: (first: number, end: number) => void,
  signal: CancellationSignal | undefined,
  result: () => T,
): T | Promise<T> {
  if (count <= perTurn) {
    run(0, count);
    return result();
  }
  return (async () => {
    for (let first = 0; first < count; first += perTurn) {
      run(first, Math.min(count, first + perTurn));
      await setImmediate();
      signal?.throwIfAborted();
    }
    return result();
  })();
}

/**
 * Runs work that pauses every few milliseconds, each part after the first in a turn of its own. Work without a pause is
 * done at once.
 * @param signal ends the work at a pause, with its reason; undefined for work that must not end half done.
 */
export function atPauses<T>(work: PausingWork<T>, signal: CancellationSignal | undefined): T | Promise<T> {
  const { done, value } = work.next();
  return done === true ? value : restOf(work, signal);
}

async function restOf<T>(work: PausingWork<T>, signal: CancellationSignal | undefined): Promise<T> {
  for (;;) {
    await setImmediate();
    signal?.throwIfAborted();
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
  }
}
