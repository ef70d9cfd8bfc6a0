import type { KernelNode } from "../../kernel-node.js";

/** The floats that an update reads and writes; smaller floats are first widened to these. */
export type FloatArray = Float32Array | Float64Array;

/** A run of elements that one gradient updates: a whole variable, or one row of it. */
export interface Segment {
  /** Changed in place, like the slots. */
  readonly variable: FloatArray;
  /** The optimizer's own variables, in the order of the rule's `slots`. */
  readonly slots: readonly FloatArray[];
  /** The offset of the run in the variable and its slots. */
  readonly at: number;
  readonly gradient: FloatArray;
  /** The offset of the run in the gradient. */
  readonly from: number;
  readonly length: number;
}

/** How an optimizer applies a gradient. */
export interface UpdateRule {
  /**
   * The op for a reference variable: "ApplyAdam". The names "ResourceApplyAdam" and "SparseApplyAdam" are derived from
   * it.
   */
  readonly op: string;
  /** The forms for which ops exist. */
  readonly forms: readonly UpdateForm[];
  /** Names of the arguments that are additional variables of the same shape. */
  readonly slots: readonly string[];
  /** Name of the gradient argument. */
  readonly gradient: string;
  /**
   * TensorFlow's sparse kernel checks each row just before it updates it, so a row that does not exist leaves the rows
   * named before it updated. Others check all rows first.
   */
  readonly checksRowByRow?: true;
  /** Names of the scalar arguments. */
  readonly scalars: readonly string[];
  /**
   * Called once per step.
   * @param scalar returns the value of a scalar argument by name.
   * @throws TensorFlowError INVALID_ARGUMENT for invalid values.
   */
  prepare(scalar: (name: string) => number, node: KernelNode): (segment: Segment) => void;
}

/** For a reference variable or a resource, and for all of it or the rows that `indices` names. */
export type UpdateForm = "Apply" | "ResourceApply" | "SparseApply" | "ResourceSparseApply";

export const denseForms = ["Apply", "ResourceApply"] as const;
export const allForms = ["Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"] as const;

/** The name of the op of one form: "ResourceSparseApplyAdagrad". */
export function opOfForm(rule: UpdateRule, form: UpdateForm): string {
  return form + rule.op.slice("Apply".length);
}

const nothing = new Float32Array(0);

/** A slot of a segment. The kernel has checked that all slots of the rule are present. */
export function slotOf(segment: Segment, index: number): FloatArray {
  return segment.slots[index] ?? nothing;
}
