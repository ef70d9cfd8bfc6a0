/** The configuration of a model, as Keras 2 and 3 write it, in one form. */
import { z } from "zod";
import { invalidArgument, unimplemented } from "../../protocol/status.js";
import { LayerConfig } from "./layer-config.js";

/** An output of a call of a layer. */
export interface TensorRef {
  readonly layer: string;
  readonly call: number;
  readonly output: number;
  /** Where a layer of Keras 3 takes it. */
  readonly dtype?: string | undefined;
}

export type Argument =
  | { readonly kind: "tensor"; readonly ref: TensorRef }
  | { readonly kind: "list"; readonly items: readonly Argument[] }
  | { readonly kind: "value"; readonly value: unknown };

export interface LayerCallConfig {
  readonly args: readonly Argument[];
  readonly named: ReadonlyMap<string, Argument>;
}

export interface LayerNode {
  readonly config: LayerConfig;
  /** Where Keras has the class; undefined for layers in HDF5 files. */
  readonly module: string | undefined;
  /** True for a class that the program that wrote the file defines. */
  readonly isCustom: boolean;
  readonly isTrainable: boolean;
  /** If the layer is a model itself. */
  readonly model: ModelConfig | undefined;
  readonly calls: readonly LayerCallConfig[];
}

export interface ModelConfig {
  readonly name: string;
  readonly layers: readonly LayerNode[];
  readonly inputs: readonly TensorRef[];
  readonly outputs: readonly TensorRef[];
}

const MODEL_CLASSES: ReadonlySet<string> = new Set(["Sequential", "Functional", "Model"]);
/** Deeper than anybody nests models. */
const MAX_DEPTH = 16;
const MAX_LAYERS = 20_000;

const configSchema = z.record(z.string(), z.unknown());
const serializedSchema = z.object({
  class_name: z.string(),
  config: configSchema,
  module: z.string().nullish(),
  registered_name: z.string().nullish(),
  name: z.string().optional(),
  inbound_nodes: z.array(z.unknown()).optional(),
});
type Serialized = z.infer<typeof serializedSchema>;

const modelSchema = z.object({ class_name: z.string(), config: configSchema });
const layersSchema = z.object({ name: z.string(), layers: z.array(serializedSchema).max(MAX_LAYERS) });
const historySchema = z.tuple([z.string(), z.number().int().min(0), z.number().int().min(0)]);
const kerasTensorSchema = z.object({
  class_name: z.literal("__keras_tensor__"),
  config: z.object({ keras_history: historySchema, dtype: z.string().optional() }),
});
const callSchema = z.object({ args: z.array(z.unknown()), kwargs: z.record(z.string(), z.unknown()) });
/** The form of Keras 2: the layer, its call, the output, and the call's other arguments. */
const oldInputSchema = z.tuple([
  z.string(),
  z.number().int().min(0),
  z.number().int().min(0),
  z.record(z.string(), z.unknown()).optional(),
]);

/**
 * @param config parsed JSON
 * @param kerasVersion of the Keras that wrote it, 2 or 3
 * @throws TensorFlowError INVALID_ARGUMENT if it is no configuration; UNIMPLEMENTED for a model of another kind
 */
export function readModelConfig(config: unknown, kerasVersion: number): ModelConfig {
  const model = modelSchema.safeParse(config);
  if (!model.success) throw damaged("it names no class of models");
  const { class_name: className } = model.data;
  if (!MODEL_CLASSES.has(className)) {
    throw unimplemented(
      `The model is of the class ${className}, which a program defines itself. Tensordeck opens Sequential and ` +
        "Functional models; export this one from Keras as a SavedModel, model.export(folder), and open that.",
    );
  }
  return new Reader(kerasVersion).model(className, model.data.config, 0);
}

function damaged(how: string): Error {
  return invalidArgument(`The model's configuration is damaged: ${how}.`);
}

class Reader {
  readonly #kerasVersion: number;

  constructor(kerasVersion: number) {
    this.#kerasVersion = kerasVersion;
  }

  model(className: string, config: Readonly<Record<string, unknown>>, depth: number): ModelConfig {
    if (depth > MAX_DEPTH) throw damaged(`its models are nested more than ${MAX_DEPTH} deep`);
    const parsed = layersSchema.safeParse(config);
    if (!parsed.success) throw damaged("it lists no layers");
    const { name, layers } = parsed.data;
    return className === "Sequential"
      ? this.#sequential(name, layers, config.build_input_shape, depth)
      : this.#functional(name, layers, config, depth);
  }

