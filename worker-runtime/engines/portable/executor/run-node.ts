import { failedPrecondition, internalError, invalidArgument } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import { after } from "../exclusive-access.js";
import type { OpContext, Outputs, SplitWork } from "../kernels/kernel.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { withPauses } from "../pauses.js";
import { RefValue, type Value } from "../values.js";
import type { CompiledNode } from "./compiled-node.js";
import type { Iteration } from "./frame-state.js";
import type { RunningStep } from "./running-step.js";
import type { Activation } from "./step-state.js";

/** Kernels that are expected to take longer run on a compute thread. */
const MAX_INLINE_NANOS = 15e6;

/** What the nodes of one call of a graph share. */
export interface Call {
  readonly step: RunningStep;
  readonly args: readonly Value[];
  /** Filled by index. */
  readonly results: (Value | undefined)[];
}

const NO_OUTPUTS: Outputs = [];

class NodeContext implements OpContext {
  readonly inputs: readonly Value[];
  readonly step: RunningStep;
  readonly #iteration: Iteration;

  constructor(inputs: readonly Value[], step: RunningStep, iteration: Iteration) {
    this.inputs = inputs;
    this.step = step;
    this.#iteration = iteration;
  }

  // Only transfers ask for it, and within a loop it takes a hash to answer.
  get frameId(): bigint {
    return this.#iteration.frame.id;
  }

  get iteration(): number {
    return this.#iteration.number;
  }
}

/**
 * Runs a node's kernel, or starts it where it is one that waits.
 * @throws TensorFlowError what the kernel throws; FAILED_PRECONDITION for a variable without a value.
 */
export function runNode({ node, inputs, iteration }: Activation, call: Call): Outputs | Promise<Outputs> {
  if (node.referencesToRead.length === 0) {
    return runKernel(node, inputs, iteration, call);
  }
  return after(readReferences(node, inputs, call.step), (given) => runKernel(node, given, iteration, call));
}

function runKernel(
  node: CompiledNode,
  given: readonly (Value | undefined)[],
  iteration: Iteration,
  call: Call,
): Outputs | Promise<Outputs> {
  const { work } = node;
  switch (work.kind) {
    case "pure": {
      // A merge, and nothing else, is given `undefined`, and it is not pure; nor does a pure kernel take objects.
      const tensors = given as readonly Tensor[];
      const { compute } = call.step;
      return compute !== undefined && work.cost(tensors) > MAX_INLINE_NANOS
        ? offload(node, work.split(tensors, compute.parallelism), tensors, compute, call.step.signal)
        : work.run(tensors);
    }
    case "stateful":
      return work.run(new NodeContext(given as readonly Value[], call.step, iteration));
    case "argument":
      return [argument(node, work.index, call.args)];
    case "result":
      call.results[work.index] = given[0];
      return NO_OUTPUTS;
  }
}

/** Runs a node's kernel on a compute thread, or its parts on several. */
async function offload(
  { node, deviceType }: CompiledNode,
  split: SplitWork | undefined,
  inputs: readonly Tensor[],
  compute: KernelOffload,
  signal: AbortSignal,
): Promise<Outputs> {
  if (split === undefined) {
    return await compute.run(node, deviceType, inputs, signal);
  }
  const outputs = await Promise.all(split.parts.map((part) => compute.run(node, deviceType, part, signal)));
  return await withPauses(split.join(outputs));
}

/** Replaces references by the values that they have now, where the op wants values; waits for updates that are half done. */
function readReferences(
  node: CompiledNode,
  inputs: readonly (Value | undefined)[],
  step: RunningStep,
): readonly (Value | undefined)[] | Promise<readonly (Value | undefined)[]> {
  const read = [...inputs];
  let waits: Promise<void>[] | undefined;
  for (const place of node.referencesToRead) {
    const value = read[place];
    if (value instanceof RefValue) {
      const { cell } = value;
      const take = (held: Tensor | undefined): void => {
        if (held === undefined) {
          throw failedPrecondition(`Attempting to use uninitialized value ${cell.name}`);
        }
        read[place] = held;
      };
      const held = cell.read(step);
      if (held instanceof Promise) {
        waits ??= [];
        waits.push(held.then(take));
      } else {
        take(held);
      }
    }
  }
  return waits === undefined ? read : Promise.all(waits).then(() => read);
}

function argument(node: CompiledNode, index: number, args: readonly Value[]): Value {
  const value = args[index];
  if (value === undefined) {
    throw invalidArgument(
      `Attempting to get argument ${index}, but the function was called with ${args.length}.`,
    );
  }
  const expected = node.outputDtypes[0];
  if (value.dtype !== expected) {
    throw invalidArgument(
      `Type mismatch: actual ${cppTypeName(value.dtype)} vs. expect ${expected && cppTypeName(expected)}`,
    );
  }
  return value;
}

/** @throws TensorFlowError INTERNAL when a kernel's outputs are not what its node's signature says. */
export function checkOutputs(node: CompiledNode, outputs: Outputs): void {
  const { outputDtypes, outputIsRef } = node;
  if (outputs.length !== outputDtypes.length) {
    throw internalError(
      `The kernel of {{node ${node.node.name}}} gave ${outputs.length} outputs; the node has ${outputDtypes.length}.`,
    );
  }
  for (let slot = 0; slot < outputs.length; slot += 1) {
    const value = outputs[slot];
    const declared = outputDtypes[slot];
    if (value === undefined) {
      if (!node.mayLeaveDead) {
        throw internalError(`Missing ${slot}-th output from {{node ${node.node.name}}}`);
      }
    } else if (value.dtype !== declared || value instanceof RefValue !== outputIsRef[slot]) {
      throw internalError(
        `Output ${slot} of type ${cppTypeName(value.dtype)}${value instanceof RefValue ? "_ref" : ""} does not match declared ` +
          `output type ${declared && cppTypeName(declared)}${outputIsRef[slot] ? "_ref" : ""} for node {{node ${node.node.name}}}`,
      );
    }
  }
}
