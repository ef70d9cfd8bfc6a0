/** Layers of sequences [batch, time, features]. */
import { Tensor } from "../../protocol/tensor.js";
import type { Output } from "../operation.js";
import { matMul, sigmoid, tanh, whileLoop } from "../ops/index.js";
import type { LayerBuilder, LayerField, LayerSpec } from "./layer.js";

const SEQUENCES = "sequences [batch, time, features]";
const UNITS: LayerField = { name: "units", label: "Units", kind: "int", initial: 64, min: 1 };

/** The state after the last step; `step` computes the next states from the features of one. */
function overTime(
  layer: LayerBuilder,
  input: Output,
  states: number,
  step: (features: Output, states: readonly Output[]) => readonly Output[],
): Output {
  const { graph } = layer;
  const sizes = layer.op("Shape", [input]);
  const axis = layer.ints(0, "axis");
  const [batch, steps] = [0, 1].map((index) =>
    layer.op("GatherV2", [sizes, layer.ints(index, "dimension"), axis]),
  );
  const start = layer.op("Fill", [
    layer.op("Pack", [[batch ?? sizes, layer.ints(layer.number("units"), "units")]]),
    layer.scalar(0, "zero"),
  ]);
  const first = layer.ints(0, "first");
  const timeAxis = layer.ints(1, "time_axis");
  const one = layer.ints(1, "one");
  const [, last = start] = whileLoop(
    graph,
    (time) => layer.op("Less", [time ?? first, steps ?? sizes]),
    (time = first, ...before) => {
      const features = layer.op("GatherV2", [input, time, timeAxis]);
      return [layer.op("AddV2", [time, one]), ...step(features, before)];
    },
    [first, ...Array.from({ length: states }, () => start)],
  );
  return layer.shaped(last, [input.shape?.[0] ?? -1, layer.number("units")]);
}

/** Parts of equal size along the last dimension. */
function parts(layer: LayerBuilder, sums: Output, count: number): readonly Output[] {
  return layer.graph.op("Split", [layer.ints(-1, "last"), sums], { num_split: count }).outputs;
}

export const lstm: LayerSpec = {
  name: "LSTM",
  description: "Reads a sequence with gates and a memory; its result is the last state.",
  fields: [UNITS],
  build(layer, input) {
    layer.requireRank(input, 3, SEQUENCES);
    const [size, units] = [layer.size(input, -1), layer.number("units")];
    const kernel = layer.weights("kernel", [size, 4 * units], size, 4 * units);
    const recurrent = layer.weights("recurrent_kernel", [units, 4 * units], units, 4 * units);
    // The gates of input, forgetting, the candidate and output; what is known is not forgotten at first.
    const first = Float32Array.from({ length: 4 * units }, (_, at) => (Math.floor(at / units) === 1 ? 1 : 0));
    const bias = layer.given("bias", Tensor.of(first, "float32", [4 * units]));
    return overTime(layer, input, 2, (features, [state = features, memory = features]) => {
      const sums = layer.op("AddV2", [matMul(features, kernel), matMul(state, recurrent)]);
      const [i = sums, f = sums, candidate = sums, o = sums] = parts(
        layer,
        layer.op("BiasAdd", [sums, bias]),
        4,
      );
      const kept = layer.op("Mul", [sigmoid(f), memory]);
      const next = layer.op("AddV2", [kept, layer.op("Mul", [sigmoid(i), tanh(candidate)])]);
      return [layer.op("Mul", [sigmoid(o), tanh(next)]), next];
    });
  },
};

export const gru: LayerSpec = {
  name: "GRU",
  description: "Reads a sequence with two gates; its result is the last state.",
  fields: [UNITS],
  build(layer, input) {
    layer.requireRank(input, 3, SEQUENCES);
    const [size, units] = [layer.size(input, -1), layer.number("units")];
    const kernel = layer.weights("kernel", [size, 3 * units], size, 3 * units);
    const recurrent = layer.weights("recurrent_kernel", [units, 3 * units], units, 3 * units);
    // As Keras has it: one bias of the input and one of the state, which is reset after its product.
    const bias = layer.filled("bias", [2, 3 * units], 0);
    const [inputBias = bias, stateBias = bias] = layer.graph.op("Unpack", [bias], { num: 2 }).outputs;
    return overTime(layer, input, 1, (features, [state = features]) => {
      const ofInput = parts(layer, layer.op("BiasAdd", [matMul(features, kernel), inputBias]), 3);
      const ofState = parts(layer, layer.op("BiasAdd", [matMul(state, recurrent), stateBias]), 3);
      const [xz = state, xr = state, xh = state] = ofInput;
      const [hz = state, hr = state, hh = state] = ofState;
      const update = sigmoid(layer.op("AddV2", [xz, hz]));
      const reset = sigmoid(layer.op("AddV2", [xr, hr]));
      const candidate = tanh(layer.op("AddV2", [xh, layer.op("Mul", [reset, hh])]));
      // update · state + (1 − update) · candidate
      return [layer.op("AddV2", [candidate, layer.op("Mul", [update, layer.op("Sub", [state, candidate])])])];
    });
  },
};

export const attention: LayerSpec = {
  name: "MultiHeadAttention",
  description: "Each step of a sequence weighs all others: self-attention with several heads.",
  fields: [
    { name: "heads", label: "Heads", kind: "int", initial: 4, min: 1 },
    { name: "size", label: "Size of a head", kind: "int", initial: 16, min: 1 },
  ],
  build(layer, input) {
    layer.requireRank(input, 3, SEQUENCES);
    const features = layer.size(input, -1);
    const [heads, size] = [layer.number("heads"), layer.number("size")];
    const all = heads * size;
    const projected = (name: string) => {
      const kernel = layer.weights(`${name}/kernel`, [features, heads, size], features, all);
      const bias = layer.filled(`${name}/bias`, [heads, size], 0);
      return layer.op("AddV2", [layer.einsum("abc,cde->abde", input, kernel), bias]);
    };
    const query = projected("query");
    const key = projected("key");
    const value = projected("value");
    const scaled = layer.op("Mul", [query, layer.scalar(1 / Math.sqrt(size), "scale")]);
    const weights = layer.op("Softmax", [layer.einsum("aecd,abcd->acbe", key, scaled)]);
    const mixed = layer.einsum("acbe,aecd->abcd", weights, value);
    const kernel = layer.weights("output/kernel", [heads, size, features], all, features);
    const bias = layer.filled("output/bias", [features], 0);
    const result = layer.op("AddV2", [layer.einsum("abcd,cde->abe", mixed, kernel), bias]);
    return layer.shaped(result, input.shape ?? []);
  },
};
