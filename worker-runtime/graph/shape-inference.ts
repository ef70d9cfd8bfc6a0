import { TensorFlowError } from "../protocol/status.js";
import type { Shape } from "./shape.js";
import type { ShapeContext } from "./shape-context.js";
import { shapeRuleOf } from "./shape-rules.js";

/**
 * The shapes of a node's outputs, as far as they are known before a run; undefined where nothing is known, as for
 * ops that have no rule here.
 * @throws TensorFlowError INVALID_ARGUMENT, naming both shapes, where the inputs' shapes do not fit together
 */
export function inferOutputShapes(context: ShapeContext): (Shape | undefined)[] {
  const rule = shapeRuleOf(context.op);
  const shapes = rule ? rule(context) : [];
  return Array.from({ length: context.outputCount }, (_, i) => shapes[i]);
}

/** As `inferOutputShapes`, with the problem in words where shapes do not fit. */
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
