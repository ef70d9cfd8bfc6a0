/** Makes the nodes of a layer, be it a block that the user adds or one of a model that was opened. */
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { constant, relu, sigmoid, softmax, tanh } from "../ops/index.js";
import { shapeLabel } from "../shape.js";

export interface Normalization {
  readonly mean: Output;
  readonly variance: Output;
  /** Left out: 1. */
  readonly gamma?: Output | undefined;
  /** Left out: 0. */
  readonly beta?: Output | undefined;
  /** Added to the variance. */
  readonly epsilon: number;
}

/** Makes the nodes of one layer. */
export class NodeBuilder {
  readonly graph: Graph;
  /** The layer's name in errors. */
  readonly layer: string;

  constructor(graph: Graph, layer: string) {
    this.graph = graph;
    this.layer = layer;
  }

  op(
    type: string,
    inputs: Parameters<Graph["op"]>[1],
    attrs: Parameters<Graph["op"]>[2] = {},
    name?: string,
  ): Output {
    return this.operation(type, inputs, attrs, name).output;
  }

  /** An op with several outputs, or none. */
  operation(
    type: string,
    inputs: Parameters<Graph["op"]>[1],
    attrs: Parameters<Graph["op"]>[2] = {},
    name?: string,
  ): Operation {
    return this.graph.op(type, inputs, attrs, name);
  }

  cast(tensor: Output, dtype: DType): Output {
    return tensor.dtype === dtype ? tensor : this.op("Cast", [tensor], { DstT: dtype });
  }

  /** @param shape left out: a scalar or a vector, as the values are */
  ints(values: number | readonly number[], name: string, shape?: readonly number[]): Output {
    return constant(this.graph, Tensor.of(values, "int32", shape), { name });
  }

  scalar(value: number, name: string): Output {
    return constant(this.graph, value, { name });
  }

  einsum(equation: string, one: Output, other: Output): Output {
    return this.op("Einsum", [[one, other]], { equation });
  }

  /** Parts of equal size along the last dimension. */
  parts(tensor: Output, count: number): readonly Output[] {
    return this.operation("Split", [this.ints(-1, "last"), tensor], { num_split: count }).outputs;
  }

  /**
   * A result with its shape, as far as that is known: the next layer needs it, and not every op's shape is inferred.
   *
   * @param shape -1 for what is known only in a run
   */
  shaped(result: Output, shape: readonly number[]): Output {
    const unknown = shape.filter((size) => size < 0).length;
    const isInferred =
      result.shape?.length === shape.length &&
      shape.every((size, axis) => size < 0 || result.shape?.[axis] === size);
    return isInferred || unknown > 1 ? result : this.op("Reshape", [result, this.ints(shape, "shape")]);
  }

  /** Mean and variance over dimensions, which stay with size 1. */
  moments(input: Output, axes: readonly number[]): Pick<Normalization, "mean" | "variance"> {
    const over = this.ints(axes, "axes");
    const mean = this.op("Mean", [input, over], { keep_dims: true });
    const squares = this.op("SquaredDifference", [input, mean]);
    return { mean, variance: this.op("Mean", [squares, over], { keep_dims: true }) };
  }

  /** (input − mean) / √(variance + ε) · γ + β */
  normalize(input: Output, { mean, variance, gamma, beta, epsilon }: Normalization): Output {
    const scale = this.op("Rsqrt", [
      this.op("AddV2", [
        variance,
        constant(this.graph, Tensor.of(epsilon, variance.dtype), { name: "epsilon" }),
      ]),
    ]);
    const centred = this.op("Mul", [this.op("Sub", [input, mean]), scale]);
    const scaled = gamma ? this.op("Mul", [centred, gamma]) : centred;
    return beta ? this.op("AddV2", [scaled, beta]) : scaled;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT unless the input is of whole numbers */
  requireIntegers({ dtype }: Output): void {
    if (dtype === "int32" || dtype === "int64") return;
    throw invalidArgument(`${this.layer} takes whole numbers (int32 or int64); its input is ${dtype}.`);
  }

  /** The size of a dimension, counted from the end if negative. @throws TensorFlowError if it is not known */
  size(input: Output, axis: number): number {
    const size = input.shape?.at(axis);
    if (size !== undefined && size >= 0) return size;
    const which = axis === -1 ? "last dimension" : `dimension ${axis}`;
    throw invalidArgument(
      `${this.layer} must know the ${which} of its input, whose shape is ${shapeLabel(input.shape)}.`,
    );
  }

  /** @throws TensorFlowError INVALID_ARGUMENT unless the input has so many dimensions */
  requireRank(input: Output, rank: number, of: string): void {
    if (input.shape?.length === rank) return;
    throw invalidArgument(
      `${this.layer} takes ${of}, ${rank} dimensions; the shape of its input is ${shapeLabel(input.shape)}.`,
    );
  }

  /** @param activation one that blocks offer; anything else passes the input on */
  activate(input: Output, activation: string): Output {
    switch (activation) {
      case "relu":
        return relu(input);
      case "sigmoid":
        return sigmoid(input);
      case "tanh":
        return tanh(input);
      case "softmax":
        return softmax(input);
      default:
        return input;
    }
  }
}
