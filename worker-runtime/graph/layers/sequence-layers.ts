/** Layers of sequences [batch, time, features]. */
import { Tensor } from "../../protocol/tensor.js";
import type { Output } from "../operation.js";
import { attend } from "./attention.js";
import type { LayerBuilder, LayerField, LayerSpec } from "./layer.js";
import { type Cell, gruCell, lstmCell, overTime, SEQUENCES } from "./recurrence.js";

const UNITS: LayerField = { name: "units", label: "Units", kind: "int", initial: 64, min: 1 };
const WHOLE: LayerField = { name: "sequences", label: "Result of every step", kind: "flag", initial: false };

/** The result of every step, or of the last one. */
function resultOf(layer: LayerBuilder, input: Output, states: number, cell: Cell): Output {
  const recurrence = overTime(layer, input, { states, units: layer.number("units") }, cell);
  return layer.flag("sequences") ? recurrence.results() : (recurrence.states[0] ?? input);
}

export const lstm: LayerSpec = {
  name: "LSTM",
  description:
    "Reads a sequence with gates and a memory; its result is the last state, or that of every step.",
  fields: [UNITS, WHOLE],
  build(layer, input) {
    layer.requireRank(input, 3, SEQUENCES);
    const [size, units] = [layer.size(input, -1), layer.number("units")];
    const kernel = layer.weights("kernel", [size, 4 * units], size, 4 * units);
    const recurrent = layer.recurrentWeights("recurrent_kernel", units, 4);
    // The gates of input, forgetting, the candidate and output; what is known is not forgotten at first.
    const first = Float32Array.from({ length: 4 * units }, (_, at) => (Math.floor(at / units) === 1 ? 1 : 0));
    const bias = layer.given("bias", Tensor.of(first, "float32", [4 * units]));
    return resultOf(layer, input, 2, lstmCell(layer, { kernel, recurrent, bias }));
  },
};

export const gru: LayerSpec = {
  name: "GRU",
  description: "Reads a sequence with two gates; its result is the last state, or that of every step.",
  fields: [UNITS, WHOLE],
  build(layer, input) {
    layer.requireRank(input, 3, SEQUENCES);
    const [size, units] = [layer.size(input, -1), layer.number("units")];
    const kernel = layer.weights("kernel", [size, 3 * units], size, 3 * units);
    const recurrent = layer.recurrentWeights("recurrent_kernel", units, 3);
    const bias = layer.filled("bias", [2, 3 * units], 0);
    return resultOf(layer, input, 1, gruCell(layer, units, { kernel, recurrent, bias, resetAfter: true }));
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
    const mixed = attend(layer, { query, key, value, size });
    const kernel = layer.weights("output/kernel", [heads, size, features], all, features);
    const bias = layer.filled("output/bias", [features], 0);
    const result = layer.op("AddV2", [layer.einsum("abcd,cde->abe", mixed, kernel), bias]);
    return layer.shaped(result, input.shape ?? []);
  },
};
