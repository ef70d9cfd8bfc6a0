/** A problem of a node, and those of a graph by node. */
import type { Problem } from "../../main/api/problem.js";

export interface NodeProblem extends Problem {
  readonly node: string;
  /** A few words for the node itself: "a is missing". */
  readonly short: string;
  /** Position of the data input concerned. */
  readonly input?: number;
  /** The node of a function that the problem is at; absent: it is at the node itself. */
  readonly within?: { readonly function: string; readonly node: string };
}

/** In no order; see `problemsInOrder`. */
export type ProblemMap = ReadonlyMap<string, readonly NodeProblem[]>;
