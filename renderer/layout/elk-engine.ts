/** Computes layouts with the Eclipse Layout Kernel in a worker, which is ended when a layout is no longer wanted. */
import ElkApi, { type ElkNode } from "elkjs/lib/elk-api.js";
import type { CellGraph, CellLayout, LayoutEngine } from "./cells.js";
import { elkGraphOf, layoutOf } from "./elk-graph.js";

/** The part of ELK that is used: a promise per layout. */
interface Elk {
  layout(graph: ElkNode): Promise<ElkNode>;
  terminateWorker(): void;
}

/** @param newWorker Starts the worker that runs "elkjs/lib/elk-worker.js". */
export function elkEngine(newWorker: () => Worker): LayoutEngine {
  let elk: Elk | undefined;
  return {
    async layout(graph: CellGraph, signal: AbortSignal): Promise<CellLayout> {
      signal.throwIfAborted();
      const current: Elk = elk ?? new ElkApi({ workerFactory: newWorker });
      elk = current;
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          // A layout cannot be interrupted otherwise; the next one starts another worker.
          current.terminateWorker();
          if (elk === current) elk = undefined;
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        current
          .layout(elkGraphOf(graph))
          .then((laidOut) => resolve(layoutOf(graph, laidOut)))
          .catch(reject)
          .finally(() => signal.removeEventListener("abort", onAbort));
      });
    },
  };
}
