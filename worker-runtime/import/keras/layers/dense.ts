/** Layers of vectors, and those that work on each element by itself. */
import type { Output } from "../../../graph/operation.js";
import { activationOf, leakyRelu, softmaxAlong } from "../activations.js";
import { type KerasLayer, kernelAndBias, type LayerCall, ownWeights } from "../layer-call.js";

const dense: KerasLayer = {
  weights: kernelAndBias,
  call(layer) {
    const { config } = layer;
    const input = layer.cast(layer.input, "float32");
    const units = config.int("units");
    const size = layer.size(input, -1);
    const kernel = layer.weight("kernel", [size, units]);
    const rank = input.shape?.length ?? 2;
    if (rank <= 2) return layer.finish(layer.op("MatMul", [input, kernel]), units);
    const letters = "abcdefgh".slice(0, rank - 1);
    const sums = layer.einsum(`${letters}y,yz->${letters}z`, input, kernel);
    return layer.finish(layer.shaped(sums, [...(input.shape ?? []).slice(0, -1), units]), units);
  },
};

const embedding: KerasLayer = {
  weights: () => ownWeights(["embeddings"]),
  call(layer) {
    const { input, config } = layer;
    const [vocabulary, size] = [config.int("input_dim"), config.int("output_dim")];
    const vectors = layer.weight("embeddings", [vocabulary, size]);
    const numbers = input.dtype === "float32" ? layer.op("Cast", [input], { DstT: "int32" }) : input;
    layer.requireIntegers(numbers);
    const found = layer.op("GatherV2", [vectors, numbers, layer.ints(0, "axis")]);
    return input.shape ? layer.shaped(found, [...input.shape, size]) : found;
  },
  masks(layer) {
    if (!layer.config.flag("mask_zero")) return [];
    const { input } = layer;
    const zero = layer.op("Cast", [layer.ints(0, "zero")], { DstT: input.dtype });
    return [layer.op("NotEqual", [input, zero], {}, "mask")];
  },
};

/** Steps whose features all have one value do not count, and become 0. */
const masking: KerasLayer = {
  call(layer) {
    const counts = layer.op("ExpandDims", [countingSteps(layer), layer.ints(-1, "last_axis")]);
    return layer.op("Mul", [layer.input, layer.op("Cast", [counts], { DstT: "float32" })]);
  },
  masks: (layer) => [countingSteps(layer)],
};

function countingSteps(layer: LayerCall): Output {
  const value = layer.scalar(layer.config.number("mask_value", 0), "mask_value");
  return layer.op("Any", [layer.op("NotEqual", [layer.input, value]), layer.ints([-1], "features")]);
}

/** Layers that do something in training alone. */
const unchanged: KerasLayer = { call: (layer) => layer.input };

function relu(layer: LayerCall): Output {
  const { input, config } = layer;
  const slope = config.number("negative_slope", 0);
  const threshold = config.number("threshold", 0);
  const isBounded = config.has("max_value");
  if (threshold !== 0) throw config.unsupported("has a threshold");
  if (isBounded && config.number("max_value") === 6 && slope === 0) return layer.op("Relu6", [input]);
  const positive = slope === 0 ? layer.op("Relu", [input]) : leakyRelu(slope)(layer, input);
  if (!isBounded) return positive;
  return layer.op("Minimum", [positive, layer.scalar(config.number("max_value"), "max_value")]);
}

const prelu: KerasLayer = {
  weights: () => ownWeights(["alpha"]),
  call(layer) {
    const { input, config } = layer;
    const shared = config.has("shared_axes") ? config.ints("shared_axes") : [];
    const rank = input.shape?.length ?? 0;
    const shape = Array.from({ length: rank - 1 }, (_, at) =>
      shared.includes(at + 1) ? 1 : layer.size(input, at + 1),
    );
    const negative = layer.op("Neg", [layer.op("Relu", [layer.op("Neg", [input])])]);
    const scaled = layer.op("Mul", [layer.weight("alpha", shape), negative]);
    return layer.op("AddV2", [layer.op("Relu", [input]), scaled]);
  },
};

export const DENSE_LAYERS: Readonly<Record<string, KerasLayer>> = {
  Dense: dense,
  Embedding: embedding,
  Masking: masking,
  Activation: { call: (layer) => activationOf(layer.config)(layer, layer.input) },
  ReLU: { call: relu },
  LeakyReLU: {
    call(layer) {
      // Keras 2 called it alpha.
      const slope = layer.config.number("negative_slope", layer.config.number("alpha", 0.3));
      return leakyRelu(slope)(layer, layer.input);
    },
  },
  ELU: {
    call(layer) {
      if (layer.config.number("alpha", 1) !== 1) throw layer.config.unsupported("has an alpha other than 1");
      return layer.op("Elu", [layer.input]);
    },
  },
  PReLU: prelu,
  Softmax: {
    call(layer) {
      if (layer.mask) throw layer.config.unsupported("takes masked steps");
      return softmaxAlong(layer.config.int("axis", -1))(layer, layer.input);
    },
  },
  Identity: unchanged,
  Dropout: unchanged,
  AlphaDropout: unchanged,
  SpatialDropout1D: unchanged,
  SpatialDropout2D: unchanged,
  GaussianDropout: unchanged,
  GaussianNoise: unchanged,
  ActivityRegularization: unchanged,
};
