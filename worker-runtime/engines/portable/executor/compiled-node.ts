import type { NodeRole } from "../../../graph/structural-ops.js";
import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { OpContext, Outputs, SplitWork } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";

/** How a node's outputs are computed. */
export type NodeWork =
  | {
      readonly kind: "pure";
      readonly run: (inputs: readonly Tensor[]) => readonly Tensor[];
      /** Nanoseconds on one slow core. */
      readonly cost: (inputs: readonly Tensor[]) => number;
      /** Divides the work into at most this many parts; undefined if it cannot be divided. */
      readonly split: (inputs: readonly Tensor[], most: number) => SplitWork | undefined;
    }
  | { readonly kind: "stateful"; readonly run: (context: OpContext) => Outputs | Promise<Outputs> }
  /** An argument of the function that is being run. */
  | { readonly kind: "argument"; readonly index: number }
  /** A result of the function that is being run. */
  | { readonly kind: "result"; readonly index: number };

/** Where one output goes. */
export interface DataEdge {
  readonly target: CompiledNode;
  /** The index of the target's input among all inputs of its frame. */
  readonly place: number;
}

/** The part of a graph that lies directly within one while loop, or within none: the root frame. */
export interface StaticFrame {
  /** "" for the root frame. */
  readonly name: string;
  readonly nodes: readonly CompiledNode[];
  /** The number of data inputs of all its nodes. */
  readonly inputCount: number;
  /**
   * What an iteration starts with: for each node what it waits for, then for each node 0, its dead inputs.
   * A merge waits for its control inputs alone.
   */
  readonly counters: readonly number[];
  /** How many Enter nodes lead into it. */
  readonly enterCount: number;
  /** How many iterations may run at once. */
  readonly parallelIterations: number;
}

/** A node with everything about it that does not change from step to step, so that a step looks up nothing by name. */
export interface CompiledNode {
  readonly node: KernelNode;
  readonly role: NodeRole;
  readonly work: NodeWork;
  /** The full name of the device that it runs on. */
  readonly device: string;
  readonly deviceType: string;
  readonly frame: StaticFrame;
  /** For an Enter, the frame that it leads into. */
  readonly entered: StaticFrame | undefined;
  /** For an Enter, whether its value is available in every iteration. */
  readonly isConstantEnter: boolean;
  /** The node's number within its frame. */
  readonly slot: number;
  /** The index of its first data input among all inputs of its frame; the others follow. */
  readonly inputStart: number;
  readonly inputCount: number;
  /** Inputs that get a reference where the op wants its value. */
  readonly referencesToRead: readonly number[];
  readonly outputDtypes: readonly (DType | undefined)[];
  readonly outputIsRef: readonly boolean[];
  /** Whether an output may be missing, as a Switch leaves one of its two. */
  readonly mayLeaveDead: boolean;
  /** By output. */
  readonly dataEdges: readonly (readonly DataEdge[])[];
  readonly controlEdges: readonly CompiledNode[];
}

/** A graph, or the body of a function, ready to be run any number of times. Immutable. */
export interface CompiledGraph {
  readonly nodes: readonly CompiledNode[];
  readonly root: StaticFrame;
  /** The nodes without inputs: a step starts with them. */
  readonly sources: readonly CompiledNode[];
  readonly resultCount: number;
  /** All devices of its nodes. */
  readonly devices: readonly string[];
}
