/** Searches for placements in a worker, so that the window stays responsive and a search can be ended. */

import { unlessAborted } from "../../worker-runtime/cancellation/unless-aborted.js";
import { texts } from "../texts/texts.js";
import type { PlacementMove } from "./moves.js";
import type { FoundPlacement, SearchProgress } from "./search.js";
import type { Assignment, StepProblem } from "./step-problem.js";

const words = texts.placement.placementEngine;

export interface PlacementRequest {
  readonly problem: StepProblem;
  readonly start: Assignment;
  /** The names of the units. */
  readonly names: readonly string[];
}

export interface PlacementResult {
  readonly found: FoundPlacement;
  readonly moves: readonly PlacementMove[];
}

export type PlacementReply =
  | { readonly kind: "progress"; readonly progress: SearchProgress }
  | ({ readonly kind: "found" } & PlacementResult);

/** @throws the reason of the signal when it is aborted, or an Error when the search fails */
export type PlacementEngine = (
  request: PlacementRequest,
  onProgress: (progress: SearchProgress) => void,
  signal: AbortSignal,
) => Promise<PlacementResult>;

/** @param newWorker starts the worker that runs placement-worker.ts */
export function placementEngine(newWorker: () => Worker): PlacementEngine {
  return (request, onProgress, signal) => {
    signal.throwIfAborted();
    const worker = newWorker();
    const answer = new Promise<PlacementResult>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<PlacementReply>) => {
        if (data.kind === "progress") onProgress(data.progress);
        else resolve(data);
      };
      worker.onerror = ({ message }) => reject(new Error(words.failed({ error: message })));
      worker.postMessage(request);
    });
    return unlessAborted(answer, signal).finally(() => worker.terminate());
  };
}
