import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Resource } from "../../resources/resource-manager.js";
import { RefValue, type Value } from "../../values.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { anyType, cppTypeName, noTypes } from "../support/dtypes.js";
import { scalarOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { handleCell, handledResource } from "./handle-resources.js";
import { makeHandle, STEP_CONTAINER } from "./resource-access.js";
import { statefulKernel } from "./stateful-kernel.js";

const STACK = "tensorflow::Stack";

/** A stack of values that lives for one step: a loop saves values on it for its gradient. */
class Stack implements Resource {
  readonly typeName = STACK;
  readonly #name: string;
  readonly #dtype: DType;
  /** Infinity for no limit. */
  readonly #maxSize: number;
  #values: Value[] = [];
  #closed = false;

  constructor(name: string, dtype: DType, maxSize: number) {
    this.#name = name;
    this.#dtype = dtype;
    this.#maxSize = maxSize;
  }

  push(value: Value): void {
    this.#checkOpen();
    if (value.dtype !== this.#dtype) {
      throw invalidArgument(`Must have type ${cppTypeName(this.#dtype)} but got ${cppTypeName(value.dtype)}`);
    }
    if (this.#values.length >= this.#maxSize) {
      throw invalidArgument(`Stack[${this.#name}] overflowed its max_size (${this.#maxSize})`);
    }
    this.#values.push(value);
  }

  pop(): Value {
    this.#checkOpen();
    const value = this.#values.pop();
    if (value === undefined) {
      throw invalidArgument(`Stack[${this.#name}] is empty when calling Pop().`);
    }
    return value;
  }

  close(): void {
    this.#values = [];
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) {
      throw invalidArgument(`Stack[${this.#name}] has already been closed.`);
    }
  }
}

function createStack(node: KernelNode): (context: OpContext) => Outputs {
  const dtype = node.type("elem_type");
  const stackName = node.string("stack_name") || node.name;
  const isRef = node.outputs[0]?.isRef === true;
  return (context) => {
    // The older op has no max_size.
    const size = context.inputs.length > 0 ? scalarOf(tensorAt(context.inputs, 0), "Stack size") : -1;
    const { stepResources } = context.step;
    const name = stepResources.uniqueName(stackName);
    stepResources.create(
      STEP_CONTAINER,
      name,
      new Stack(name, dtype, size < 0 ? Number.POSITIVE_INFINITY : size),
    );
    return [
      isRef ? new RefValue(handleCell(STEP_CONTAINER, name)) : makeHandle(node, STEP_CONTAINER, name, STACK),
    ];
  };
}

function stackKernel(
  op: string,
  types: KernelTypes,
  act: (stack: Stack, context: OpContext) => Outputs,
): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => (context) => act(handledResource<Stack>(node, context, 0, STACK), context),
    { types, facts: { neverWaits: true } },
  );
}

/** Stacks, accessed by resource handles ("…V2") or by the older references. */
export const stackKernels: readonly KernelDefinition[] = ["", "V2"].flatMap((version) => [
  statefulKernel(`Stack${version}`, createStack, {
    types: { elem_type: anyType },
    facts: { neverWaits: true },
  }),
  stackKernel(`StackPush${version}`, { T: anyType }, (stack, { inputs: [, value] }) => {
    if (value !== undefined) {
      stack.push(value);
    }
    return [value];
  }),
  stackKernel(`StackPop${version}`, { elem_type: anyType }, (stack) => [stack.pop()]),
  stackKernel(`StackClose${version}`, noTypes, (stack) => {
    stack.close();
    return [];
  }),
]);
