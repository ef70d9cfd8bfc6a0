import { setImmediate } from "node:timers/promises";

/**
 * Does a long piece of work in turns of a few milliseconds, a short one at once.
 * @param count how many parts the work has.
 * @param perTurn how many of them are done in a turn.
 * @param run does the parts from `first` up to, not including, `end`.
 * @param signal ends the work between two turns, with its reason; undefined for work that must not end half done.
 * @returns what `result` gives once all is done.
 */
export function inTurns<T>(
  count: number,
  perTurn: number,
  run: (first: number, end: number) => void,
  signal: AbortSignal | undefined,
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
