import { NodeBuilder } from "../../graph/layers/node-builder.js";
import type { Output } from "../../graph/operation.js";
import { GraphKeys, variable } from "../../graph/ops/index.js";
import { shapeText } from "../../protocol/shape.js";
import { invalidArgument, notFound } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { activationOf } from "./activations.js";
import type { LayerConfig } from "./layer-config.js";

/** A weight that a layer has, in the order in which Keras lists them. */
export interface WeightDecl {
  /** The variable's name within the layer's scope. */
  readonly name: string;
  /** Where a .keras file has it, below the layer: "vars/0"; of several, the first that there is. */
  readonly at: readonly string[];
  readonly trainable: boolean;
}

/** The weights of one layer: variables, which all its calls share. */
export interface LayerWeights {
  /** The file's values; undefined if the file has none of them. */
  value(name: string): Tensor | undefined;
  readonly made: Map<string, Output>;
  /** Whether a weight is one that training changes. */
  isTrainable(name: string): boolean;
}

/** The masks of tensors: which of their steps [batch, time] count, as bools. Those of others all do. */
export type Masks = Map<Output, Output>;

/** The arguments of a layer's call. */
export interface Arguments {
  /** The tensors, in order. */
  readonly inputs: readonly Output[];
  /** The same, with the numbers among them. */
  readonly operands: readonly (Output | number)[];
  /** At which of these places a whole number is a float of Python. */
  readonly floats?: ReadonlySet<number>;
  /** Tensors that were given by name. */
  readonly named: ReadonlyMap<string, readonly Output[]>;
  /** Other values that were given by name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The dtype of the first result, if another layer takes it, as the file has it and Keras names it. */
  readonly resultDtype?: string | undefined;
  /** The masks of all tensors that were made so far. */
  readonly masks: Masks;
}

/** Makes the nodes of one call of a layer of Keras. */
export class LayerCall extends NodeBuilder {
  readonly config: LayerConfig;
  readonly args: Arguments;
  readonly #weights: LayerWeights;
  readonly #prefix: string;

  constructor(
    builder: NodeBuilder,
    config: LayerConfig,
    args: Arguments,
    weights: LayerWeights,
    prefix = "",
  ) {
    super(builder.graph, config.title);
    this.config = config;
    this.args = args;
    this.#weights = weights;
    this.#prefix = prefix;
  }

  /** The first input. */
  get input(): Output {
    const [first] = this.args.inputs;
    if (first) return first;
    throw invalidArgument(`${this.layer} is called with no tensor: the model's configuration is damaged.`);
  }

  /** Which steps of the first input count: as the call says, else as the input does. */
  get mask(): Output | undefined {
    const given = this.args.named.get("mask")?.[0];
    // Keras tells a layer of several inputs nothing of the first one's steps.
    return (
      given ?? (this.args.inputs.length + this.args.named.size > 1 ? undefined : this.maskOf(this.input))
    );
  }

  /** Which steps of an input count; undefined: all of them. */
  maskOf(input: Output): Output | undefined {
    return this.args.masks.get(input);
  }

  /** The call of a layer within this one, whose weights have names that begin with a prefix. */
  inner(config: LayerConfig, inputs: readonly Output[], prefix = ""): LayerCall {
    const { named, values, masks } = this.args;
    const args = { inputs, operands: inputs, named, values, masks };
    return new LayerCall(this, config, args, this.#weights, `${this.#prefix}${prefix}`);
  }

  /**
   * The value of a weight, which the file must have in this shape.
   * @throws TensorFlowError NOT_FOUND, INVALID_ARGUMENT
   */
  weight(name: string, shape: readonly number[]): Output {
    const key = `${this.#prefix}${name}`;
    const known = this.#weights.made.get(key);
    if (known) return known;
    const value = this.#weights.value(key);
    if (value === undefined) throw notFound(`${this.layer} has no weights "${key}" in this file.`);
    if (shapeText(value.shape) !== shapeText(shape)) {
      throw invalidArgument(
        `${this.layer} takes "${key}" of shape ${shapeText(shape)}, but the file has ${shapeText(value.shape)}.`,
      );
    }
    const trainable = this.#weights.isTrainable(key);
    const made = variable(this.graph, inFloat32(value), {
      ...{ name: key, kind: "resource", trainable },
      // For global ones TensorFlow looks for a checkpoint beside the SavedModel; these have their values in the graph.
      collections: [GraphKeys.LOCAL_VARIABLES],
    }).value;
    this.#weights.made.set(key, made);
    return made;
  }

  /** Adds the bias, if the layer has one, and applies the activation. */
  finish(sums: Output, units: number): Output {
    const hasBias = this.config.flag("use_bias", true);
    const biased = hasBias ? this.op("BiasAdd", [sums, this.weight("bias", [units])]) : sums;
    return activationOf(this.config)(this, biased);
  }
}

/** Models compute in float32 here, whatever their weights were saved in. */
function inFloat32(value: Tensor): Tensor {
  if (value.dtype === "float32") return value;
  const numbers = Float32Array.from({ length: value.size }, (_, at) => Number(value.at(at)));
  return new Tensor("float32", value.shape, numbers);
}

const own = (names: readonly string[], trainable: boolean, first = 0): readonly WeightDecl[] =>
  names.map((name, at) => ({ name, at: [`vars/${first + at}`], trainable }));

/** The weights that a layer itself has: those that are trained, then others. */
export function ownWeights(
  trained: readonly string[],
  others: readonly string[] = [],
): readonly WeightDecl[] {
  return [...own(trained, true), ...own(others, false, trained.length)];
}

/** Weights of a layer within a layer. */
export function within(
  folders: readonly string[],
  prefix: string,
  weights: readonly WeightDecl[],
): readonly WeightDecl[] {
  return weights.map(({ name, at, trainable }) => ({
    name: `${prefix}${name}`,
    at: folders.flatMap((folder) => at.map((path) => `${folder}/${path}`)),
    trainable,
  }));
}

/** Kernel and bias, of which a setting may leave out the second. */
export function kernelAndBias(
  config: LayerConfig,
  kernels: readonly string[] = ["kernel"],
): readonly WeightDecl[] {
  return ownWeights(config.flag("use_bias", true) ? [...kernels, "bias"] : kernels);
}

export interface KerasLayer {
  /** In the order in which Keras lists them; left out: none. */
  readonly weights?: (config: LayerConfig) => readonly WeightDecl[];
  /** @throws TensorFlowError UNIMPLEMENTED for a setting that is not known here; INVALID_ARGUMENT */
  call(layer: LayerCall): Output | readonly Output[];
  /** The masks of the results; by the layer's class unless given. */
  masks?(layer: LayerCall, results: readonly Output[]): readonly (Output | undefined)[];
}
