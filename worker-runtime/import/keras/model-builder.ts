/** Makes the graph of a model: each layer a scope, its weights variables that begin with the file's values. */

import type { Graph } from "../../graph/graph.js";
import type { NodeBuilder } from "../../graph/layers/node-builder.js";
import type { Output } from "../../graph/operation.js";
import { placeholder } from "../../graph/ops/index.js";
import { type DType, isDType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { callOrder, type OrderedCall } from "./call-order.js";
import {
  type Arguments,
  type KerasLayer,
  LayerCall,
  type LayerWeights,
  type Masks,
  type WeightDecl,
} from "./layer-call.js";
import type { LayerConfig } from "./layer-config.js";
import { kerasLayer } from "./layers/index.js";
import { masksAfter } from "./masks.js";
import type { Argument, LayerCallConfig, LayerNode, ModelConfig, TensorRef } from "./model-config.js";
import { WholeFloat } from "./python-json.js";
import type { PlacedWeight, WeightValues } from "./weight-values.js";

/** A model, or one within another; called like a layer. */
export class Model {
  readonly name: string;
  readonly config: ModelConfig;
  readonly #layers = new Map<string, Layer>();

  /** @param place where a .keras file has the model's own layers: "" or "layers/functional/" */
  constructor(config: ModelConfig, place = "", isTrainable = true) {
    this.name = config.name;
    this.config = config;
    const names = new Map<string, number>();
    for (const node of config.layers) {
      const { name } = node.config;
      if (this.#layers.has(name)) throw invalidArgument(`The model has two layers "${name}": it is damaged.`);
      const folder = isOperator(node)
        ? ""
        : `${place}layers/${numbered(names, snakeCase(node.config.className))}/`;
      this.#layers.set(name, new Layer(node, folder, isTrainable && node.isTrainable));
    }
  }

  /** In the order in which Keras lists them. @param owner the layer of the whole model that this model is */
  weights(owner?: string): readonly PlacedWeight[] {
    return [...this.#layers.values()].flatMap((layer) => layer.weights(owner ?? layer.name));
  }

  /** Placeholders for the inputs, by the names of their layers. */
  placeholders(graph: Graph): ReadonlyMap<string, Output> {
    return new Map(
      this.config.inputs.map(({ layer }) => {
        const { config } = this.#layer(layer).node;
        const input = placeholder(graph, dtypeOf(config), shapeOf(config), { name: scopeName(layer) });
        return [layer, input];
      }),
    );
  }

  /**
   * @param inputs in the order of the model's own
   * @param masks of the inputs; those of what the model makes are added
   */
  call(
    builder: NodeBuilder,
    inputs: readonly Output[],
    values: WeightValues,
    masks: Masks = new Map(),
  ): readonly Output[] {
    const results = new Map<string, readonly Output[]>();
    for (const [at, { layer }] of this.config.inputs.entries()) {
      const input = inputs[at];
      if (input) results.set(callKey(layer, 0), [input]);
    }
    const pending = this.#callsInOrder();
    const taken = pending.flatMap(({ call }) => refsOf(call)).filter(({ output }) => output === 0);
    const dtypes = new Map(taken.map((ref) => [this.#keyOf(ref), ref.dtype]));
    const find = (ref: TensorRef) => results.get(this.#keyOf(ref))?.[ref.output];
    for (let left = pending; left.length > 0; ) {
      const waiting = left.filter(({ called, call, key }) => {
        if (results.has(key)) return false;
        if (!refsOf(call).every((ref) => find(ref) !== undefined)) return true;
        const args = { ...argumentsOf(call, find, masks), resultDtype: dtypes.get(key) };
        results.set(key, called.call(builder, args, values));
        return false;
      });
      if (waiting.length === left.length) {
        const names = waiting.slice(0, 3).map(({ layer }) => `"${layer}"`);
        throw invalidArgument(
          `The model's configuration is damaged: ${names.join(", ")} take tensors that no layer makes.`,
        );
      }
      left = waiting;
    }
    return this.config.outputs.map((ref) => {
      const output = find(ref);
      if (output) return output;
      throw invalidArgument(
        `The model's configuration is damaged: no layer makes its output "${ref.layer}".`,
      );
    });
  }

  #layer(name: string): Layer {
    const layer = this.#layers.get(name);
    if (layer) return layer;
    throw invalidArgument(`The model's configuration is damaged: it has no layer "${name}".`);
  }

  #callsInOrder(): readonly (OrderedCall & { readonly called: Layer; readonly call: LayerCallConfig })[] {
    const calls = [...this.#layers.values()].flatMap((called) =>
      called.node.calls.map((call, number) => {
        const reads = refsOf(call).map((ref) => this.#keyOf(ref));
        return { called, call, key: callKey(called.name, number), layer: called.name, reads };
      }),
    );
    return callOrder(calls, this.config.outputs, (ref) => this.#keyOf(ref));
  }

  #keyOf({ layer, call }: TensorRef): string {
    const isOnly = (this.#layers.get(layer)?.node.calls.length ?? 0) <= 1;
    // Files number the calls of a nested model from its own making on, too.
    return callKey(layer, isOnly ? 0 : call);
  }
}

class Layer {
  readonly node: LayerNode;
  readonly #folder: string;
  readonly #isTrainable: boolean;
  readonly #model: Model | undefined;
  readonly #kind: KerasLayer | undefined;
  readonly #decls: ReadonlyMap<string, WeightDecl>;
  readonly #made = new Map<string, Output>();

  constructor(node: LayerNode, folder: string, isTrainable: boolean) {
    this.node = node;
    this.#folder = folder;
    this.#isTrainable = isTrainable;
    const { config, model } = node;
    const isInput = config.className === "InputLayer";
    this.#model = model && new Model(model, folder, isTrainable);
    this.#kind = model || isInput ? undefined : kerasLayer(config, node.module, node.isCustom);
    if (!isInput && !model && !isOperator(node)) requireFloat32(config);
    this.#decls = new Map((this.#kind?.weights?.(config) ?? []).map((weight) => [weight.name, weight]));
  }

  get name(): string {
    return this.node.config.name;
  }

  weights(owner: string): readonly PlacedWeight[] {
    if (this.#model) return this.#model.weights(owner);
    return [...this.#decls.values()].map((decl) => ({
      places: this.#placesOf(decl),
      owner,
      isTrained: this.#isTrained(decl),
    }));
  }

  call(builder: NodeBuilder, args: Arguments, values: WeightValues): readonly Output[] {
    const { graph } = builder;
    return graph.withNameScope(scopeName(this.name), () => {
      if (this.#model) return this.#model.call(builder, args.inputs, values, args.masks);
      const call = new LayerCall(builder, this.node.config, args, this.#weights(values));
      const made = [this.#kind?.call(call) ?? []].flat();
      const masks = this.#kind ? masksAfter(call, this.#kind, made) : [];
      return made.map((output, at) => {
        const result = graph.op("Identity", [output], {}, "output").output;
        const mask = masks[at];
        if (mask) args.masks.set(result, mask);
        return result;
      });
    });
  }

  #weights(values: WeightValues): LayerWeights {
    const decl = (name: string) => this.#decls.get(name);
    return {
      made: this.#made,
      value: (name) => {
        const found = decl(name);
        return found && values(this.#placesOf(found));
      },
      isTrainable: (name) => {
        const found = decl(name);
        return found !== undefined && this.#isTrained(found);
      },
    };
  }

  #placesOf({ at }: WeightDecl): readonly string[] {
    return at.map((path) => `${this.#folder}${path}`);
  }

  #isTrained({ trainable }: WeightDecl): boolean {
    return trainable && this.#isTrainable;
  }
}

function isOperator({ module }: LayerNode): boolean {
  return module?.startsWith("keras.src.ops") ?? false;
}

function callKey(layer: string, call: number): string {
  return `${call}/${layer}`;
}

/** As Keras names the folders of layers in a file: "batch_normalization". */
export function snakeCase(className: string): string {
  return className
    .replace(/\W+/g, "")
    .replace(/(.)([A-Z][a-z]+)/g, "$1_$2")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
}

/** "dense", then "dense_1". */
function numbered(names: Map<string, number>, name: string): string {
  const count = names.get(name);
  names.set(name, (count ?? -1) + 1);
  return count === undefined ? name : `${name}_${count + 1}`;
}

/** A layer's name as one that TensorFlow takes. */
function scopeName(layer: string): string {
  const name = layer.replace(/[^A-Za-z0-9_.\\-]/g, "_");
  return /^[A-Za-z0-9.]/.test(name) ? name : `layer${name}`;
}

function refsOf(call: LayerCallConfig): readonly TensorRef[] {
  return [...call.args, ...call.named.values()].flatMap(refsOfArgument);
}

function refsOfArgument(argument: Argument): readonly TensorRef[] {
  if (argument.kind === "tensor") return [argument.ref];
  return argument.kind === "list" ? argument.items.flatMap(refsOfArgument) : [];
}

function argumentsOf(
  call: LayerCallConfig,
  find: (ref: TensorRef) => Output | undefined,
  masks: Masks,
): Arguments {
  const tensors = (argument: Argument) => refsOfArgument(argument).flatMap((ref) => find(ref) ?? []);
  const floats = new Set<number>();
  const operands: (Output | number)[] = [];
  for (const argument of call.args) {
    if (argument.kind !== "value") operands.push(...tensors(argument));
    else if (argument.value instanceof WholeFloat) {
      floats.add(operands.length);
      operands.push(argument.value.value);
    } else if (typeof argument.value === "number") operands.push(argument.value);
  }
  const named = [...call.named].map(([name, argument]) => [name, tensors(argument)] as const);
  return {
    operands,
    floats,
    inputs: operands.filter((operand) => typeof operand !== "number"),
    named: new Map(named.filter(([, outputs]) => outputs.length > 0)),
    values: new Map(
      [...call.named].flatMap(([name, argument]) =>
        argument.kind === "value" ? [[name, argument.value] as const] : [],
      ),
    ),
    masks,
  };
}

/** The dtype of a layer: a name, or a policy that has one. */
function policyOf(config: LayerConfig): string {
  const value = config.raw("dtype") ?? "float32";
  if (typeof value === "string") return value;
  const inner: unknown = typeof value === "object" ? Reflect.get(value ?? {}, "config") : undefined;
  const name: unknown = typeof inner === "object" && inner !== null ? Reflect.get(inner, "name") : undefined;
  if (typeof name === "string") return name;
  throw config.invalid("dtype");
}

/** A mixed policy keeps its weights in float32, in which the model computes here. */
function requireFloat32(config: LayerConfig): void {
  const policy = policyOf(config);
  if (!/^(float32|mixed_\w+|int32|int64)$/.test(policy)) throw config.unsupported(`computes in ${policy}`);
}

function dtypeOf(config: LayerConfig): DType {
  const policy = policyOf(config);
  const dtype = policy.startsWith("mixed_") ? "float32" : policy;
  if (isDType(dtype) && /^(float32|u?int\d+|bool)$/.test(dtype)) return dtype;
  throw config.unsupported(`takes ${policy}`);
}

function shapeOf(config: LayerConfig): readonly number[] {
  const given = config.raw("batch_shape") ?? config.raw("batch_input_shape");
  if (Array.isArray(given) && given.every((size) => size === null || (Number.isInteger(size) && size >= 0))) {
    // Keras, too, takes any number of examples, whichever the model was built with.
    return given.map((size: number | null, axis) => (axis === 0 ? -1 : (size ?? -1)));
  }
  throw invalidArgument(
    `${config.title} has no shape: the model was saved before it was built. Call it once in Keras and save it again.`,
  );
}
