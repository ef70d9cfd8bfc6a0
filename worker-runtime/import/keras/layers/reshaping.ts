/** Layers that arrange elements anew, and those that add or leave out some at the borders. */
import type { Output } from "../../../graph/operation.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import type { KerasLayer, LayerCall } from "../layer-call.js";
import type { LayerConfig } from "../layer-config.js";

function flatten(layer: LayerCall): Output {
  const { input } = layer;
  layer.config.requireChannelsLast();
  const rest = (input.shape ?? []).slice(1);
  if (rest.every((size) => size >= 0)) {
    return layer.op("Reshape", [input, layer.ints([-1, elementsOfShape(rest)], "shape")]);
  }
  const batch = layer.op("GatherV2", [
    layer.op("Shape", [input]),
    layer.ints([0], "first"),
    layer.ints(0, "axis"),
  ]);
  return layer.op("Reshape", [
    input,
    layer.op("ConcatV2", [[batch, layer.ints([-1], "rest")], layer.ints(0, "axis")]),
  ]);
}

function reshape(layer: LayerCall): Output {
  const { input, config } = layer;
  const target = config.ints("target_shape");
  const known = (input.shape ?? []).slice(1);
  const open = target.filter((size) => size < 0).length;
  if (open === 0) return layer.op("Reshape", [input, layer.ints([-1, ...target], "shape")]);
  if (open > 1 || known.some((size) => size < 0)) {
    throw config.unsupported("takes its target shape from an input of unknown size");
  }
  const others = target.filter((size) => size >= 0).reduce((product, size) => product * size, 1);
  const whole = target.map((size) => (size < 0 ? elementsOfShape(known) / others : size));
  return layer.op("Reshape", [input, layer.ints([-1, ...whole], "shape")]);
}

function repeatVector(layer: LayerCall): Output {
  layer.requireRank(layer.input, 2, "vectors [batch, features]");
  const steps = layer.op("ExpandDims", [layer.input, layer.ints(1, "axis")]);
  return layer.op("Tile", [steps, layer.ints([1, layer.config.int("n"), 1], "multiples")]);
}

/** The padding before and after each dimension: a number, one for each, or both for each. */
function borders(config: LayerConfig, key: string, count: number): readonly (readonly [number, number])[] {
  const value = config.raw(key);
  const pairOf = (item: unknown): readonly [number, number] => {
    const [before, after] = Array.isArray(item) ? item : [item, item];
    if (Number.isInteger(before) && Number.isInteger(after) && before >= 0 && after >= 0)
      return [before, after];
    throw config.invalid(key);
  };
  if (!Array.isArray(value)) return Array.from({ length: count }, () => pairOf(value));
  if (count === 1) return [pairOf(value.length === 1 ? value[0] : value)];
  if (value.length !== count) throw config.invalid(key);
  return value.map(pairOf);
}

function padding(count: number): KerasLayer {
  return {
    call(layer) {
      layer.config.requireChannelsLast();
      const pads = [[0, 0], ...borders(layer.config, "padding", count), [0, 0]];
      return layer.op("Pad", [layer.input, layer.ints(pads.flat(), "paddings", [pads.length, 2])]);
    },
  };
}

function cropping(count: number): KerasLayer {
  return {
    call(layer) {
      layer.config.requireChannelsLast();
      const cuts = borders(layer.config, "cropping", count);
      const begin = [0, ...cuts.map(([before]) => before), 0];
      // Where nothing is cut off, the end of a dimension is not needed.
      const end = [0, ...cuts.map(([, after]) => -after), 0];
      const mask = end.reduce((bits, cut, at) => (cut === 0 ? bits | (1 << at) : bits), 0);
      const step = layer.ints(
        begin.map(() => 1),
        "strides",
      );
      return layer.op(
        "StridedSlice",
        [layer.input, layer.ints(begin, "begin"), layer.ints(end, "end"), step],
        {
          end_mask: mask,
        },
      );
    },
  };
}

function upSampling1d(layer: LayerCall): Output {
  layer.requireRank(layer.input, 3, "sequences [batch, time, features]");
  const [, steps = -1, features] = layer.input.shape ?? [];
  const size = layer.config.int("size", 2);
  const apart = layer.op("ExpandDims", [layer.input, layer.ints(2, "axis")]);
  const tiled = layer.op("Tile", [apart, layer.ints([1, 1, size, 1], "multiples")]);
  if (steps < 0) throw layer.config.unsupported("takes sequences of unknown length");
  return layer.op("Reshape", [tiled, layer.ints([-1, steps * size, features ?? -1], "shape")]);
}

/** Height and width, as a run knows them. */
function sidesOf(layer: LayerCall, images: Output): Output {
  return layer.op("Slice", [layer.op("Shape", [images]), layer.ints([1], "begin"), layer.ints([2], "count")]);
}

function upSampling2d(layer: LayerCall): Output {
  const { input, config } = layer;
  config.requireChannelsLast();
  layer.requireRank(input, 4, "images [batch, height, width, channels]");
  const factors = config.sizes("size", 2, 2);
  const [, height = -1, width = -1] = input.shape ?? [];
  const size =
    height >= 0 && width >= 0
      ? layer.ints([height * (factors[0] ?? 1), width * (factors[1] ?? 1)], "size")
      : layer.op("Mul", [sidesOf(layer, input), layer.ints(factors, "factors")]);
  switch (config.text("interpolation", "nearest")) {
    case "nearest":
      return layer.op("ResizeNearestNeighbor", [input, size]);
    case "bilinear":
      return layer.op("ResizeBilinear", [input, size], { half_pixel_centers: true });
    default:
      throw config.unsupported(`interpolates by "${config.text("interpolation")}"`);
  }
}

export const RESHAPING_LAYERS: Readonly<Record<string, KerasLayer>> = {
  Flatten: { call: flatten },
  Reshape: { call: reshape },
  Permute: {
    call: (layer) =>
      layer.op("Transpose", [layer.input, layer.ints([0, ...layer.config.ints("dims")], "axes")]),
  },
  RepeatVector: { call: repeatVector },
  ZeroPadding1D: padding(1),
  ZeroPadding2D: padding(2),
  Cropping1D: cropping(1),
  Cropping2D: cropping(2),
  UpSampling1D: { call: upSampling1d },
  UpSampling2D: { call: upSampling2d },
};
