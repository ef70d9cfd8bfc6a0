import type { DType } from "../../../../protocol/dtype.js";
import { constantValue } from "../../resources/reference-variable.js";
import type { KernelDefinition, Outputs } from "../kernel.js";
import type { OpFacts } from "../op-facts.js";
import { KernelPriority, pureKernel } from "../support/define.js";
import { anyType, noTypes, numberTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";

/** Ops whose one output is their one input, with the attribute that has its type. */
const IDENTITY_OPS: Readonly<Record<string, string>> = {
  Identity: "T",
  StopGradient: "T",
  PreventGradient: "T",
  PlaceholderWithDefault: "dtype",
};

/** Ops whose outputs are their inputs one by one, with the attributes that have their types. */
const LIST_OPS: Readonly<Record<string, readonly string[]>> = {
  IdentityN: ["T"],
  _ListToArray: ["Tin", "T"],
  _ArrayToList: ["T", "out_types"],
};

/** For numbers and strings a pure kernel, which constant folding may use; another one where there are objects as well. */
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

export const passThroughKernels: readonly KernelDefinition[] = [
  pureKernel("Snapshot", () => (inputs) => [constantValue(inputAt(inputs, 0))], {
    types: { T: [...numberTypes, "bool"] },
    cost: () => 0,
  }),
  ...Object.entries(IDENTITY_OPS).flatMap(([op, attr]) => handOn(op, [attr], { passesHandle: true })),
  ...Object.entries(LIST_OPS).flatMap(([op, attrs]) => handOn(op, attrs, {})),
  { kind: "stateful", op: "RefIdentity", types: { T: anyType }, create: () => (context) => context.inputs },
  { kind: "stateful", op: "NoOp", types: noTypes, create: () => () => NO_OUTPUTS },
  { kind: "stateful", op: "ControlTrigger", types: noTypes, create: () => () => NO_OUTPUTS },
];
