/**
 * Masks, as Keras passes them on beside the tensors of sequences: which steps [batch, time] count. Layers that make one,
 * and what becomes of it in the others.
 */
import type { Output } from "../../graph/operation.js";
import type { KerasLayer, LayerCall } from "./layer-call.js";

/** Layers whose results are masked as their first input is. */
const PASSING = new RegExp(
  "^(Dense|Activation|ReLU|LeakyReLU|ELU|PReLU|Identity|Dropout|AlphaDropout|SpatialDropout1D|GaussianDropout|" +
    "GaussianNoise|ActivityRegularization|BatchNormalization|LayerNormalization|Normalization|Rescaling|" +
    "TimeDistributed)$",
);
const MERGING = /^(Add|Subtract|Multiply|Average|Maximum|Minimum)$/;

/** The masks of a layer's results; undefined for one whose steps all count. */
export function masksAfter(
  layer: LayerCall,
  kind: KerasLayer,
  results: readonly Output[],
): readonly (Output | undefined)[] {
  const { className } = layer.config;
  if (kind.masks) return kind.masks(layer, results);
  if (PASSING.test(className)) return results.map(() => layer.maskOf(layer.input));
  if (MERGING.test(className)) return [joinedMask(layer)];
  // Keras drops the mask.
  return results.map(() => undefined);
}

/** Steps count that do in any of the inputs, if all of them have masks. */
function joinedMask(layer: LayerCall): Output | undefined {
  const masks = layer.args.inputs.map((input) => layer.maskOf(input));
  return masks.reduce((all, mask) => (all && mask ? layer.op("LogicalOr", [all, mask]) : undefined));
}

/** The mask of inputs side by side, as `joinedMask`; for inputs one after the other, their masks one after the other. */
export function concatenatedMask(layer: LayerCall, axis: number): Output | undefined {
  const { inputs } = layer.args;
  const masks = inputs.map((input) => layer.maskOf(input));
  const rank = layer.input.shape?.length ?? 0;
  if (masks.every((mask) => mask === undefined)) return undefined;
  if ((axis + rank) % rank === rank - 1) return joinedMask(layer);
  const all = inputs.map((input, at) => masks[at] ?? allSteps(layer, input));
  return layer.op("ConcatV2", [all, layer.ints(axis, "mask_axis")]);
}

function allSteps(layer: LayerCall, input: Output): Output {
  const sizes = layer.op("Slice", [
    layer.op("Shape", [input]),
    layer.ints([0], "begin"),
    layer.ints([2], "count"),
  ]);
  return layer.op("Cast", [layer.op("Fill", [sizes, layer.scalar(1, "counts")])], { DstT: "bool" });
}

/** 1 for steps that count and 0 for others, [batch, time, 1]. */
export function weightsOfSteps(layer: LayerCall, mask: Output): Output {
  const steps = layer.op("ExpandDims", [mask, layer.ints(-1, "last_axis")]);
  return layer.op("Cast", [steps], { DstT: "float32" });
}
