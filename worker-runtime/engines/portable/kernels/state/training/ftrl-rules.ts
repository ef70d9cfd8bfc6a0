import { invalidArgument } from "../../../../../protocol/status.js";
import type { KernelNode } from "../../kernel-node.js";
import { allForms, type Segment, slotOf, type UpdateRule } from "./update-rule.js";

/**
 * Follow the regularized leader. Formulas: McMahan et al., "Ad Click Prediction: a View from the Trenches" (2013), in the
 * form of TensorFlow's core/kernels/training_ops.cc.
 */
export const ftrlRules: readonly UpdateRule[] = [
  {
    op: "ApplyFtrl",
    forms: allForms,
    checksRowByRow: true,
    slots: ["accum", "linear"],
    gradient: "grad",
    scalars: ["lr", "l1", "l2", "lr_power"],
    prepare: (scalar, node) => ftrl(scalar, 0, node),
  },
  {
    op: "ApplyFtrlV2",
    forms: allForms,
    checksRowByRow: true,
    slots: ["accum", "linear"],
    gradient: "grad",
    scalars: ["lr", "l1", "l2", "l2_shrinkage", "lr_power"],
    prepare: (scalar, node) => {
      const shrinkage = scalar("l2_shrinkage");
      if (shrinkage < 0) {
        throw invalidArgument(
          `l2 shrinkage regularization strength is not a non-negative scalar: ${shrinkage}`,
        );
      }
      return ftrl(scalar, shrinkage, node);
    },
  },
];

function ftrl(
  scalar: (name: string) => number,
  shrinkage: number,
  node: KernelNode,
): (segment: Segment) => void {
  const [lr, l1, l2, lrPower] = [scalar("lr"), scalar("l1"), scalar("l2"), scalar("lr_power")];
  const multiplyByLr = node.bool("multiply_linear_by_lr");
  if (!(lr > 0 || (multiplyByLr && lr >= 0))) {
    throw invalidArgument(`lr is not a positive scalar: ${lr}`);
  }
  if (l1 < 0) {
    throw invalidArgument(`l1 regularization strength is not a non-negative scalar: ${l1}`);
  }
  if (l2 < 0) {
    throw invalidArgument(`l2 regularization strength is not a non-negative scalar: ${l2}`);
  }
  if (lrPower > 0) {
    throw invalidArgument(`lr_power is not a non-positive scalar: ${lrPower}`);
  }
  const power = lrPower === -0.5 ? Math.sqrt : (value: number) => value ** -lrPower;
  // The linear term is stored either multiplied by the learning rate or not: the same rule at a different scale.
  const gradientScale = multiplyByLr ? lr : 1;
  const powerScale = multiplyByLr ? 1 : 1 / lr;
  const threshold = l1 * gradientScale;
  return (segment) => {
    const { variable, at, gradient, from, length } = segment;
    const [accum, linear] = [slotOf(segment, 0), slotOf(segment, 1)];
    for (let i = 0; i < length; i += 1) {
      const g = gradient[from + i] as number;
      const old = variable[at + i] as number;
      const before = accum[at + i] as number;
      const after = before + g * g;
      const sigma = (power(after) - power(before)) * powerScale;
      linear[at + i] = (linear[at + i] as number) + (g + 2 * shrinkage * old) * gradientScale - sigma * old;
      const z = linear[at + i] as number;
      const quadratic = power(after) * powerScale + 2 * l2 * gradientScale;
      variable[at + i] = Math.abs(z) > threshold ? (Math.sign(z) * threshold - z) / quadratic : 0;
      accum[at + i] = after;
    }
  };
}
