/** The layers of Keras that can be opened, by their classes. */

import type { Output } from "../../../graph/operation.js";
import { invalidArgument } from "../../../protocol/status.js";
import { type KerasLayer, type LayerCall, within } from "../layer-call.js";
import type { LayerConfig } from "../layer-config.js";
import { DENSE_LAYERS } from "./dense.js";
import { IMAGE_LAYERS } from "./image.js";
import { MERGING_LAYERS, OPERATORS } from "./merging.js";
import { NORMALIZATION_LAYERS } from "./normalization.js";
import { RESHAPING_LAYERS } from "./reshaping.js";
import { SEQUENCE_LAYERS } from "./sequence.js";

const SIMPLE_LAYERS: ReadonlyMap<string, KerasLayer> = new Map(
  Object.entries({
    ...DENSE_LAYERS,
    ...IMAGE_LAYERS,
    ...MERGING_LAYERS,
    ...NORMALIZATION_LAYERS,
    ...RESHAPING_LAYERS,
    ...SEQUENCE_LAYERS,
  }),
);

/** A layer that is applied to each step of a sequence: to all steps of all sequences as one batch. */
const timeDistributed: KerasLayer = {
  weights: (config) => {
    const inner = config.inner("layer");
    return within(["layer"], "", simpleLayer(config, inner).weights?.(inner) ?? []);
  },
  call(layer) {
    const { config, input } = layer;
    const inner = config.inner("layer");
    const [batch = -1, steps = -1, ...rest] = input.shape ?? [];
    if (rest.some((size) => size < 0)) throw config.unsupported("takes steps of unknown size");
    const merged = layer.op("Reshape", [input, layer.ints([-1, ...rest], "steps")]);
    const made = simpleLayer(config, inner).call(layer.inner(inner, [merged]));
    const result = Array.isArray(made) ? made[0] : made;
    return apart(layer, result, [batch, steps]);
  },
};

/** The steps as sequences again. */
function apart(layer: LayerCall, result: Output, [batch, steps]: readonly [number, number]): Output {
  const rest = (result.shape ?? []).slice(1);
  if (rest.some((size) => size < 0)) {
    throw invalidArgument(`${layer.layer} makes steps of unknown size, so its result has no shape.`);
  }
  if (steps >= 0 || batch >= 0) {
    return layer.op("Reshape", [result, layer.ints([steps < 0 ? batch : -1, steps, ...rest], "sequences")]);
  }
  const sizes = layer.op("Slice", [
    layer.op("Shape", [layer.input]),
    layer.ints([0], "begin"),
    layer.ints([2], "count"),
  ]);
  const shape = layer.op("ConcatV2", [[sizes, layer.ints(rest, "rest")], layer.ints(0, "axis")]);
  return layer.op("Reshape", [result, shape]);
}

function simpleLayer(outer: LayerConfig, inner: LayerConfig): KerasLayer {
  const found = SIMPLE_LAYERS.get(inner.className);
  if (found) return found;
  throw outer.unsupported(`is of a ${inner.className}`);
}

/**
 * The layer of a class.
 *
 * @param module where Keras has it; undefined in HDF5 files
 * @throws TensorFlowError UNIMPLEMENTED that names the layer and says what to do
 */
export function kerasLayer(config: LayerConfig, module: string | undefined, isCustom: boolean): KerasLayer {
  const { className } = config;
  if (isCustom) throw config.unsupported("is of a class that a program defines itself");
  if (className === "Lambda") throw config.unsupported("is Python code");
  if (className === "TimeDistributed") return timeDistributed;
  const found = module?.startsWith("keras.src.ops") ? OPERATORS[className] : SIMPLE_LAYERS.get(className);
  if (found) return found;
  throw config.unsupported("is of a kind that is not known here");
}
