import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { StepContext } from "../executor/step-context.js";
import type { PausingWork } from "../pauses.js";
import type { Value } from "../values.js";
import type { KernelNode } from "./kernel-node.js";
import type { OpFacts } from "./op-facts.js";

/** The outputs of a node, one for each; `undefined` for those that a Switch-like kernel leaves dead. */
export type Outputs = readonly (Value | undefined)[];

/** What one execution of a stateful kernel works with. */
export interface OpContext {
  /**
   * The data inputs in order. References are already replaced by the values that they have now, except at inputs that
   * the op declares as references.
   */
  readonly inputs: readonly Value[];
  readonly step: StepContext;
  /** The loop frame and iteration of the node, as rendezvous keys carry them: 0 and 0 outside of loops. */
  readonly frameId: bigint;
  readonly iteration: number;
}

/**
 * A kernel that depends on its inputs alone. It must not keep or change anything: it may run on any thread, at any time,
 * and while a graph is optimized. Its inputs and outputs hold numbers or strings, never resources or variants.
 */
export interface PureKernelDefinition extends KernelSelector {
  readonly kind: "pure";
  /**
   * Makes the kernel of a node when its graph is registered.
   * @throws TensorFlowError INVALID_ARGUMENT for invalid attributes.
   */
  create(node: KernelNode): (inputs: readonly Tensor[]) => readonly Tensor[];
  /**
   * An estimate of the time that these inputs take, in nanoseconds on one slow core. Long ones run on a compute thread.
   * Without it, it goes by the size of the inputs (kernel-cost.ts): a kernel that makes more of them must say so.
   */
  cost?(node: KernelNode, inputs: readonly Tensor[]): number;
  /**
   * Divides work that takes long among compute threads.
   * @param most of so many parts at most.
   * @returns undefined where these inputs are not to be divided.
   */
  split?(node: KernelNode, inputs: readonly Tensor[], most: number): SplitWork | undefined;
}

/** The work of one node as several, none of which needs another. */
export interface SplitWork {
  /** The inputs of each part: the kernel of the same node is run on each of them. */
  readonly parts: readonly (readonly Tensor[])[];
  /** Puts the parts' outputs together, which are given in the parts' order. */
  join(outputs: readonly (readonly Tensor[])[]): PausingWork<readonly Tensor[]>;
}

/** A kernel with state or effects. It answers with a promise where it waits: a queue, a file, another task. */
export interface StatefulKernelDefinition extends KernelSelector {
  readonly kind: "stateful";
  /** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes. */
  create(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs>;
}

/** The dtypes that a kernel takes, by type attribute of its op ("T", "Tidx"): all of them are named. */
export type KernelTypes = Readonly<Record<string, readonly DType[]>>;

/** For which nodes a kernel is, and what is known of their op. */
export interface KernelSelector {
  readonly op: string;
  /** "CPU" unless given. */
  readonly deviceType?: string;
  /** Of an attribute that is a list of types, each element has to be one of these. */
  readonly types: KernelTypes;
  /** Of several kernels that fit a node the one with the highest priority is taken; 0 unless given. */
  readonly priority?: number;
  /** What the parts of the engine that do not run kernels know of the op; the same for all kernels of the op. */
  readonly facts?: OpFacts;
  /** More that the node must fulfil, such as an attribute's value. */
  fits?(node: KernelNode): boolean;
  /**
   * Loads what the kernel works with into this thread. It is awaited when a graph is registered, once for each kernel that the
   * graph uses, before the first run; it is cheap to call again. Kernels still work without it, more slowly, except where
   * their definition says otherwise.
   */
  prepare?(): Promise<void>;
}

export type KernelDefinition = PureKernelDefinition | StatefulKernelDefinition;
