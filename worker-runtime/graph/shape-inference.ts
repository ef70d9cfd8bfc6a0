import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { TensorFlowError } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { Shape } from "./shape.js";
import { shapeRuleOf } from "./shape-rules.js";

/** What a shape rule may know of a node. */
export interface ShapeContext {
  /** The node's name, for errors. */
  readonly node: string;
  readonly op: string;
  attr(name: string): AttrValue | undefined;
  readonly inputShapes: readonly (Shape | undefined)[];
  /** The value of an input that is a Const. */
  constantInput(index: number): Tensor | undefined;
  /** The shape of the value behind an input that is the handle of a resource variable. */
  handleShape?(index: number): Shape | undefined;
  readonly outputCount: number;
}

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
