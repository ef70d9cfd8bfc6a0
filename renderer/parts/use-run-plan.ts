/** What a run of the open document would do, for components that say it. */
import type { Problem } from "../../main/api/problem.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { chosenRun, runBlockers, runInputs, slicedSuggestion } from "../document/run-inputs.js";
import { type DocumentStore, lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { useSliced } from "./use-sliced.js";

export interface RunPlan {
  /** Tensor names. */
  readonly fetches: readonly string[];
  /** The first thing that prevents the run. */
  readonly blocker: Problem | undefined;
}

/** Undefined while it is not known: a large graph takes a moment. */
export function useRunPlan(): RunPlan | undefined {
  const document = useDocument((state) => state.document);
  const problems = useDocument((state) => state.problems);
  const generation = useDocument((state) => state.generation);
  // Until the op list is there, outputs are not known.
  const ops = useOps((state) => state.ops);
  return useSliced({
    size: document.nodes.size,
    work: () => slicedPlan({ document, problems }),
    of: [document, problems, ops],
    subject: generation,
  });
}

function* slicedPlan({ document, problems }: Pick<DocumentStore, "document" | "problems">): Sliced<RunPlan> {
  yield* slicedSuggestion(document, lookupOp);
  const { fetches } = chosenRun(document, lookupOp);
  yield;
  const inputs = runInputs(document, lookupOp, useDocument.getState().shapes, false);
  yield;
  return { fetches, blocker: runBlockers(document, problems, inputs)[0] };
}
