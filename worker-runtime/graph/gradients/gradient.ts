import type { NameAttrList } from "../../../protos/generated/tensorflow/attr_value.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { AttrInput } from "../attr-values.js";
import { Graph } from "../graph.js";
import type { OpInput } from "../graph-op-builder.js";
import { allKnown } from "../known-ints.js";
import type { Operation, Output } from "../operation.js";
import { constant } from "../ops/constants.js";
import { knownSize } from "../shape.js";
import { knownIntsOf } from "../shape-propagation.js";
import { tryDecodeUtf8 } from "../text-format/escapes.js";

/**
 * The gradient of a tensor of which only some rows were used (tf.IndexedSlices): `values[i]` belongs to row
 * `indices[i]`, rows may repeat, and all others are zero.
 */
export class IndexedSlices {
  constructor(
    readonly values: Output,
    readonly indices: Output,
    /** The shape of the whole tensor, as an integer tensor. */
    readonly denseShape: Output,
  ) {}
}

export type Gradient = Output | IndexedSlices;

/** A gradient as one tensor with all rows. */
export function denseGradient(gradient: Gradient): Output {
  if (!(gradient instanceof IndexedSlices)) return gradient;
  const graph = Graph.of(gradient.values);
  return graph.withNameScope("dense", () => {
    const rows = graph.op("StridedSlice", [gradient.denseShape, [0], [1], [1]], { shrink_axis_mask: 1 });
    return graph.op("UnsortedSegmentSum", [gradient.values, gradient.indices, rows]).output;
  });
}

/** Adds an operation, as Graph.op does. */
export type Call = (
  type: string,
  inputs: readonly OpInput[],
  attrs?: Readonly<Record<string, AttrInput | undefined>>,
) => Output;

/**
 * The gradients of tensors of another graph, the body of a function: `gradYs` are those of `ys`; `stopGradients` count as
 * constants.
 */
export type Differentiate = (
  graph: Graph,
  ys: readonly Output[],
  xs: readonly Output[],
  gradYs: readonly Output[],
  stopGradients?: readonly Output[],
) => readonly (Gradient | undefined)[];

/** The context that rules need besides the operation. */
export interface GradientContext {
  readonly within: Differentiate;
  /** Names the gradients that are computed together, as TensorArrayGradV3 needs it. */
  readonly source: string;
}

/** One operation on the way back, with the gradients of its outputs: what a rule computes its inputs' gradients from. */
export class OpGradient {
  readonly graph: Graph;

  constructor(
    readonly op: Operation,
    /** By output; undefined where nothing depends on the output. */
    readonly gradients: readonly (Gradient | undefined)[],
    /** Whether anybody needs the gradient of an input. */
    readonly wants: (input: number) => boolean,
    readonly context: GradientContext,
  ) {
    this.graph = Graph.of(op);
  }

  /** Its first input. */
  get x(): Output {
    return this.input(0);
  }

  /** Its first output. */
  get y(): Output {
    return this.op.output;
  }

  /** The gradient of its first output. */
  get g(): Output {
    return this.gradient(0);
  }

  input(index: number): Output {
    const input = this.op.inputs[index];
    if (input) return input;
    throw invalidArgument(`${this.op.type} node "${this.op.name}" has no input ${index}.`);
  }

  /** The gradient of an output as a dense tensor; zeros if nothing depends on it. */
  gradient(index: number): Output {
    const known = this.gradients[index];
    if (known) return denseGradient(known);
    return this.call("ZerosLike", [this.op.outputAt(index)]);
  }

  /** Adds an operation and returns its first output. */
  readonly call: Call = (type, inputs, attrs = {}) => this.graph.op(type, inputs, attrs).output;

  /** The operation's attributes with these names, to be used by another one. */
  attrs(...names: readonly string[]): Record<string, AttrInput> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.op.attrs.get(name);
        return value ? [[name, value]] : [];
      }),
    );
  }

  flag(name: string): boolean {
    const value = this.op.attrs.get(name)?.value;
    return value?.$case === "b" && value.value;
  }

  int(name: string): number {
    const value = this.op.attrs.get(name)?.value;
    return value?.$case === "i" ? Number(value.value) : 0;
  }

  /** The function that an attribute names. @throws TensorFlowError if it names none */
  func(name: string): NameAttrList {
    const value = this.op.attrs.get(name)?.value;
    if (value?.$case === "func") return value.value;
    throw this.needs(`the attribute "${name}"`);
  }

  text(name: string): string {
    const value = this.op.attrs.get(name)?.value;
    return value?.$case === "s" ? (tryDecodeUtf8(value.value) ?? "") : "";
  }

  /** A tensor's sizes: a constant if they are all known. */
  shapeOf(x: Output, dtype: "int32" | "int64" = "int32"): Output {
    const { shape } = x;
    if (shape && knownSize(shape) !== undefined) return this.ints(shape, dtype);
    return this.call("Shape", [x], { out_type: dtype });
  }

  /** A constant vector or scalar of integers. */
  ints(values: readonly number[] | number, dtype: "int32" | "int64" = "int32"): Output {
    return integers(this.graph, values, dtype);
  }

  /** g with the elements in the shape of x. */
  reshapeLike(g: Output, x: Output): Output {
    return this.call("Reshape", [g, this.shapeOf(x)]);
  }

  /** The integers of an input if they are known before a run. */
  knownInts(index: number): readonly number[] | undefined {
    return allKnown(knownIntsOf(this.input(index)));
  }

  /** The number of dimensions of an input. @throws TensorFlowError if it is not known */
  rankOf(index: number): number {
    const rank = this.input(index).shape?.length;
    if (rank !== undefined) return rank;
    throw this.needs(`the rank of ${this.input(index).name}`);
  }

  /** The error for something that has to be known before a run. */
  needs(what: string): Error {
    return invalidArgument(
      `The gradient of ${this.op.type} node "${this.op.name}" needs ${what}, which is not known before a run.`,
    );
  }
}

/** The gradients of an operation's inputs, in their order; undefined where there is none. */
export type GradientRule = (at: OpGradient) => readonly (Gradient | undefined)[];
export type GradientRules = Readonly<Record<string, GradientRule>>;

/** A constant vector or scalar of integers. */
export function integers(
  graph: Graph,
  values: readonly number[] | number,
  dtype: "int32" | "int64" = "int32",
): Output {
  const value = Tensor.of(values, dtype, typeof values === "number" ? [] : [values.length]);
  return constant(graph, value);
}
