import type { OpValue } from "../graph-op-builder.js";
import type { Operation } from "../operation.js";
import { graphOf, type OpOptions } from "./common.js";
import type { Variable } from "./state.js";

/** One step of gradient descent: subtracts learningRate times the gradient from the variable. */
export function applyGradientDescent(
  variable: Variable,
  learningRate: OpValue,
  gradient: OpValue,
  options: OpOptions & { readonly useLocking?: boolean | undefined } = {},
): Operation {
  const type = variable.kind === "reference" ? "ApplyGradientDescent" : "ResourceApplyGradientDescent";
  const attrs = { T: variable.dtype, use_locking: options.useLocking ?? false };
  return graphOf(variable.handle).op(
    type,
    [variable.handle, learningRate, gradient],
    attrs,
    options.name ?? type,
  );
}
