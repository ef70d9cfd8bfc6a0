import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

/** How far two engines may lie apart where an op rounds. The exact ops have none at all. */
export interface Tolerance {
  /** In units of the last place of the dtype. */
  readonly ulps: number;
  /**
   * A unit of the last place is taken at this magnitude where the value is smaller; 0 unless given.
   * - a number: a sum of numbers up to 100 that happens to be near 0 cannot be exact to its own last place
   * - "element": that of the complex number which the value is a part of
   * - "largest": that of the tensor's largest element. What a stable computation with whole matrices or images loses is
   *   small beside that, however small a single element is
   */
  readonly scale?: number | "element" | "largest";
  /** Whether 0 may stand for -0. So it may wherever an op rounds. */
  readonly eitherZero?: boolean;
}

export const exact: Tolerance = { ulps: 0 };

/** One run of a session. */
export interface CaseStep {
  /** Tensors by name: "x:0". */
  readonly fetches: readonly string[];
  /** Nodes by name that only run. */
  readonly targets: readonly string[];
  /** By the names of tensors. */
  readonly feeds: Readonly<Record<string, Tensor>>;
}

/**
 * A graph and the steps that show what it does: what both engines run and what is compared. Specs of single nodes
 * (op-spec.ts) and programs (programs/program.ts) are two ways to write cases.
 */
export interface Case {
  /** Unique. Its nodes are named after it, and so is what they keep. */
  readonly name: string;
  /** The case for a person who is to find out why it failed. */
  readonly text: string;
  readonly graph: GraphDef;
  readonly steps: readonly CaseStep[];
  readonly tolerance: Tolerance;
  /** Whether it may be a part of a larger graph, whose parts run in one step: it has one step and keeps nothing. */
  readonly sharesGraph: boolean;
  /** Whether a master may optimize the graph. */
  readonly optimized: boolean;
  /** Why TensorFlow has no kernel for it. Without this a step that TensorFlow refuses for lack of a kernel is a failure. */
  readonly noKernel?: string;
}
