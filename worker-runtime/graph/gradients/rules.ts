import { ARRAYS } from "./arrays.js";
import { GATHERS } from "./gathers.js";
import type { GradientRule } from "./gradient.js";
import { MATH } from "./math.js";
import { MATRICES } from "./matrices.js";
import { NETWORKS } from "./networks.js";
import { REDUCTIONS } from "./reductions.js";
import { STATES } from "./states.js";

const RULES: ReadonlyMap<string, GradientRule> = new Map(
  Object.entries({ ...MATH, ...ARRAYS, ...REDUCTIONS, ...MATRICES, ...NETWORKS, ...GATHERS, ...STATES }),
);

/** How the gradients of an op's inputs follow from those of its outputs; undefined if that is not defined. */
export function gradientRuleOf(type: string): GradientRule | undefined {
  return RULES.get(type);
}

/** The ops that have a gradient, sorted. */
export function differentiableOps(): readonly string[] {
  return [...RULES.keys()].sort();
}
