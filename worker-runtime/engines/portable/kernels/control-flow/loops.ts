import type { KernelDefinition } from "../kernel.js";

/** What makes these a loop are the executor's rules; as kernels they only hand their value on. */
const LOOP_OPS = ["Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond"];

export const loopKernels: readonly KernelDefinition[] = LOOP_OPS.map((op) => ({
  kind: "stateful",
  op,
  create: () => (context) => context.inputs,
}));
