import type { KernelDefinition } from "../kernel.js";
import type { OpFacts } from "../op-facts.js";
import { anyType, noTypes } from "../support/dtypes.js";

/** What makes these a loop are the executor's rules for their roles; as kernels they only hand their value on. */
const LOOP_OPS: Readonly<Record<string, OpFacts>> = {
  Enter: { passesHandle: true },
  RefEnter: {},
  Exit: { passesHandle: true },
  RefExit: {},
  NextIteration: { passesHandle: true },
  RefNextIteration: {},
  LoopCond: { isLoopCondition: true },
};

export const loopKernels: readonly KernelDefinition[] = Object.entries(LOOP_OPS).map(([op, facts]) => ({
  kind: "stateful",
  op,
  types: facts.isLoopCondition ? noTypes : { T: anyType },
  facts,
  create: () => (context) => context.inputs,
}));
