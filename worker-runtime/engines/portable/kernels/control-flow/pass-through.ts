import { constantValue } from "../../resources/reference-variable.js";
import type { KernelDefinition, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { dataTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";

/** Ops whose one output is their one input. */
const IDENTITY_OPS = ["Identity", "StopGradient", "PreventGradient", "PlaceholderWithDefault"];

/** Ops whose outputs are their inputs one by one. */
const LIST_OPS = ["IdentityN", "_ListToArray", "_ArrayToList"];

const types: ReadonlySet<string> = new Set(dataTypes);

/** Whether all inputs of a node are numbers or strings, so that a pure kernel may hand them on. */
function isData(node: KernelNode): boolean {
  return node.opDef.attr.every((attr) => {
    if (attr.type === "type") {
      return types.has(node.type(attr.name));
    }
    return attr.type !== "list(type)" || node.types(attr.name).every((type) => types.has(type));
  });
}

/** For numbers and strings a pure kernel, which constant folding may use; another one for resources and variants. */
function handOn(op: string): readonly KernelDefinition[] {
  return [
    { kind: "pure", op, fits: isData, create: () => (inputs) => inputs, cost: () => 0 },
    { kind: "stateful", op, fits: (node) => !isData(node), create: () => (context) => context.inputs },
  ];
}

const NO_OUTPUTS: Outputs = [];

export const passThroughKernels: readonly KernelDefinition[] = [
  pureKernel("Snapshot", () => (inputs) => [constantValue(inputAt(inputs, 0))], { cost: () => 0 }),
  ...[...IDENTITY_OPS, ...LIST_OPS].flatMap(handOn),
  { kind: "stateful", op: "RefIdentity", create: () => (context) => context.inputs },
  { kind: "stateful", op: "NoOp", create: () => () => NO_OUTPUTS },
  { kind: "stateful", op: "ControlTrigger", create: () => () => NO_OUTPUTS },
];
