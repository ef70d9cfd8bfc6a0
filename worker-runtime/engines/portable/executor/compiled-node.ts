import type { NodeRole } from "../../../graph/structural-ops.js";
import type { DType } from "../../../protocol/dtype.js";
import type { TensorFlowError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OpContext, Outputs, SplitWork } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OpFacts } from "../kernels/op-facts.js";
import type { Value } from "../values.js";
import type { StepContext } from "./step-context.js";

/** The kernel of a node whose outputs depend on its inputs alone. Nodes of equal attributes may share one. */
export interface PureWork {
  readonly kind: "pure";
  readonly run: (inputs: readonly Tensor[]) => readonly Tensor[];
  /** Nanoseconds on one slow core. */
  readonly cost: (inputs: readonly Tensor[]) => number;
  /** As the kernel definition's. */
  readonly small: ((x: Tensor, y: Tensor) => Tensor | undefined) | undefined;
  /** Divides the work into at most this many parts; undefined if it cannot be divided. */
  readonly split: (inputs: readonly Tensor[], most: number) => SplitWork | undefined;
}

/** How a node's outputs are computed. */
export type NodeWork =
  | PureWork
  | {
      readonly kind: "stateful";
      readonly run: (context: OpContext) => Outputs | Promise<Outputs>;
    }
  /** An argument of the function that is being run. */
  | { readonly kind: "argument"; readonly index: number }
  /** A result of the function that is being run. */
  | { readonly kind: "result"; readonly index: number }
  /**
   * Several nodes that run as one. It runs also where inputs are dead, which are undefined then, and what it throws names
   * the node.
   */
  | {
      readonly kind: "region";
      readonly run: (inputs: readonly (Value | undefined)[], host: RegionHost) => Outputs | Promise<Outputs>;
    };

/** One of the nodes that ran together. */
export interface RegionPart {
  readonly node: ExecutableNode;
  /** In which proportion to the others' it shares their time. */
  readonly weight: number;
  /** The shapes of its outputs; undefined for one that nobody saw. */
  readonly shapes: readonly (readonly number[] | undefined)[];
}

/** The part of a step that a region in it needs. */
export interface RegionHost {
  readonly step: StepContext;
  /** The error that ended the step; undefined while it runs. */
  readonly failure: TensorFlowError | undefined;
  /** Runs one node by its kernel. @throws TensorFlowError with the node's name. */
  run(node: ExecutableNode, inputs: readonly Value[]): Outputs | Promise<Outputs>;
  /** A node has its outputs already: a constant. */
  ran(node: ExecutableNode, outputs: Outputs): void;
  /**
   * Nodes have run together, from `beganMillis` (of `performance.now()`) until now; they could have from `readyMillis` on.
   * @param parts what each has of it, called only if the step's times are collected.
   */
  ranTogether(parts: () => readonly RegionPart[], readyMillis: number, beganMillis: number): void;
  /** Tensors were copied to a device, since `startMillis` (of `performance.now()`). */
  copied(device: string, bytes: number, startMillis: number): void;
}

/** The signal that the end of a node brings to a region. */
export const HAS_ENDED: Value = new Tensor("bool", [], Uint8Array.of(1));

/** The input of a control edge that leads to no region: only its arrival counts. */
export const NO_INPUT = -1;

/**
 * Where the outputs of a graph's nodes go, in arrays of numbers: a step passes over all edges, and objects for them would
 * lie all over the memory.
 */
export interface Wiring {
  /**
   * By port: its first edge. The edges of a port end where those of the next begin. A node has a port for each output, and
   * one more for its end.
   */
  readonly firstEdge: Int32Array;
  /** By edge: the slot of the node that it leads to, in the frame that the value is in. */
  readonly target: Int32Array;
  /** By edge: the index of that input among all inputs of the frame; NO_INPUT for a control edge that leads to no region. */
  readonly inputIndex: Int32Array;
}

/** How what a node waits for is counted. */
export const InputRule = {
  /** It waits for all its inputs, and is dead if one of them is. */
  all: 0,
  /** It waits for all its inputs, and is never dead. */
  neverDead: 1,
  merge: 2,
} as const;

/** All that running most nodes takes. Nodes share it where they can, so that it is in the processor's cache. */
export interface QuickNode {
  readonly work: PureWork;
  /** The small form of its work, if it has two inputs and one float32 output. */
  readonly small: PureWork["small"];
  readonly outputDtypes: readonly (DType | undefined)[];
}

/** The part of a graph that lies directly within one while loop, or within none: the root frame. */
export interface StaticFrame {
  /** "" for the root frame. */
  readonly name: string;
  readonly nodes: readonly CompiledNode[];
  /** The number of data inputs of all its nodes. */
  readonly inputCount: number;
  /**
   * The counts that an iteration starts with: for each node its pending inputs, then for each node 0, its dead inputs.
   * A merge waits for its control inputs alone.
   */
  readonly counters: Int32Array;
  /** By slot: the node's `InputRule`. */
  readonly rules: Uint8Array;
  /** By slot: 1 for a node that passes values to another frame or iteration. */
  readonly leadsOut: Uint8Array;
  /** By slot: where its inputs begin among those of the frame; they end where those of the next node begin. */
  readonly firstInput: Int32Array;
  /** By slot: the port of its first output. */
  readonly firstPort: Int32Array;
  /** By slot: the port of its end, which follows those of its outputs. */
  readonly endPort: Int32Array;
  /** By slot; undefined for nodes that need more than a kernel: those with state, or that read references, and regions. */
  readonly quick: readonly (QuickNode | undefined)[];
  /** How many Enter nodes lead into it. */
  readonly enterCount: number;
  /** How many iterations may run at once. */
  readonly parallelIterations: number;
}

/** A node with its kernel: what it takes to run it, wherever it is in a graph. */
export interface ExecutableNode {
  readonly node: KernelNode;
  readonly role: NodeRole;
  readonly work: NodeWork;
  /** The full name of the device that it runs on. */
  readonly device: string;
  /** The type of device that its kernel is for. */
  readonly deviceType: string;
  /** Inputs that get a reference where the op wants its value. */
  readonly referencesToRead: readonly number[];
  readonly outputDtypes: readonly (DType | undefined)[];
  readonly outputIsRef: readonly boolean[];
  /** The facts about its op; for a region, those that hold for all of it. */
  readonly facts: OpFacts;
}

/** A node with everything about it that does not change from step to step, so that a step looks up nothing by name. */
export interface CompiledNode extends ExecutableNode {
  readonly frame: StaticFrame;
  /** For an Enter, the frame that it leads into. */
  readonly entered: StaticFrame | undefined;
  /** For an Enter, whether its value is available in every iteration. */
  readonly isConstantEnter: boolean;
  /** The node's number within its frame. */
  readonly slot: number;
  /** For a region including its control inputs: where some are dead and others not, it must know which. */
  readonly inputCount: number;
}

/** A graph, or the body of a function, ready to be run any number of times. Immutable. */
export interface CompiledGraph {
  readonly nodes: readonly CompiledNode[];
  readonly root: StaticFrame;
  readonly wiring: Wiring;
  /** The nodes without inputs: a step starts with them. */
  readonly sources: readonly CompiledNode[];
  readonly resultCount: number;
  /** All devices of its nodes. */
  readonly devices: readonly string[];
}
