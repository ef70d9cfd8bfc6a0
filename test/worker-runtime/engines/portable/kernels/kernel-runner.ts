import type { StepContext } from "../../../../../worker-runtime/engines/portable/executor/step-context.js";
import type { KernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { ResourceManager } from "../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { internalError, unimplemented } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf, type OpCase } from "./op-case.js";

/** A step of a task that has nothing but what a test gives it. */
export function testStep(parts: Partial<StepContext> = {}): StepContext {
  const nothing = (): never => {
    throw internalError("The step of this test has no such thing.");
  };
  const resources = new ResourceManager();
  return {
    stepId: 1n,
    signal: new AbortController().signal,
    resources: () => resources,
    stepResources: new ResourceManager(),
    get rendezvous() {
      return nothing();
    },
    functions: { call: nothing },
    files: { resolve: async (path) => path },
    compute: undefined,
    log: () => undefined,
    ...parts,
  };
}

/**
 * The kernel of one node, to be executed as often as a test wants.
 * @param example says which op with which attributes; its inputs say the dtypes.
 */
export function makeKernel(
  definitions: readonly KernelDefinition[],
  example: Pick<OpCase, "op" | "inputs" | "attrs">,
  step: StepContext = testStep(),
): (...inputs: readonly Value[]) => Promise<readonly Tensor[]> {
  const node = nodeOf(example);
  const definition = new KernelRegistry().add(...definitions).find(node, "CPU");
  if (definition === undefined) {
    throw unimplemented(`No kernel for ${example.op}`);
  }
  if (definition.kind === "pure") {
    const compute = definition.create(node);
    return async (...inputs) => compute(inputs.map(asTensor));
  }
  const execute = definition.create(node);
  return async (...inputs) => {
    const outputs = await execute({ inputs, step, frameId: 0n, iteration: 0 });
    return outputs.map(asTensor);
  };
}

/** Executes a node once with the inputs of its example. */
export function runOnce(
  definitions: readonly KernelDefinition[],
  example: Pick<OpCase, "op" | "inputs" | "attrs">,
  step?: StepContext,
): Promise<readonly Tensor[]> {
  return makeKernel(definitions, example, step)(...example.inputs);
}

function asTensor(value: Value | undefined): Tensor {
  if (!(value instanceof Tensor)) {
    throw internalError("This is no tensor.");
  }
  return value;
}
