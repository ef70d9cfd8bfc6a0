import { TensorFlowError } from "../protocol/status.js";
import { intsOf } from "./int-rules.js";
import type { OutputFacts, ShapeContext } from "./shape-context.js";
import { behindHandles, shapeRuleOf } from "./shape-rules/index.js";

/**
 * The known facts about a node's outputs before a run; of ops without a rule here, nothing.
 * @throws TensorFlowError INVALID_ARGUMENT, with both shapes, if the inputs' shapes are incompatible
 */
export function inferOutputs(context: ShapeContext): readonly OutputFacts[] {
  const shapes = shapeRuleOf(context.op)?.(context) ?? [];
  const ints = intsOf(context, shapes);
  const behind = behindHandles(context);
  return Array.from({ length: context.outputCount }, (_, i) => ({
    shape: shapes[i],
    ...(ints?.[i] ? { ints: ints[i] } : {}),
    ...(behind && i === 0 ? { behind } : {}),
  }));
}

/** Like `inferOutputs`, but returns a description of the problem if shapes are incompatible. */
export function tryInferOutputs(context: ShapeContext): {
  readonly facts: readonly OutputFacts[];
  readonly problem: string | undefined;
} {
  try {
    return { facts: inferOutputs(context), problem: undefined };
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    const nothing: OutputFacts = { shape: undefined };
    return { facts: new Array(context.outputCount).fill(nothing), problem: error.message };
  }
}
