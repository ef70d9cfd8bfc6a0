/** The plan of a run of the open document, for components that say it. */
import type { Problem } from "../../main/api/problem.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import type { GraphDocument } from "../document/model.js";
import {
  type ChosenRun,
  chosenRun,
  runBlockers,
  runInputs,
  slicedSuggestion,
} from "../document/run-inputs.js";
import { type DocumentStore, lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { useSliced } from "./use-sliced.js";

export interface RunPlan {
  /** Tensor names. */
  readonly fetches: readonly string[];
  /** The first thing that prevents the run. */
  readonly blocker: Problem | undefined;
}

/** The fetches of a run of the open document; undefined while it is not known: a large graph takes a moment. */
export function useChosenRun(): ChosenRun | undefined {
  const document = useDocument((state) => state.document);
  const generation = useDocument((state) => state.generation);
  // Until the op list is there, outputs are not known.
  const ops = useOps((state) => state.ops);
  return useSliced({
    size: document.nodes.size,
    work: () => slicedChosenRun(document),
    of: [document, ops],
    subject: generation,
  });
}

/** Undefined while it is not known. */
export function useRunPlan(): RunPlan | undefined {
  const document = useDocument((state) => state.document);
  const problems = useDocument((state) => state.problems);
  const generation = useDocument((state) => state.generation);
  const ops = useOps((state) => state.ops);
  return useSliced({
    size: document.nodes.size,
    work: () => slicedPlan({ document, problems }),
    of: [document, problems, ops],
    subject: generation,
  });
}

function* slicedChosenRun(document: GraphDocument): Sliced<ChosenRun> {
  // Remembered for the choice.
  yield* slicedSuggestion(document, lookupOp);
  return chosenRun(document, lookupOp);
}

function* slicedPlan({ document, problems }: Pick<DocumentStore, "document" | "problems">): Sliced<RunPlan> {
  const { fetches } = yield* slicedChosenRun(document);
  const inputs = runInputs(document, lookupOp, useDocument.getState().shapes, false);
  yield;
  return { fetches, blocker: runBlockers(document, problems, inputs)[0] };
}
