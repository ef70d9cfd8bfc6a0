/** The worker of placement-engine.ts: one search, then it is ended. */

import { movesOf } from "./moves.js";
import type { PlacementReply, PlacementRequest } from "./placement-engine.js";
import { searchPlacement } from "./search.js";

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<PlacementRequest>) => void) | null;
  postMessage(reply: PlacementReply): void;
};

scope.onmessage = ({ data: { problem, start, names } }) => {
  const search = searchPlacement(problem, start);
  let next = search.next();
  while (!next.done) {
    scope.postMessage({ kind: "progress", progress: next.value });
    next = search.next();
  }
  const moves = movesOf(problem, start, next.value.assignment, names);
  scope.postMessage({ kind: "found", found: next.value, moves });
};
