/** Computes layouts with the Eclipse Layout Kernel in a worker, which is ended when a layout is no longer wanted. */
import ElkApi, { type ElkNode } from "elkjs/lib/elk-api.js";
import type { CellGraph, CellLayout, LayoutEngine } from "./cells.js";
import { elkGraphOf, layoutBy } from "./elk-graph.js";

/** The part of ELK that is used: a promise per layout. */
interface Elk {
  layout(graph: ElkNode): Promise<ElkNode>;
  terminateWorker(): void;
}

export interface ElkEngine extends LayoutEngine {
  /** Starts the worker and has it compile its code, so that the first layout need not wait for that. */
  prepare(): void;
}

/** Anything that is laid out with all that layouts use. */
const SMALL: CellGraph = {
  cells: ["a", "b"].map((id) => ({
    ...{ id, width: 80, height: 40 },
    inputs: [{ id: "in", y: 10 }],
    outputs: [{ id: "out", y: 10 }],
  })),
  edges: [{ id: "edge", from: { cell: "a", port: "out" }, to: { cell: "b", port: "in" } }],
  aspect: 1,
};

/** @param newWorker Starts the worker that runs "elkjs/lib/elk-worker.js". */
export function elkEngine(newWorker: () => Worker): ElkEngine {
  let elk: Elk | undefined;
  return {
    prepare() {
      if (elk) return;
      // An error is reported when something is to be laid out.
      try {
        const prepared: Elk = new ElkApi({ workerFactory: newWorker });
        prepared.layout(elkGraphOf(SMALL)).catch(() => undefined);
        elk = prepared;
      } catch {
        elk = undefined;
      }
    },
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
        layoutBy((elkGraph) => current.layout(elkGraph), graph)
          .then(resolve, reject)
          .finally(() => signal.removeEventListener("abort", onAbort));
      });
    },
  };
}
