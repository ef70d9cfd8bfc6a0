/** A training step at the end of a graph: variables that an optimizer changes. */
import { denseGradient } from "../../../../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../../../../worker-runtime/graph/gradients/gradients.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { scalar } from "../arbitraries.js";
import { ancestors, type DraftValue, type DraftVariable, type GraphDraft } from "./graph-draft.js";
import { isFloat, shapesOf } from "./growths.js";

/** The inputs of an optimizer's op after its variables: scalars and the gradient. */
const optimizers: Readonly<
  Record<string, { readonly slots: number; readonly arguments: readonly (number | "grad")[] }>
> = {
  ResourceApplyGradientDescent: { slots: 0, arguments: [0.01, "grad"] },
  ResourceApplyMomentum: { slots: 1, arguments: [0.01, "grad", 0.9] },
  ResourceApplyKerasMomentum: { slots: 1, arguments: [0.01, "grad", 0.9] },
  ResourceApplyAdagrad: { slots: 1, arguments: [0.01, "grad"] },
  ResourceApplyAdam: { slots: 2, arguments: [0.9, 0.99, 0.01, 0.9, 0.99, 0.1, "grad"] },
  ResourceApplyRMSProp: { slots: 2, arguments: [0.01, 0.9, 0.5, 0.1, "grad"] },
};

/** The operation that changes the variables, and their values then; undefined where no value depends on one. */
export interface Training {
  readonly updates: readonly Operation[];
  readonly changed: readonly DraftVariable[];
  /** The gradients that change them, in the same order. */
  readonly gradients: readonly DraftValue[];
}

/** Adds a loss, its gradients for variables, and an optimizer. */
export function addTraining(draft: GraphDraft): Training | undefined {
  const { draw, graph, variables } = draft;
  const reads = variables.map(({ read }) => read);
  const found = draft.values.filter(
    (value) => isFloat(value) && value.output.dtype === "float32" && dependsOn(value.output, reads),
  );
  const y = found.at(-1 - draw.below(Math.min(4, Math.max(1, found.length))));
  if (!y) return undefined;
  const made = new Map<Output, DraftVariable>();
  const computed = draft.grow(() => {
    const loss = graph.op("L2Loss", [y.output]).output;
    return gradients(loss, reads).map((one, i) => {
      const dense = one && denseGradient(one);
      const variable = variables[i];
      if (dense && variable) made.set(dense, variable);
      return dense;
    });
  });
  const [op, { slots, arguments: given }] = draw.oneOf(Object.entries(optimizers));
  const updates: Operation[] = [];
  const changed: DraftVariable[] = [];
  const used: DraftValue[] = [];
  for (const gradient of computed) {
    const variable = made.get(gradient.output);
    if (variable === undefined || !hasShapeOf(gradient, variable)) continue;
    const accumulators = Array.from({ length: slots }, () => {
      const tensor = Tensor.of(0.25, "float32", [...(shapesOf(gradient)[0] ?? [])]);
      draft.variable(tensor, "whole");
      return variables.at(-1) as DraftVariable;
    });
    const inputs = [variable, ...accumulators].map(({ handle }) => handle);
    const rest = given.map((one) => (one === "grad" ? gradient.output : scalar("float32", one)));
    updates.push(graph.op(op, [...inputs, ...rest]));
    for (const one of [variable, ...accumulators]) {
      changed.push(one);
      used.push(gradient);
    }
  }
  return updates.length === 0 ? undefined : { updates, changed, gradients: used };
}

/** A gradient may have another shape where the graph reads a variable in several: then there is a mistake elsewhere. */
const hasShapeOf = (gradient: DraftValue, { read }: DraftVariable): boolean =>
  shapesOf(gradient).every((shape) => shape.join() === read.shape?.join());

/** Whether a value is computed from one of some others. */
function dependsOn(value: Output, sources: readonly Output[]): boolean {
  const before = ancestors(value.op.inputs.map(({ op }) => op));
  return sources.some(({ op }) => before.has(op));
}
