/** What a layer block is: nodes with variables and initializers, made in one scope from a few settings. */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import {
  biasAdd,
  constant,
  placeholder,
  randomUniform,
  relu,
  sigmoid,
  softmax,
  tanh,
  type Variable,
  variable,
} from "../ops/index.js";
import { shapeLabel } from "../shape.js";

/** A setting of a layer, as a form shows it. */
export type LayerField = { readonly name: string; readonly label: string } & (
  | { readonly kind: "int"; readonly initial: number; readonly min: number }
  | { readonly kind: "number"; readonly initial: number; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly initial: string; readonly choices: readonly string[] }
  | { readonly kind: "flag"; readonly initial: boolean }
);

export type LayerValue = number | string | boolean;
export type LayerValues = Readonly<Record<string, LayerValue>>;

export interface LayerSpec {
  /** "Dense", as Keras names it. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** Inputs besides the one that it is connected to; a placeholder stands for each until it is connected. */
  readonly others?: readonly LayerInput[];
  readonly fields: readonly LayerField[];
  /**
   * Makes the nodes in the scope of the builder.
   * @throws TensorFlowError INVALID_ARGUMENT if an input has the wrong shape, in words for the user
   */
  build(layer: LayerBuilder, input: Output): Output;
}

export interface LayerInput {
  readonly name: string;
  readonly dtype: "float32" | "int32";
  /** Of the placeholder that stands for it, -1 for any size; left out: any. */
  readonly shape?: readonly number[];
}

export const ACTIVATIONS = ["linear", "relu", "sigmoid", "tanh", "softmax"] as const;
export const ACTIVATION: LayerField = {
  ...{ name: "activation", label: "Activation", kind: "choice", initial: "linear", choices: ACTIVATIONS },
};
export const PADDING: LayerField = {
  ...{ name: "padding", label: "Padding", kind: "choice", initial: "SAME", choices: ["SAME", "VALID"] },
};

export const BIAS: LayerField = { name: "bias", label: "Bias", kind: "flag", initial: true };
export const EPSILON: LayerField = {
  ...{ name: "epsilon", label: "Epsilon", kind: "number", initial: 1e-3, min: 0, max: 1 },
};

interface Normalization {
  readonly mean: Output;
  readonly variance: Output;
  readonly gamma: Output;
  readonly beta: Output;
}

/** Makes the nodes of one layer. */
export class LayerBuilder {
  readonly graph: Graph;
  readonly #layer: string;
  readonly #values: LayerValues;
  readonly #others: ReadonlyMap<string, Output>;
  readonly #variables: Variable[] = [];

  constructor(graph: Graph, { name, others = [] }: LayerSpec, values: LayerValues) {
    this.graph = graph;
    this.#layer = name;
    this.#values = values;
    this.#others = new Map(
      others.map((other) => [other.name, placeholder(graph, other.dtype, other.shape, { name: other.name })]),
    );
  }

  /** In the order in which Keras lists the layer's weights. */
  get variables(): readonly Variable[] {
    return this.#variables;
  }

  number(name: string): number {
    const value = this.#values[name];
    if (typeof value === "number") return value;
    throw invalidArgument(`${this.#layer} has no number ${name}.`);
  }

  /** One of the inputs besides the first. */
  other(name: string): Output {
    const found = this.#others.get(name);
    if (found) return found;
    throw invalidArgument(`${this.#layer} has no input ${name}.`);
  }

  text(name: string): string {
    return String(this.#values[name]);
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  op(
    type: string,
    inputs: Parameters<Graph["op"]>[1],
    attrs: Parameters<Graph["op"]>[2] = {},
    name?: string,
  ): Output {
    return this.graph.op(type, inputs, attrs, name).output;
  }

  ints(values: number | readonly number[], name: string): Output {
    return constant(this.graph, Tensor.of(values, "int32"), { name });
  }

  scalar(value: number, name: string): Output {
    return constant(this.graph, value, { name });
  }

  einsum(equation: string, one: Output, other: Output): Output {
    return this.op("Einsum", [[one, other]], { equation });
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
  normalize(input: Output, { mean, variance, gamma, beta }: Normalization): Output {
    const epsilon = this.scalar(this.number("epsilon"), "epsilon");
    const scale = this.op("Rsqrt", [this.op("AddV2", [variance, epsilon])]);
    const centred = this.op("Mul", [this.op("Sub", [input, mean]), scale]);
    return this.op("AddV2", [this.op("Mul", [centred, gamma]), beta]);
  }

  /** @throws TensorFlowError INVALID_ARGUMENT unless the input is of whole numbers */
  requireIntegers({ dtype }: Output): void {
    if (dtype === "int32" || dtype === "int64") return;
    throw invalidArgument(`${this.#layer} takes whole numbers (int32 or int64); its input is ${dtype}.`);
  }

  /** The size of a dimension, counted from the end if negative. @throws TensorFlowError if it is not known */
  size(input: Output, axis: number): number {
    const size = input.shape?.at(axis);
    if (size !== undefined && size >= 0) return size;
    const which = axis === -1 ? "last dimension" : `dimension ${axis}`;
    throw invalidArgument(
      `${this.#layer} must know the ${which} of its input, whose shape is ${shapeLabel(input.shape)}.`,
    );
  }

  /** @throws TensorFlowError INVALID_ARGUMENT unless the input has so many dimensions */
  requireRank(input: Output, rank: number, of: string): void {
    if (input.shape?.length === rank) return;
    throw invalidArgument(
      `${this.#layer} takes ${of}, ${rank} dimensions; the shape of its input is ${shapeLabel(input.shape)}.`,
    );
  }

  /** A variable that the trained layer keeps; its first values are uniform between limits that suit its size. */
  weights(name: string, shape: readonly number[], fanIn: number, fanOut: number): Output {
    // As tf.keras.initializers.GlorotUniform.
    const limit = Math.sqrt(6 / (fanIn + fanOut));
    const initial = this.graph.withNameScope(`${name}/initial_value`, () =>
      randomUniform(this.graph, shape, { min: -limit, max: limit }),
    );
    return this.#keep(variable(this.graph, initial, { name, kind: "resource" }));
  }

  /** A variable of equal first values. */
  filled(name: string, shape: readonly number[], value: number): Output {
    const count = shape.reduce((product, size) => product * size, 1);
    return this.given(name, Tensor.of(new Float32Array(count).fill(value), "float32", shape));
  }

  /** A variable of these first values. */
  given(name: string, initial: Tensor): Output {
    return this.#keep(variable(this.graph, initial, { name, kind: "resource" }));
  }

  /** The bias and the activation at the end of a layer. */
  finish(sums: Output, units: number): Output {
    const biased = this.flag("bias") ? biasAdd(sums, this.filled("bias", [units], 0)) : sums;
    return this.activate(biased, this.text("activation"));
  }

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

  #keep(made: Variable): Output {
    this.#variables.push(made);
    return made.value;
  }
}
