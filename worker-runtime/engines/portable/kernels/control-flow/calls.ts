import type { NameAttrList } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { toHost } from "../../gpu/device-tensor.js";
import { holdValue, letValueGo } from "../../memory/held-tensor.js";
import type { Value } from "../../values.js";
import type { KernelDefinition, KernelTypes, OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import type { OpFacts } from "../op-facts.js";
import { anyType } from "../support/dtypes.js";
import { isTrue } from "./truth.js";

type Call = (callee: NameAttrList, args: readonly Value[], context: OpContext) => Promise<readonly Value[]>;

/** Calls functions on the device of the calling node. */
function callerOf(node: KernelNode): Call {
  return (callee, args, { step }) => step.functions.call(callee, args, node.device, step);
}

/** @throws TensorFlowError INVALID_ARGUMENT for a resource or a variant. */
function truthAt(value: Value | undefined): boolean {
  if (!(value instanceof Tensor)) {
    throw invalidArgument("A condition must be a tensor of numbers, booleans or strings.");
  }
  return isTrue(value);
}

function makePartitionedCall(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const call = callerOf(node);
  const callee = node.func("f");
  return (context) => call(callee, context.inputs, context);
}

function makeIf(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const call = callerOf(node);
  const thenBranch = node.func("then_branch");
  const elseBranch = node.func("else_branch");
  return (context) => {
    const [condition, ...args] = context.inputs;
    return call(truthAt(condition) ? thenBranch : elseBranch, args, context);
  };
}

/** Calls the branch at an index, or the last one if the index is out of range. */
function makeCase(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const call = callerOf(node);
  const branches = node.funcs("branches");
  return (context) => {
    const [index, ...args] = context.inputs;
    if (!(index instanceof Tensor) || index.shape.length > 0) {
      throw invalidArgument("branch_index must be scalar");
    }
    const branch = branches[Number(index.item())] ?? branches.at(-1);
    if (branch === undefined) {
      throw invalidArgument(`Node '${node.name}' has no branches.`);
    }
    return call(branch, args, context);
  };
}

function makeWhile(node: KernelNode): ReturnType<StatefulKernelDefinition["create"]> {
  const call = callerOf(node);
  const loopCondition = node.func("cond");
  const body = node.func("body");
  return async (context) => {
    let values = context.inputs;
    for (;;) {
      const results = await call(loopCondition, values, context);
      if (results.length !== 1) {
        throw invalidArgument(
          `Expected a single scalar return value from WhileOp cond, got ${results.length} tensors.`,
        );
      }
      const [result] = results;
      if (!truthAt(await toHost(result, context.step))) {
        if (values !== context.inputs) {
          values.forEach(letValueGo);
        }
        return values;
      }
      const before: readonly Value[] = values;
      values = await call(body, values, context);
      // Until the next iteration receives them, only this loop holds them.
      values.forEach(holdValue);
      if (before !== context.inputs) {
        before.forEach(letValueGo);
      }
      if (values.length !== node.outputs.length) {
        throw invalidArgument(
          `While loop body returned ${values.length} arguments. Expected: ${node.outputs.length}.`,
        );
      }
    }
  };
}

/** The kernels of a stateful op and of its stateless form. */
function forBoth(
  ops: readonly [string, string],
  types: KernelTypes,
  create: StatefulKernelDefinition["create"],
  facts: OpFacts = {},
): KernelDefinition[] {
  return ops.map((op) => ({ kind: "stateful", op, types, facts, create }));
}

const inAndOut = { Tin: anyType, Tout: anyType };

const handsOn: OpFacts = { takesDeviceTensors: true };

export const callKernels: readonly KernelDefinition[] = [
  ...forBoth(["PartitionedCall", "StatefulPartitionedCall"], inAndOut, makePartitionedCall, handsOn),
  ...forBoth(["If", "StatelessIf"], { Tcond: anyType, ...inAndOut }, makeIf),
  ...forBoth(["Case", "StatelessCase"], inAndOut, makeCase),
  ...forBoth(["While", "StatelessWhile"], { T: anyType }, makeWhile, handsOn),
];
