/** The shapes of outputs by rules, op by op. Compared with TensorFlow's in test/interop/shape-inference.test.ts. */
import { arrayRules } from "./arrays.js";
import { elementwiseRules } from "./elementwise.js";
import { matrixRules } from "./matrices.js";
import { reductionRules } from "./reductions.js";
import type { ShapeRule } from "./rule.js";
import { sliceRules } from "./slices.js";
import { stateRules } from "./state.js";
import { windowRules } from "./windows.js";

export { behindHandles } from "./state.js";

const rules = new Map<string, ShapeRule>([
  ...elementwiseRules,
  ...reductionRules,
  ...matrixRules,
  ...windowRules,
  ...arrayRules,
  ...sliceRules,
  ...stateRules,
]);

/** The rule for an op; undefined for ops whose shapes are only known in a run. */
export function shapeRuleOf(op: string): ShapeRule | undefined {
  return rules.get(op);
}
