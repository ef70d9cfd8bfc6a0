/** Layers that normalize, by statistics that were learned or those of each example, and those that scale. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import { Tensor } from "../../../protocol/tensor.js";
import { type KerasLayer, type LayerCall, ownWeights } from "../layer-call.js";
import type { LayerConfig } from "../layer-config.js";

/** The dimensions that a setting names, from the first. */
function axesOf(layer: LayerCall, otherwise: readonly number[]): readonly number[] {
  const rank = layer.input.shape?.length ?? 0;
  const axes = layer.config.has("axis") ? layer.config.ints("axis") : otherwise;
  if (axes.some((axis) => axis < -rank || axis >= rank)) throw layer.config.invalid("axis");
  return axes.map((axis) => (axis < 0 ? axis + rank : axis)).sort((a, b) => a - b);
}

/** Values of some dimensions, in a shape that suits all of the input's. */
function alongside(layer: LayerCall, values: Output, axes: readonly number[]): Output {
  const rank = layer.input.shape?.length ?? 0;
  if (axes.every((axis, at) => axis === rank - axes.length + at)) return values;
  const shape = Array.from({ length: rank }, (_, axis) =>
    axes.includes(axis) ? layer.size(layer.input, axis) : 1,
  );
  return layer.op("Reshape", [values, layer.ints(shape, "shape")]);
}

const scaleAndCenter = (config: LayerConfig) => [
  ...(config.flag("scale", true) ? ["gamma"] : []),
  ...(config.flag("center", true) ? ["beta"] : []),
];

const batchNormalization: KerasLayer = {
  weights: (config) => ownWeights(scaleAndCenter(config), ["moving_mean", "moving_variance"]),
  call(layer) {
    const { input, config } = layer;
    const axes = axesOf(layer, [-1]);
    const [axis = 0] = axes;
    const channels = layer.size(input, axis);
    const given = scaleAndCenter(config);
    const weight = (name: string) => layer.weight(name, [channels]);
    const learned = (name: string) => (given.includes(name) ? weight(name) : undefined);
    const [gamma, beta] = [learned("gamma"), learned("beta")];
    const [mean, variance] = [weight("moving_mean"), weight("moving_variance")];
    const epsilon = config.number("epsilon", 1e-3);
    if (input.shape?.length === 4 && axis === 3) {
      const all = (value: number, name: string) =>
        constant(layer.graph, Tensor.of(value, "float32", [channels]), { name });
      return layer.op(
        "FusedBatchNormV3",
        [input, gamma ?? all(1, "ones"), beta ?? all(0, "zeros"), mean, variance],
        { epsilon, is_training: false },
      );
    }
    const place = (values: Output) => alongside(layer, values, axes);
    return layer.normalize(input, {
      ...{ mean: place(mean), variance: place(variance), epsilon },
      ...{ gamma: gamma && place(gamma), beta: beta && place(beta) },
    });
  },
};

const layerNormalization: KerasLayer = {
  weights: (config) => ownWeights(scaleAndCenter(config)),
  call(layer) {
    const { input, config } = layer;
    if (config.flag("rms_scaling")) throw config.unsupported("scales by the root of the mean square");
    const axes = axesOf(layer, [-1]);
    const given = scaleAndCenter(config);
    const shape = axes.map((axis) => layer.size(input, axis));
    const learned = (name: string) =>
      given.includes(name) ? alongside(layer, layer.weight(name, shape), axes) : undefined;
    const [gamma, beta] = [learned("gamma"), learned("beta")];
    const epsilon = config.number("epsilon", 1e-3);
    return layer.normalize(input, { ...layer.moments(input, axes), gamma, beta, epsilon });
  },
};

/** Nested lists of numbers, or one number, as a tensor. */
function numbers(config: LayerConfig, key: string): Tensor {
  const value = config.raw(key);
  const flat: unknown[] = Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
  if (!flat.every((item): item is number => typeof item === "number")) throw config.invalid(key);
  const shape = Array.isArray(value) ? [flat.length] : [];
  return Tensor.of(flat, "float32", shape);
}

const normalization: KerasLayer = {
  // Keras also counts what the layer was adapted to.
  weights: (config) => (config.has("mean") ? [] : ownWeights([], ["mean", "variance", "count"])),
  call(layer) {
    const { input, config } = layer;
    if (config.flag("invert")) throw config.unsupported("is inverted");
    const axes = config.raw("axis") === null ? [] : axesOf(layer, [-1]);
    const shape = axes.map((axis) => layer.size(input, axis));
    const value = (name: string): Output => {
      if (!config.has("mean")) return alongside(layer, layer.weight(name, shape), axes);
      const given = numbers(config, name);
      const isWhole = given.size === elementsOfShape(shape);
      const constants = constant(layer.graph, isWhole ? given.reshape(shape) : given, { name });
      return isWhole ? alongside(layer, constants, axes) : constants;
    };
    const centred = layer.op("Sub", [input, value("mean")]);
    // As Keras has it, for a variance of zero.
    const deviation = layer.op("Maximum", [
      layer.op("Sqrt", [value("variance")]),
      layer.scalar(1e-7, "least"),
    ]);
    return layer.op("RealDiv", [centred, deviation]);
  },
};

const rescaling: KerasLayer = {
  call(layer) {
    const { input, config } = layer;
    const floats = input.dtype === "float32" ? input : layer.op("Cast", [input], { DstT: "float32" });
    const scale = constant(layer.graph, numbers(config, "scale"), { name: "scale" });
    const scaled = layer.op("Mul", [floats, scale]);
    if (!config.has("offset")) return scaled;
    return layer.op("AddV2", [scaled, constant(layer.graph, numbers(config, "offset"), { name: "offset" })]);
  },
};

export const NORMALIZATION_LAYERS: Readonly<Record<string, KerasLayer>> = {
  BatchNormalization: batchNormalization,
  LayerNormalization: layerNormalization,
  Normalization: normalization,
  Rescaling: rescaling,
};
