/** The suggested placement of a document: the search, what it found, and what came of it. */
import type { RunUpdate } from "../../main/api/runs.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import type { GraphDocument } from "../document/model.js";
import type { DocumentStep } from "../placement/document-step.js";
import type { PlacementMove } from "../placement/moves.js";
import type { SearchProgress } from "../placement/search.js";
import { type SimulatedStep, StepSimulator } from "../placement/simulate.js";
import type { Assignment } from "../placement/step-problem.js";
import { perDocument } from "./document-session.js";
import { useDocument } from "./document-state.js";

/** What a traced run measured of a whole step. */
export interface MeasuredStep {
  /** From its first node to its last. */
  readonly millis: number;
  readonly step: number;
  /** It includes placing and registering the graph. */
  readonly hasSetUp: boolean;
}

export interface Suggestion {
  readonly step: DocumentStep;
  readonly moves: readonly PlacementMove[];
  /** Positions of the moves that the user does not want. */
  readonly skipped: ReadonlySet<number>;
  /** With all wanted moves. */
  readonly assignment: Assignment;
  readonly before: SimulatedStep;
  readonly after: SimulatedStep;
  /** The measured time of the step as it is now; undefined if it was not traced. */
  readonly measured: MeasuredStep | undefined;
  /** The nodes for which it was made. */
  readonly nodes: GraphDocument["nodes"];
}

export interface AppliedPlacement {
  readonly before: SimulatedStep;
  readonly after: SimulatedStep;
  readonly measuredBefore: MeasuredStep | undefined;
  /** The document's revision with these pins. */
  readonly revision: number;
}

/** What the canvas shows of a suggestion: the graph as it is, what would move, or where everything would be. */
export type PlacementShown = "now" | "changes" | "after";

export interface PlacementStore {
  /** Undefined while no search is in progress. */
  readonly search: { readonly progress: SearchProgress | undefined } | undefined;
  readonly suggestion: Suggestion | undefined;
  readonly applied: AppliedPlacement | undefined;
  /** A search leaves nodes where they are pinned. */
  readonly keepPins: boolean;
  readonly shown: PlacementShown;
}

export const usePlacement = perDocument<PlacementStore>(() => ({
  search: undefined,
  suggestion: undefined,
  applied: undefined,
  keepPins: true,
  shown: "changes",
}));

/** The newest traced step of a run. */
export function measuredIn(run: RunUpdate | undefined): MeasuredStep | undefined {
  if (run?.tracedStep === undefined || run.computeMillis === undefined) return undefined;
  const { tracedStep: step, computeMillis: millis, tracedStepRegisteredGraph: hasSetUp = false } = run;
  return { millis, step, hasSetUp };
}

/** Whether the suggestion is for the graph as it is now. */
export function isCurrent({ nodes }: Pick<Suggestion, "nodes">): boolean {
  return useDocument.getState().document.nodes === nodes;
}

/** The variables that the wanted moves take to another task. */
export function movedVariables({ step, assignment, nodes }: Suggestion): readonly string[] {
  return step.members.flatMap((names, unit) =>
    assignment[unit] === step.start[unit] ? [] : names.filter((name) => isVariable(nodes.get(name))),
  );
}

/** Takes a move out of the suggestion or into it again, and simulates the step anew. */
export function toggleMove(index: number): void {
  const { suggestion } = usePlacement.getState();
  if (!suggestion) return;
  const { step, moves, before } = suggestion;
  const skipped = new Set(suggestion.skipped);
  if (!skipped.delete(index)) skipped.add(index);
  const assignment = step.start.slice();
  for (const [position, { units, to }] of moves.entries()) {
    if (!skipped.has(position)) for (const unit of units) assignment[unit] = to;
  }
  const after = skipped.size === moves.length ? before : new StepSimulator(step.problem).run(assignment);
  usePlacement.setState({ suggestion: { ...suggestion, skipped, assignment, after } });
}
