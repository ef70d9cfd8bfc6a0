import type { DType } from "../../../../protocol/dtype.js";
import { constantValue } from "../../resources/reference-variable.js";
import type { KernelDefinition, Outputs } from "../kernel.js";
import type { OpFacts } from "../op-facts.js";
import { KernelPriority, pureKernel } from "../support/define.js";
import { anyType, noTypes, numberTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";

/**
 * An op that returns its inputs: a pure kernel for numbers and strings, which constant folding may use, and a stateful
 * one that also accepts objects.
 */
function handOn(op: string, typeAttrs: readonly string[], facts: OpFacts): readonly KernelDefinition[] {
  const typesOf = (allowed: readonly DType[]) => Object.fromEntries(typeAttrs.map((attr) => [attr, allowed]));
  return [
    {
      kind: "pure",
      op,
      types: typesOf(tensorTypes),
      priority: KernelPriority.special,
      facts,
      create: () => (inputs) => inputs,
      cost: () => 0,
    },
    { kind: "stateful", op, types: typesOf(anyType), facts, create: () => (context) => context.inputs },
  ];
}

const NO_OUTPUTS: Outputs = [];

const identity: OpFacts = { passesHandle: true, neverWaits: true, takesDeviceTensors: true };
const nothing: OpFacts = { doesNothing: true, neverWaits: true };

export const passThroughKernels: readonly KernelDefinition[] = [
  pureKernel("Snapshot", () => (inputs) => [constantValue(inputAt(inputs, 0))], {
    types: { T: [...numberTypes, "bool"] },
    cost: () => 0,
    facts: { takesDeviceTensors: true },
  }),
  // The only output is the only input.
  ...["Identity", "StopGradient", "PreventGradient"].flatMap((op) => handOn(op, ["T"], identity)),
  ...handOn("PlaceholderWithDefault", ["dtype"], { passesHandle: true, takesDeviceTensors: true }),
  // The outputs are the inputs one by one.
  ...handOn("IdentityN", ["T"], { neverWaits: true, takesDeviceTensors: true }),
  ...handOn("_ListToArray", ["Tin", "T"], {}),
  ...handOn("_ArrayToList", ["T", "out_types"], {}),
  {
    kind: "stateful",
    op: "RefIdentity",
    types: { T: anyType },
    facts: { neverWaits: true },
    create: () => (context) => context.inputs,
  },
  { kind: "stateful", op: "NoOp", types: noTypes, facts: nothing, create: () => () => NO_OUTPUTS },
  { kind: "stateful", op: "ControlTrigger", types: noTypes, facts: nothing, create: () => () => NO_OUTPUTS },
];
