import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { StepContext } from "../executor/step-context.js";
import type { PausingWork } from "../pauses.js";
import type { Value } from "../values.js";
import type { KernelNode } from "./kernel-node.js";
import type { OpFacts } from "./op-facts.js";

/** One value for each output of a node; `undefined` for outputs that a Switch-like kernel leaves dead. */
export type Outputs = readonly (Value | undefined)[];

/** The context of one execution of a stateful kernel. */
export interface OpContext {
  /**
   * The data inputs in order. References are already replaced by their current values, except at inputs that the op
   * declares as references.
   */
  readonly inputs: readonly Value[];
  readonly step: StepContext;
  /** The loop frame and iteration of the node, as in rendezvous keys: 0 and 0 outside of loops. */
  readonly frameId: bigint;
  readonly iteration: number;
}

/**
 * A kernel whose outputs depend only on its inputs. It must not keep or change anything: it may run on any thread, at
 * any time, and while a graph is optimized. Its inputs and outputs are numbers or strings, never resources or variants.
 */
export interface PureKernelDefinition extends KernelSelector {
  readonly kind: "pure";
  /**
   * Creates the kernel of a node when its graph is registered.
   * @throws TensorFlowError INVALID_ARGUMENT for invalid attributes.
   */
  create(node: KernelNode): (inputs: readonly Tensor[]) => readonly Tensor[];
  /**
   * An estimate of the run time for these inputs, in nanoseconds on one slow core. Long runs use a compute thread.
   * Defaults to an estimate based on the size of the inputs (kernel-cost.ts); kernels with larger outputs must set it.
   */
  cost?(node: KernelNode, inputs: readonly Tensor[]): number;
  /**
   * The kernel of two float32 tensors that have one shape and few elements, for which everything around the computation
   * takes longer than it does. The same for all nodes of the op.
   * @returns the output, which is float32; undefined for any other inputs: `create`'s kernel must be run then.
   */
  small?(x: Tensor, y: Tensor): Tensor | undefined;
  /**
   * Divides long-running work among compute threads.
   * @param most the maximum number of parts.
   * @returns undefined if the work for these inputs should not be divided.
   */
  split?(node: KernelNode, inputs: readonly Tensor[], most: number): SplitWork | undefined;
}

/** The work of one node as several independent parts. */
export interface SplitWork {
  /** The inputs of each part: the kernel of the same node runs on each of them. */
  readonly parts: readonly (readonly Tensor[])[];
  /** Joins the outputs of the parts, in the order of the parts. */
  join(outputs: readonly (readonly Tensor[])[]): PausingWork<readonly Tensor[]>;
}

/** A kernel with state or side effects. Returns a promise if it waits: for a queue, a file, another task. */
export interface StatefulKernelDefinition extends KernelSelector {
  readonly kind: "stateful";
  /** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes. */
  create(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs>;
}

/** The dtypes that a kernel accepts, by type attribute of its op ("T", "Tidx"): every attribute is listed. */
export type KernelTypes = Readonly<Record<string, readonly DType[]>>;

/** Selects the nodes that a kernel supports, and holds what is known of their op. */
export interface KernelSelector {
  readonly op: string;
  /** Defaults to "CPU". */
  readonly deviceType?: string;
  /** For an attribute that is a list of types, each element must be one of these. */
  readonly types: KernelTypes;
  /** If several kernels fit a node, the one with the highest priority is used; defaults to 0. */
  readonly priority?: number;
  /** Facts about the op for the parts of the engine that do not run kernels; the same for all kernels of the op. */
  readonly facts?: OpFacts;
  /** Further conditions for the node's attributes, and nothing else: nodes with equal ones have the same kernel. */
  fits?(node: KernelNode): boolean;
}

export type KernelDefinition = PureKernelDefinition | StatefulKernelDefinition;
