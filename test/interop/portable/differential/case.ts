import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

/** How far two engines may differ if an op rounds. Exact ops have no tolerance. */
export interface Tolerance {
  /** In units in the last place of the dtype. */
  readonly ulps: number;
  /**
   * The minimum magnitude at which the unit in the last place is computed; defaults to 0.
   * - a number: a sum of numbers up to 100 that happens to be near 0 cannot be exact to its own last place
   * - "element": that of the complex number which the value is a part of
   * - "largest": that of the tensor's largest element. What a stable computation with whole matrices or images loses is
   *   small beside that, however small a single element is
   */
  readonly scale?: number | "element" | "largest";
  /** Whether 0 and -0 count as equal, which they always do if an op rounds. */
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
  /** Unique. Its nodes and their resources are named after it. */
  readonly name: string;
  /** A description for a person who investigates a failure. */
  readonly text: string;
  readonly graph: GraphDef;
  readonly steps: readonly CaseStep[];
  readonly tolerance: Tolerance;
  /** Whether it may be part of a larger graph that runs in one step: it has one step and no state. */
  readonly sharesGraph: boolean;
  /** Whether a master may optimize the graph. */
  readonly optimized: boolean;
  /** Why TensorFlow has no kernel for it. Without this a step that TensorFlow refuses for lack of a kernel is a failure. */
  readonly noKernel?: string;
}
