/** Gradients of reading variables, and of the primitives of control flow. */
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";
import { zerosOfVariable } from "./zeros.js";

/** Zeros for the side of a Switch that nothing depends on; they are dead where that side is. */
function zerosOfSide(at: OpGradient, side: number, like: Output): Output {
  const { call, x, graph } = at;
  const zeros = x.dtype === "resource" ? zerosOfVariable(graph, x, like.dtype) : call("ZerosLike", [x]);
  return graph.op("Switch", [zeros, at.input(1)]).outputAt(side);
}

/** The gradient of whichever side was taken. */
const switchGradient: GradientRule = (at) => {
  const some = at.gradients[0] ? at.gradient(0) : at.gradient(1);
  const sides = [0, 1].map((side) => (at.gradients[side] ? at.gradient(side) : zerosOfSide(at, side, some)));
  return [at.call("Merge", [sides]), undefined];
};

/** The gradient goes to the input that was merged; those of the others are dead. */
const mergeGradient: GradientRule = (at) => {
  const index = at.op.outputAt(1);
  return at.op.inputs.map((_, i) => {
    if (!at.wants(i)) return undefined;
    const chosen = at.call("Equal", [index, at.ints(i)]);
    return at.graph.op("Switch", [at.g, chosen]).outputAt(1);
  });
};

export const STATES: GradientRules = {
  ReadVariableOp: (at) => [at.gradients[0]],
  /** Within an iteration, what enters the loop once is a tensor as any other. */
  Enter: (at) => [at.gradients[0]],
  Switch: switchGradient,
  Merge: mergeGradient,
};
