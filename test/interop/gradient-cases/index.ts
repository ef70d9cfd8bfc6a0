/** One operation each, or a few, with what is fed to it: their gradients are compared with TensorFlow's. */
import { ARRAYS } from "./arrays.js";
import { BEHAVIOUR } from "./behaviour.js";
import type { GradientCase } from "./case.js";
import { COMPLEX } from "./complex.js";
import { DECOMPOSITIONS } from "./decompositions.js";
import { BINARY, UNARY } from "./elementwise.js";
import { GATHERS } from "./gathers.js";
import { IMAGES } from "./images.js";
import { LINEAR_ALGEBRA } from "./linear-algebra.js";
import { LISTS } from "./lists.js";
import { MATRICES } from "./matrices.js";
import { NETWORKS } from "./networks.js";
import { REDUCTIONS } from "./reductions.js";
import { SECOND } from "./second-derivatives.js";
import { SPARSE } from "./sparse.js";
import { SPECIAL_FUNCTIONS } from "./special-functions.js";

export type { GradientCase } from "./case.js";
export const CASES: readonly GradientCase[] = [
  ...UNARY,
  ...BINARY,
  ...REDUCTIONS,
  ...MATRICES,
  ...LINEAR_ALGEBRA,
  ...DECOMPOSITIONS,
  ...COMPLEX,
  ...SPECIAL_FUNCTIONS,
  ...ARRAYS,
  ...GATHERS,
  ...SPARSE,
  ...NETWORKS,
  ...IMAGES,
  ...LISTS,
  ...BEHAVIOUR,
];
export const TWICE: readonly GradientCase[] = SECOND;
