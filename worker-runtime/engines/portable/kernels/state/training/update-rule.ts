import type { KernelNode } from "../../kernel-node.js";

/** Floats that an update reads and writes; smaller floats are widened to these first. */
export type FloatArray = Float32Array | Float64Array;

/** A run of elements that one gradient updates: all of a variable, or one row of it. */
export interface Segment {
  /** Changed in place, as the slots are. */
  readonly variable: FloatArray;
  /** The optimizer's own variables, in the order of the rule's `slots`. */
  readonly slots: readonly FloatArray[];
  /** Where the run begins in the variable and its slots. */
  readonly at: number;
  readonly gradient: FloatArray;
  /** Where the run begins in the gradient. */
  readonly from: number;
  readonly length: number;
}

/** What an optimizer does with a gradient. */
export interface UpdateRule {
  /** The op for a reference variable: "ApplyAdam". "ResourceApplyAdam" and "SparseApplyAdam" follow from it. */
  readonly op: string;
  /** The ops there are. */
  readonly forms: readonly UpdateForm[];
  /** Names of the op's arguments that are further variables of the same shape. */
  readonly slots: readonly string[];
  /** Name of the argument with the gradient. */
  readonly gradient: string;
  /** Names of the arguments that are scalars. */
  readonly scalars: readonly string[];
  /**
   * Made once a step.
   * @param scalar the value of a scalar argument by its name.
   * @throws TensorFlowError INVALID_ARGUMENT for invalid values.
   */
  prepare(scalar: (name: string) => number, node: KernelNode): (segment: Segment) => void;
}

/** A reference variable or a resource, all of it or the rows that `indices` names. */
export type UpdateForm = "Apply" | "ResourceApply" | "SparseApply" | "ResourceSparseApply";

export const denseForms = ["Apply", "ResourceApply"] as const;
export const allForms = ["Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"] as const;

/** The name of the op of one form: "ResourceSparseApplyAdagrad". */
export function opOfForm(rule: UpdateRule, form: UpdateForm): string {
  return form + rule.op.slice("Apply".length);
}

const nothing = new Float32Array(0);

/** A slot of a segment. The kernel has checked that there are as many as the rule names. */
export function slotOf(segment: Segment, index: number): FloatArray {
  return segment.slots[index] ?? nothing;
}
