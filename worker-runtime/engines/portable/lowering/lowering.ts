import type { Tensor } from "../../../protocol/tensor.js";
import type { KernelTypes } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";

/**
 * How a TensorFlow node is expressed in ONNX, for ONNX Runtime to compute together with its neighbours (regions/). It
 * returns the same as the op's kernel for every input that the kernel accepts, and declines what ONNX computes
 * differently.
 */
export interface Lowering {
  readonly op: string;
  /** The accepted dtypes by type attribute of the op, a subset of those of the op's kernels. */
  readonly types: KernelTypes;
  /** Further conditions on the node, such as an attribute's value; known when a graph is registered. */
  fits?(node: KernelNode): boolean;
  /**
   * The inputs whose values, not only their shapes, decide the shape of an output: the target of a Reshape, the sizes
   * of a Fill, the axes of a Sum. A negative number counts from the end. Defaults to none.
   */
  readonly shapeInputs?: readonly number[];
  /**
   * Each output's value follows from the shape of the input with the same index, or from its rank alone; the output's
   * own rank is fixed.
   */
  readonly tells?: "shape" | "rank";
  /** The rank of an output depends on sizes of inputs, not only on their ranks. */
  readonly isRankBySizes?: true;
  /**
   * Its ONNX nodes are many and short, or work on one image after the other: ONNX Runtime wakes its threads for each, which
   * takes longer than it saves unless the images are large.
   */
  readonly isFasterOnOneThread?: true;
  /** It copies parts of its first input. */
  readonly gathers?: true;
  /** Nothing is computed: a session with only such nodes would be useless. */
  readonly isTrivial?: true;
  /**
   * float16 cannot be computed as float32 (halves.ts): a result depends on the dtype's range, or the kernel rejects it.
   */
  readonly hasNoHalves?: true;
  /**
   * Adds ONNX nodes to a model.
   * @param inputs one per data input of the node.
   * @returns one per output of the node; undefined to decline shapes or values that cannot be expressed.
   */
  lower(
    node: KernelNode,
    inputs: readonly OnnxValue[],
    context: LoweringContext,
  ): readonly OnnxValue[] | undefined;
}

/** The runner of a model. */
export interface LoweringDevice {
  /** Whether the model runs on a GPU: for what is faster there, or on a CPU. */
  readonly isOnGpu: boolean;
  /** The size of a block of channels (blocked-images.ts); undefined if the device has no such order. */
  readonly blockedChannels: number | undefined;
}

/** The facts about a node's inputs that its lowering can query, and the model that it writes to. */
export interface LoweringContext extends LoweringDevice {
  readonly model: ModelBuilder;
  /** The rank of an input, or of a value returned by another lowering. The model is made for these ranks. */
  rank(input: OnnxValue): number;
  /**
   * The sizes of an input. A call restricts the model to the current shapes of the region's inputs; prefer symbolic
   * shapes where a few nodes suffice (Shape, Gather, Reshape with 0 and -1).
   * @returns undefined if they depend on values and may therefore differ in the next run.
   */
  shape(input: OnnxValue): readonly number[] | undefined;
  /**
   * The sizes that an input has at present, which it may not have in the next run; does not restrict the model. For
   * decisions that are wrong for other sizes, so that the model fails for these.
   */
  likelyShape(input: OnnxValue): readonly number[] | undefined;
  /**
   * The value of an input that is a constant, or that follows from constants and shapes. The latter restricts the model
   * to the current shapes of the region's inputs.
   * @returns undefined if it may differ in the next run.
   */
  value(input: OnnxValue): Tensor | undefined;
}

/**
 * How the arithmetic of an op that changes variables, such as Assign, ApplyAdam or ResourceApplyMomentum, is expressed
 * in ONNX. The variables' values are inputs of the model, their new values outputs, which the node's region assigns.
 */
export interface UpdateLowering {
  readonly op: string;
  readonly types: KernelTypes;
  fits?(node: KernelNode): boolean;
  /** The inputs that are variables: resource handles or references. */
  readonly variables: readonly number[];
  /**
   * The variable receives the second input unchanged, whatever it had before: worth a session only together with the
   * nodes that compute the input, and never on a GPU, where the kernel uses it wherever it is stored.
   */
  readonly isCopy?: true;
  /** As in `Lowering`. */
  readonly shapeInputs?: readonly number[];
  /**
   * Adds ONNX nodes to a model.
   * @param inputs one per data input of the node, with a variable's value in place of the variable.
   * @returns the new value of each of `variables`, in their order; undefined to decline.
   */
  lower(
    node: KernelNode,
    inputs: readonly OnnxValue[],
    context: LoweringContext,
  ): readonly OnnxValue[] | undefined;
}
