import { TensorFlowError } from "../protocol/status.js";
import type { Shape } from "./shape.js";
import type { ShapeContext } from "./shape-context.js";
import { shapeRuleOf } from "./shape-rules.js";

/**
 * The shapes of a node's outputs, as far as known before a run; undefined if nothing is known, as for ops that have no
 * rule here.
 * @throws TensorFlowError INVALID_ARGUMENT, with both shapes, if the inputs' shapes are incompatible
 */
export function inferOutputShapes(context: ShapeContext): (Shape | undefined)[] {
  const rule = shapeRuleOf(context.op);
  const shapes = rule ? rule(context) : [];
  return Array.from({ length: context.outputCount }, (_, i) => shapes[i]);
}

/** Like `inferOutputShapes`, but returns a description of the problem if shapes are incompatible. */
export function tryInferOutputShapes(context: ShapeContext): {
  readonly shapes: readonly (Shape | undefined)[];
  readonly problem: string | undefined;
} {
  try {
    return { shapes: inferOutputShapes(context), problem: undefined };
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    return { shapes: new Array(context.outputCount).fill(undefined), problem: error.message };
  }
}
