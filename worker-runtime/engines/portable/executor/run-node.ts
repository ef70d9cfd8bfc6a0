import {
  asTensorFlowError,
  cancelled,
  failedPrecondition,
  internalError,
  invalidArgument,
  StatusCode,
  type TensorFlowError,
} from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import { after } from "../exclusive-access.js";
import { DeviceTensor, isAnyOnDevice } from "../gpu/device-tensor.js";
import { takesDeviceTensors } from "../gpu/pass-through.js";
import type { OpContext, Outputs, SplitWork } from "../kernels/kernel.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { holdValue, isAnyHeld, letValuesGo } from "../memory/held-tensor.js";
import { borrowing, lastingTensor } from "../memory/received-tensor.js";
import { withPauses } from "../pauses.js";
import { RefValue, type Value } from "../values.js";
import type { ExecutableNode, NodeWork, QuickNode, RegionHost, RegionPart } from "./compiled-node.js";
import type { Iteration } from "./frame-state.js";
import { nodeError } from "./node-error.js";
import type { RunningStep } from "./running-step.js";
import type { Activation } from "./step-state.js";

/** Kernels that are expected to take longer run on a compute thread. */
const MAX_INLINE_NANOS = 15e6;

/** The state that the nodes of one call of a graph share. */
export interface Call {
  readonly step: RunningStep;
  readonly args: readonly Value[];
  /** Filled by index. */
  readonly results: (Value | undefined)[];
  /** The time that nodes are expected to have taken since the executor looked at the clock. */
  unclockedNanos: number;
  /** The expected time of all its pure kernels. */
  readonly work: { kernelNanos: number };
}

/** The time of a node besides its kernel. */
const NANOS_PER_NODE = 1000;
/** The kernels of stateful nodes give no estimate. */
const NANOS_PER_STATEFUL_NODE = 25_000;

/** A node that is run. */
type NodeRun = Pick<Activation, "inputs" | "iteration"> & { readonly node: ExecutableNode };

type PureWork = Extract<NodeWork, { kind: "pure" }>;

const NO_OUTPUTS: Outputs = [];

/** Runs the nodes of a region one by one, as the executor does those of a graph. */
class HostOfRegion implements RegionHost {
  readonly step: RunningStep;
  readonly #call: Call;
  readonly #iteration: Iteration;

  constructor(call: Call, iteration: Iteration) {
    this.step = call.step;
    this.#call = call;
    this.#iteration = iteration;
  }

  get failure(): TensorFlowError | undefined {
    return this.step.isAborted
      ? asTensorFlowError(this.step.signal.reason ?? cancelled("The step has ended."), StatusCode.CANCELLED)
      : undefined;
  }

