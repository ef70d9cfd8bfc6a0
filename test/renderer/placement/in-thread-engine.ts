import { movesOf } from "../../../renderer/placement/moves.js";
import type { PlacementEngine } from "../../../renderer/placement/placement-engine.js";
import { searchPlacement } from "../../../renderer/placement/search.js";

/** The search without a worker; between its reports it lets others run, so that it can be cancelled. */
export const inThread: PlacementEngine = async ({ problem, start, names }, onProgress, signal) => {
  const search = searchPlacement(problem, start);
  for (;;) {
    signal.throwIfAborted();
    const next = search.next();
    if (next.done) return { found: next.value, moves: movesOf(problem, start, next.value.assignment, names) };
    onProgress(next.value);
    await Promise.resolve();
  }
};
