/** One operation each, or a few, with what is fed to it: their gradients are compared with TensorFlow's. */
import { ARRAYS } from "./arrays.js";
import { BEHAVIOUR } from "./behaviour.js";
import type { GradientCase } from "./case.js";
import { BINARY, UNARY } from "./elementwise.js";
import { GATHERS } from "./gathers.js";
import { LISTS } from "./lists.js";
import { MATRICES } from "./matrices.js";
import { NETWORKS } from "./networks.js";
import { REDUCTIONS } from "./reductions.js";
import { SECOND } from "./second-derivatives.js";

export type { GradientCase } from "./case.js";
export const CASES: readonly GradientCase[] = [
  ...UNARY,
  ...BINARY,
  ...REDUCTIONS,
  ...MATRICES,
  ...ARRAYS,
  ...GATHERS,
  ...NETWORKS,
  ...LISTS,
  ...BEHAVIOUR,
];
export const TWICE: readonly GradientCase[] = SECOND;
