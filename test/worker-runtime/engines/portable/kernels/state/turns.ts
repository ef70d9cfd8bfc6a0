/** Steps whose work is done in turns. */
import { setImmediate } from "node:timers/promises";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import type { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import type { MiniSession } from "../session-programs.js";

export type Feeds = readonly (readonly [Operation, Tensor])[];

/** Runs one step and says how often the event loop went round meanwhile. */
export async function turnsOf(session: MiniSession, operations: readonly Operation[], feeds: Feeds = []) {
  let turns = 0;
  let isDone = false;
  const run = session.run({ operations, feeds: new Map(feeds) }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns += isDone ? 0 : 1;
  }
  return { turns, outputs: await run };
}

/** Compared in bulk: matchers would take their time with so many elements. */
export function isSame(tensor: Tensor | undefined, expected: Tensor): boolean {
  return (
    tensor !== undefined &&
    tensor.shape.join() === expected.shape.join() &&
    tensor.data.every((element: unknown, i: number) => element === expected.data[i])
  );
}
