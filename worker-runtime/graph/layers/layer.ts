/** A layer block: nodes with variables and initializers, made in one scope from a few settings. */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { biasAdd, placeholder, randomNormal, randomUniform, type Variable, variable } from "../ops/index.js";
import { NodeBuilder } from "./node-builder.js";

/** A setting of a layer, as a form shows it. */
export type LayerField = { readonly name: string; readonly label: string } & (
  | { readonly kind: "int"; readonly initial: number; readonly min: number }
  | { readonly kind: "number"; readonly initial: number; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly initial: string; readonly choices: readonly string[] }
  | { readonly kind: "flag"; readonly initial: boolean }
  | { readonly kind: "text"; readonly initial: string; readonly hint?: string }
);

export type LayerValue = number | string | boolean;
export type LayerValues = Readonly<Record<string, LayerValue>>;

export interface LayerSpec {
  /** "Dense", as Keras names it. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** The dtypes that it can be connected to; float32 unless given. */
  readonly takes?: "any" | "nothing";
  /** Inputs besides the one that it is connected to; a placeholder stands for each that is used until it is connected. */
  readonly others?: readonly LayerInput[];
  readonly fields: readonly LayerField[];
  /**
   * Makes the nodes in the scope of the builder. Returns its output, or several by their names, the most important first.
   *
   * @param input not to be read by a layer that takes nothing
   * @throws TensorFlowError INVALID_ARGUMENT if an input has the wrong shape, in words for the user
   */
  build(layer: LayerBuilder, input: Output): Output | ReadonlyMap<string, Output>;
}

export interface LayerInput {
  readonly name: string;
  readonly dtype: "float32" | "int32";
  /** The shape of the placeholder that stands for it, -1 for any size; any shape unless given. */
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

/** Makes the nodes of one layer block, with its variables. */
export class LayerBuilder extends NodeBuilder {
  readonly #values: LayerValues;
  readonly #inputs: readonly LayerInput[];
  readonly #others = new Map<string, Output>();
  readonly #variables: Variable[] = [];

  constructor(graph: Graph, { name, others = [] }: LayerSpec, values: LayerValues) {
    super(graph, name);
    this.#values = values;
    this.#inputs = others;
  }

  /** In the order in which Keras lists the layer's weights. */
  get variables(): readonly Variable[] {
    return this.#variables;
  }

  number(name: string): number {
    const value = this.#values[name];
    if (typeof value === "number") return value;
    throw invalidArgument(`${this.layer} has no number ${name}.`);
  }

  /** One of the inputs besides the first. */
  other(name: string): Output {
    const known = this.#others.get(name);
    if (known) return known;
    const input = this.#inputs.find((one) => one.name === name);
    if (!input) throw invalidArgument(`${this.layer} has no input ${name}.`);
    const made = placeholder(this.graph, input.dtype, input.shape, { name });
    this.#others.set(name, made);
    return made;
  }

  text(name: string): string {
    return String(this.#values[name]);
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** A variable that the trained layer keeps; its first values are uniform between limits that suit its size. */
  weights(name: string, shape: readonly number[], fanIn: number, fanOut: number): Output {
    // As tf.keras.initializers.GlorotUniform.
    const limit = Math.sqrt(6 / (fanIn + fanOut));
    const initial = this.graph.withNameScope(`${name}/initial_value`, () =>
      randomUniform(this.graph, shape, { min: -limit, max: limit }),
    );
    return this.#keep(name, initial).value;
  }

  /**
   * The kernel of a recurrent state, [units, gates · units]; its first rows are orthogonal, so that a state neither grows
   * nor fades over many steps.
   */
  recurrentWeights(name: string, units: number, gates: number): Output {
    // As tf.keras.initializers.Orthogonal.
    const initial = this.graph.withNameScope(`${name}/initial_value`, () => {
      const numbers = randomNormal(this.graph, [gates * units, units]);
      const factors = this.operation("Qr", [numbers], { full_matrices: false });
      const signs = this.op("Sign", [this.op("MatrixDiagPart", [factors.outputAt(1)])]);
      const columns = this.op("Mul", [factors.outputAt(0), signs]);
      return this.shaped(this.op("Transpose", [columns, this.ints([1, 0], "axes")]), [units, gates * units]);
    });
    return this.#keep(name, initial).value;
  }

  /** A variable of equal first values. */
  filled(name: string, shape: readonly number[], value: number): Output {
    return this.statistic(name, shape, value).value;
  }

  /** A variable of equal first values that the layer itself changes. */
  statistic(name: string, shape: readonly number[], value: number): Variable {
    const count = shape.reduce((product, size) => product * size, 1);
    return this.#keep(name, Tensor.of(new Float32Array(count).fill(value), "float32", shape));
  }

  /** A variable of these first values. */
  given(name: string, initial: Tensor): Output {
    return this.#keep(name, initial).value;
  }

  /** The bias and the activation at the end of a layer. */
  finish(sums: Output, units: number): Output {
    const biased = this.flag("bias") ? biasAdd(sums, this.filled("bias", [units], 0)) : sums;
    return this.activate(biased, this.text("activation"));
  }

  #keep(name: string, initial: Output | Tensor): Variable {
    const made = variable(this.graph, initial, { name, kind: "resource" });
    this.#variables.push(made);
    return made;
  }
}
