import { shapeText } from "../../../../protocol/shape.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Value } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { anyType } from "../support/dtypes.js";

/** Forwards the data to output 1 if the predicate is true, or else to output 0; the other output is dead. */
function runSwitch({ inputs: [data, predicate] }: OpContext): Outputs {
  if (!(predicate instanceof Tensor) || predicate.shape.length > 0) {
    throw invalidArgument(
      `The second input must be a scalar, but it has shape ${shapeText(shapeOf(predicate))}`,
    );
  }
  return predicate.data[0] ? [undefined, data] : [data, undefined];
}

/** Forwards the data to the output at an index, or to the last one if there is no such output. */
function makeSwitchN(node: KernelNode): (context: OpContext) => Outputs {
  const count = node.outputs.length;
  return ({ inputs: [data, index] }) => {
    const wanted = scalarIndex(index, "The second input");
    const taken = wanted >= 0 && wanted < count ? wanted : count - 1;
    return node.outputs.map((_, output) => (output === taken ? data : undefined));
  };
}

const indexTensors: Tensor[] = [];

/** The index as a scalar; cached, since loops repeatedly use the same few. */
function indexTensor(index: number): Tensor {
  const made = indexTensors[index] ?? Tensor.of(index, "int32");
  indexTensors[index] = made;
  return made;
}

/** Returns the input that has arrived, and its index. The executor runs it once one has. */
function runMerge({ inputs }: OpContext): Outputs {
  const index = inputs.findIndex((input: Value | undefined) => input !== undefined);
  if (index < 0) {
    throw internalError("Merge op has no valid inputs.");
  }
  return [inputs[index], indexTensor(index)];
}

/** Returns the reference at an index. */
function runRefSelect({ inputs: [index, ...references] }: OpContext): Outputs {
  const wanted = scalarIndex(index, "Index");
  const selected = references[wanted];
  if (selected === undefined) {
    throw invalidArgument(`Index must be in the range [0, ${references.length}), but it is ${wanted}`);
  }
  return [selected];
}

function scalarIndex(index: Value | undefined, what: string): number {
  if (!(index instanceof Tensor) || index.shape.length > 0) {
    throw invalidArgument(`${what} must be a scalar, but it has shape ${shapeText(shapeOf(index))}`);
  }
  return Number(index.item());
}

function shapeOf(value: Value | undefined): readonly number[] {
  return value !== undefined && "shape" in value ? value.shape : [];
}

const types = { T: anyType };

export const conditionalKernels: readonly KernelDefinition[] = [
  {
    kind: "stateful",
    op: "Switch",
    types,
    // The predicate is a bool scalar, which never stays on a device.
    facts: { leavesDead: true, passesHandle: true, neverWaits: true, takesDeviceTensors: true },
    create: () => runSwitch,
  },
  {
    kind: "stateful",
    op: "RefSwitch",
    types,
    facts: { leavesDead: true, neverWaits: true },
    create: () => runSwitch,
  },
  {
    kind: "stateful",
    op: "_SwitchN",
    types,
    facts: { leavesDead: true, passesHandle: true, neverWaits: true, takesDeviceTensors: true },
    create: makeSwitchN,
  },
  {
    kind: "stateful",
    op: "Merge",
    types,
    facts: { neverWaits: true, takesDeviceTensors: true },
    create: () => runMerge,
  },
  { kind: "stateful", op: "RefMerge", types, facts: { neverWaits: true }, create: () => runMerge },
  { kind: "stateful", op: "RefSelect", types, facts: { neverWaits: true }, create: () => runRefSelect },
];
