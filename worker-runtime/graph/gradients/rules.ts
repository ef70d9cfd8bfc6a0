import { ARRAYS } from "./arrays.js";
import { COMPLEX } from "./complex.js";
import { DECOMPOSITIONS } from "./decompositions.js";
import { FUNCTIONS } from "./functions.js";
import { GATHERS } from "./gathers.js";
import type { GradientRule } from "./gradient.js";
import { IMAGES } from "./images.js";
import { LINEAR_ALGEBRA } from "./linear-algebra.js";
import { LISTS } from "./lists.js";
import { MATH } from "./math.js";
import { MATRICES } from "./matrices.js";
import { NETWORKS } from "./networks.js";
import { REDUCTIONS } from "./reductions.js";
import { SPARSE } from "./sparse.js";
import { SPECIAL_FUNCTIONS } from "./special-functions.js";
import { STATES } from "./states.js";
import { TENSOR_ARRAYS } from "./tensor-arrays.js";
import { WHILE } from "./while-op.js";

const RULES: ReadonlyMap<string, GradientRule> = new Map(
  Object.entries({
    ...MATH,
    ...ARRAYS,
    ...REDUCTIONS,
    ...MATRICES,
    ...LINEAR_ALGEBRA,
    ...DECOMPOSITIONS,
    ...COMPLEX,
    ...SPECIAL_FUNCTIONS,
    ...NETWORKS,
    ...IMAGES,
    ...GATHERS,
    ...SPARSE,
    ...STATES,
    ...LISTS,
    ...TENSOR_ARRAYS,
    ...FUNCTIONS,
    ...WHILE,
  }),
);

/** How the gradients of an op's inputs follow from those of its outputs; undefined if that is not defined. */
export function gradientRuleOf(type: string): GradientRule | undefined {
  return RULES.get(type);
}

/** The ops that have a gradient, sorted. */
export function differentiableOps(): readonly string[] {
  return [...RULES.keys()].sort();
}