  #functional(
    name: string,
    layers: readonly Serialized[],
    config: Readonly<Record<string, unknown>>,
    depth: number,
  ): ModelConfig {
    return {
      name,
      layers: layers.map((layer) => this.#layer(layer, (layer.inbound_nodes ?? []).map(callOf), depth)),
      inputs: refsIn(config.input_layers),
      outputs: refsIn(config.output_layers),
    };
  }

  /** As a model in which each layer takes the result of the one before. */
  #sequential(name: string, layers: readonly Serialized[], shape: unknown, depth: number): ModelConfig {
    const [first] = layers;
    const hasInput = first?.class_name === "InputLayer";
    const batchShape = shape ?? first?.config.batch_input_shape;
    const own: Serialized = {
      class_name: "InputLayer",
      config: { name: `${name}_input`, batch_shape: batchShape, dtype: first?.config.dtype },
    };
    const all = hasInput ? layers : [own, ...layers];
    let before: TensorRef | undefined;
    const nodes = all.map((layer) => {
      const args: Argument[] = before ? [{ kind: "tensor", ref: before }] : [];
      const node = this.#layer(layer, before ? [{ args, named: new Map() }] : [], depth);
      before = { layer: node.config.name, call: 0, output: 0 };
      return node;
    });
    const start = nodes[0]?.config.name ?? name;
    return {
      name,
      layers: nodes,
      inputs: [{ layer: start, call: 0, output: 0 }],
      outputs: before ? [before] : [],
    };
  }

  /** HDF5 files name no modules. Layers of Keras 3 have a dtype there, and its operators do not. */
  #moduleOf(className: string, config: Readonly<Record<string, unknown>>): string | undefined {
    const isLayer = this.#kerasVersion < 3 || "dtype" in config || "trainable" in config;
    return isLayer || MODEL_CLASSES.has(className) ? undefined : "keras.src.ops";
  }

  #layer(layer: Serialized, calls: readonly LayerCallConfig[], depth: number): LayerNode {
    const { class_name: className, config, module, registered_name: registered } = layer;
    const name = typeof config.name === "string" ? config.name : layer.name;
    if (name === undefined) throw damaged(`a layer of the class ${className} has no name`);
    const isModel = MODEL_CLASSES.has(className);
    return {
      config: new LayerConfig(className, name, config, this.#kerasVersion),
      module: module ?? this.#moduleOf(className, config),
      isCustom:
        (registered?.includes(">") ?? false) ||
        (module !== undefined && module !== null && !/^(keras|tensorflow\.keras)(\.|$)/.test(module)),
      isTrainable: config.trainable !== false,
      model: isModel ? this.model(className, config, depth + 1) : undefined,
      calls,
    };
  }
}

function refOf([layer, call, output]: readonly [string, number, number, ...unknown[]]): TensorRef {
  return { layer, call, output };
}

/** The outputs in a structure of ["layer", call, output], of any form. */
function refsIn(structure: unknown): readonly TensorRef[] {
  const single = historySchema.safeParse(structure);
  if (single.success) return [refOf(single.data)];
  if (Array.isArray(structure)) return structure.flatMap(refsIn);
  if (typeof structure === "object" && structure !== null) return Object.values(structure).flatMap(refsIn);
  throw damaged("its inputs or outputs are no tensors of layers");
}

function callOf(node: unknown): LayerCallConfig {
  const call = callSchema.safeParse(node);
  if (call.success) {
    const named = Object.entries(call.data.kwargs).map(([name, value]) => [name, argumentOf(value)] as const);
    return { args: call.data.args.map(argumentOf), named: new Map(named) };
  }
  if (!Array.isArray(node)) throw damaged("a layer is called with no list of arguments");
  // A list of inputs; a single one stands alone in files of nested models.
  const inputs = (typeof node[0] === "string" ? [node] : node).map((item: unknown) => {
    const input = oldInputSchema.safeParse(item);
    if (!input.success) throw damaged("a layer is called with something that is no tensor");
    return input.data;
  });
  const more = inputs[0]?.[3] ?? {};
  return {
    args: inputs.map((input) => ({ kind: "tensor", ref: refOf(input) })),
    named: new Map(Object.entries(more).map(([name, value]) => [name, oldArgumentOf(value)])),
  };
}

function argumentOf(value: unknown): Argument {
  const tensor = kerasTensorSchema.safeParse(value);
  if (tensor.success) {
    const { keras_history: history, dtype } = tensor.data.config;
    return { kind: "tensor", ref: { ...refOf(history), dtype } };
  }
  if (Array.isArray(value)) return { kind: "list", items: value.map(argumentOf) };
  return { kind: "value", value };
}

function oldArgumentOf(value: unknown): Argument {
  const tensor = historySchema.safeParse(value);
  return tensor.success ? { kind: "tensor", ref: refOf(tensor.data) } : { kind: "value", value };
}
