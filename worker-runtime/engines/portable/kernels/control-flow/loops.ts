import type { KernelDefinition } from "../kernel.js";
import type { OpFacts } from "../op-facts.js";
import { anyType, noTypes } from "../support/dtypes.js";

const loops: OpFacts = { passesHandle: true, neverWaits: true, takesDeviceTensors: true };

/** The executor's rules for their roles make these a loop; as kernels they only pass their value through. */
const LOOP_OPS: Readonly<Record<string, OpFacts>> = {
  Enter: loops,
  RefEnter: { neverWaits: true },
  Exit: loops,
  RefExit: { neverWaits: true },
  NextIteration: loops,
  RefNextIteration: { neverWaits: true },
  LoopCond: { isLoopCondition: true, neverWaits: true },
};

export const loopKernels: readonly KernelDefinition[] = Object.entries(LOOP_OPS).map(([op, facts]) => ({
  kind: "stateful",
  op,
  types: facts.isLoopCondition ? noTypes : { T: anyType },
  facts,
  create: () => (context) => context.inputs,
}));