  run(node: ExecutableNode, inputs: readonly Value[]): Outputs | Promise<Outputs> {
    const startMillis = this.step.stats === undefined ? 0 : performance.now();
    const finish = (outputs: Outputs): Outputs => {
      checkOutputs(node, outputs);
      this.step.stats?.ran(node, startMillis, outputs, inputs);
      return outputs;
    };
    const fail = (error: unknown): never => {
      throw nodeError(error, node.node.name);
    };
    try {
      const outputs = runNode({ node, inputs, iteration: this.#iteration }, this.#call);
      return outputs instanceof Promise ? outputs.then(finish).catch(fail) : finish(outputs);
    } catch (error) {
      return fail(error);
    }
  }

  ran(node: ExecutableNode, outputs: Outputs): void {
    this.step.stats?.ran(node, performance.now(), outputs, []);
  }

  ranTogether(parts: () => readonly RegionPart[], readyMillis: number, beganMillis: number): void {
    this.step.stats?.ranTogether(parts(), readyMillis, beganMillis);
  }

  copied(device: string, bytes: number, startMillis: number): void {
    this.step.stats?.copied("MEMCPYHtoD", device, bytes, startMillis);
  }
}

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
export function runNode({ node, inputs, iteration }: NodeRun, call: Call): Outputs | Promise<Outputs> {
  if (node.referencesToRead.length === 0) {
    return runKernel(node, inputs, iteration, call);
  }
  return after(readReferences(node, inputs, call.step), (given) => runKernel(node, given, iteration, call));
}

/**
 * Runs a node that needs no more than its kernel.
 * @returns undefined if it takes so long that a compute thread must run it, or its outputs are not what its signature
 *   says: `runNode` must be called then.
 * @throws TensorFlowError what the kernel throws.
 */
export function runQuickNode(
  { work, outputDtypes }: QuickNode,
  inputs: readonly Tensor[],
  call: Call,
): Outputs | undefined {
  const nanos = work.cost(inputs);
  if (nanos > MAX_INLINE_NANOS) {
    return undefined;
  }
  call.work.kernelNanos += nanos;
  call.unclockedNanos += NANOS_PER_NODE + nanos;
  const outputs = work.run(inputs);
  if (outputs.length !== outputDtypes.length) {
    return undefined;
  }
  for (let slot = 0; slot < outputs.length; slot += 1) {
    if (outputs[slot]?.dtype !== outputDtypes[slot]) {
      return undefined;
    }
  }
  return outputs;
}

function runKernel(
  node: ExecutableNode,
  given: readonly (Value | undefined)[],
  iteration: Iteration,
  call: Call,
): Outputs | Promise<Outputs> {
  const { work } = node;
  const isHeld = isAnyHeld(given);
  const isOnDevices = isHeld && isAnyOnDevice(given);
  if (isOnDevices && !takesDeviceTensors(node)) {
    return toHost(given, call).then((onHost) => runKernel(node, onHost, iteration, call));
  }
  switch (work.kind) {
    case "pure": {
      // A merge, and nothing else, is given `undefined`, and it is not pure; nor does a pure kernel take objects.
      const tensors = given as readonly Tensor[];
      return isHeld
        ? borrowing(() => runPure(node, work, tensors, isOnDevices, call), tensors)
        : runPure(node, work, tensors, false, call);
    }
    case "stateful": {
      call.unclockedNanos += NANOS_PER_STATEFUL_NODE;
      if (isHeld && node.facts.keepsNoInput) {
        const inputs = given as readonly Value[];
        return whileHeld(inputs, () => work.run(new NodeContext(inputs, call.step, iteration)));
      }
      const inputs = (isHeld ? given.map(lastingTensor) : given) as readonly Value[];
      return work.run(new NodeContext(inputs, call.step, iteration));
    }
    case "argument":
      return [argument(node, work.index, call.args)];
    case "result": {
      const result = lastingTensor(given[0]);
      holdValue(result);
      call.results[work.index] = result;
      return NO_OUTPUTS;
    }
    case "region":
      return work.run(given, new HostOfRegion(call, iteration));
  }
}

/** Runs a kernel that keeps none of its inputs. It may outlive its step, so what it still reads is held for it. */
function whileHeld(
  inputs: readonly Value[],
  run: () => Outputs | Promise<Outputs>,
): Outputs | Promise<Outputs> {
  const outputs = borrowing(run);
  if (!(outputs instanceof Promise)) {
    return outputs;
  }
  inputs.forEach(holdValue);
  return outputs.finally(() => letValuesGo(inputs));
}

/** Runs a pure kernel here, or on compute threads if that takes long. */
function runPure(
  node: ExecutableNode,
  work: PureWork,
  tensors: readonly Tensor[],
  isOnDevices: boolean,
  call: Call,
): Outputs | Promise<Outputs> {
  // A kernel that takes tensors on a device hands them on, and does not look at them.
  const nanos = isOnDevices ? 0 : work.cost(tensors);
  call.work.kernelNanos += nanos;
  if (nanos > MAX_INLINE_NANOS && call.step.compute !== undefined) {
    return offload(
      node,
      work.split(tensors, call.step.compute.parallelism),
      tensors,
      call.step.compute,
      call.step,
    );
  }
  call.unclockedNanos += NANOS_PER_NODE + nanos;
  return work.run(tensors);
}

/** Copies to the host what lies on devices, for a kernel that reads it. */
async function toHost(
  given: readonly (Value | undefined)[],
  { step }: Call,
): Promise<readonly (Value | undefined)[]> {
  return await Promise.all(
    given.map(async (value) => {
      if (!(value instanceof DeviceTensor)) {
        return value;
      }
      const startMillis = performance.now();
      const copy = await value.toHost(step);
      if (value.memory.isGpu) {
        step.stats?.copied("MEMCPYDtoH", value.memory.name, value.byteLength, startMillis);
      }
      return copy;
    }),
  );
}

/** Runs a node's kernel on a compute thread, or its parts on several. */
async function offload(
  { node, deviceType }: ExecutableNode,
  split: SplitWork | undefined,
  inputs: readonly Tensor[],
  compute: KernelOffload,
  { stats, signal }: RunningStep,
): Promise<Outputs> {
  // Parts run at the same time.
  let longestMillis = 0;
  const onRan = (millis: number): void => {
    longestMillis = Math.max(longestMillis, millis);
  };
  const run = (part: readonly Tensor[]) => compute.run(node, deviceType, part, signal, onRan);
  const made = split === undefined ? [await run(inputs)] : await Promise.all(split.parts.map(run));
  const beganMillis = performance.now() - longestMillis;
  const outputs = split === undefined ? (made[0] ?? NO_OUTPUTS) : await withPauses(split.join(made));
  stats?.began(outputs, beganMillis);
  return outputs;
}

/** Replaces references by the values that they have now, where the op wants values; waits for updates that are half done. */
function readReferences(
  node: ExecutableNode,
  inputs: readonly (Value | undefined)[],
  step: RunningStep,
): readonly (Value | undefined)[] | Promise<readonly (Value | undefined)[]> {
  const read = [...inputs];
  let waits: Promise<void>[] | undefined;
  for (const index of node.referencesToRead) {
    const value = read[index];
    if (value instanceof RefValue) {
      const { cell } = value;
      const take = (held: Tensor | undefined): void => {
        if (held === undefined) {
          throw failedPrecondition(`Attempting to use uninitialized value ${cell.name}`);
        }
        read[index] = held;
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

function argument(node: ExecutableNode, index: number, args: readonly Value[]): Value {
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
export function checkOutputs(node: ExecutableNode, outputs: Outputs): void {
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
      if (!node.facts.leavesDead) {
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
