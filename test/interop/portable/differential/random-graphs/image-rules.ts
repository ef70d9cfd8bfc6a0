/** Convolutions and what is around them, on images of [rows, height, width, channels]. */
import { type RandomGraph, ROWS, type Value } from "./random-graph.js";

const isImage = ({ shape }: Value): boolean =>
  shape.length === 4 && shape[0] === ROWS && shape.slice(1).every((size) => size > 0);
const isSingle = (value: Value): boolean => isImage(value) && value.dtype === "float32";

function sizeOf({ shape }: Value): readonly [height: number, width: number, channels: number] {
  return [shape[1] ?? 0, shape[2] ?? 0, shape[3] ?? 0];
}

/** A window that fits into images, with strides and padding. */
function windowFor(g: RandomGraph, image: Value, largest: number) {
  const [height, width] = sizeOf(image);
  const stride = g.draw.of([1, 1, 2]);
  const [high, wide] = [g.draw.int(1, Math.min(largest, height)), g.draw.int(1, Math.min(largest, width))];
  return { high, wide, strides: [1, stride, stride, 1], padding: g.draw.of(["SAME", "VALID"]) };
}

/** Often a bias and Relu, which convolutions are fused with. */
function finished(
  g: RandomGraph,
  output: ReturnType<RandomGraph["op"]>,
  channels: number,
  bound: number,
): void {
  const biased = g.draw.chance(60) ? g.op("BiasAdd", [output, g.weights([channels])]) : output;
  g.add(g.draw.chance(60) ? g.op("Relu", [biased]) : biased, bound + 1, undefined);
}

export const imageRules: readonly ((g: RandomGraph) => void)[] = [
  (g) => {
    const x = g.pick(isSingle);
    if (x === undefined) return;
    const [, , channels] = sizeOf(x);
    const filters = g.draw.of([1, 3, 8, 16, 32]);
    const { high, wide, ...attrs } = windowFor(g, x, 3);
    const w = g.weights([high, wide, channels, filters]);
    finished(g, g.op("Conv2D", [x, w], attrs), filters, x.bound * high * wide * channels);
  },
  (g) => {
    const x = g.pick(isSingle);
    if (x === undefined) return;
    const [, , channels] = sizeOf(x);
    const each = g.draw.of([1, 1, 2]);
    const { high, wide, ...attrs } = windowFor(g, x, 3);
    const w = g.weights([high, wide, channels, each]);
    // TensorFlow does not write to the gradient of the filter if there are no images.
    g.needsRows = true;
    finished(g, g.op("DepthwiseConv2dNative", [x, w], attrs), channels * each, x.bound * high * wide);
  },
  (g) => {
    const x = g.pick(isSingle);
    if (x === undefined) return;
    const { high, wide, ...attrs } = windowFor(g, x, 3);
    const op = g.draw.of(["MaxPool", "MaxPool", "AvgPool"]);
    const grid = op === "MaxPool" ? x.grid : undefined;
    g.add(g.op(op, [x], { ...attrs, ksize: [1, high, wide, 1] }), x.bound, grid);
  },
  (g) => {
    const x = g.pick((value) => isSingle(value) && sizeOf(value)[0] > 1);
    if (x === undefined) return;
    const [, , channels] = sizeOf(x);
    const is_training = g.draw.chance(60);
    const ones = g.constant("float32", [channels], "positive");
    // Statistics of no image are NaN, and those of a single pixel are divided by 0.
    if (is_training) g.needsRows = true;
    const moments = is_training ? [[], []] : [g.constant("float32", [channels]), ones];
    const [mean, variance] = moments.map((each) => (Array.isArray(each) ? g.constant("float32", [0]) : each));
    if (mean === undefined || variance === undefined) return;
    const output = g.op(
      "FusedBatchNormV3",
      [x, g.weights([channels]), g.weights([channels]), mean, variance],
      { is_training },
    );
    g.add(output, 16, undefined);
  },
  (g) => {
    const x = g.pick((value) => isImage(value) && value.dtype === g.dtype);
    const [height, width] = x === undefined ? [1, 1] : sizeOf(x);
    if (x === undefined || (height % 2) + (width % 2) > 0) return;
    g.add(g.op("SpaceToDepth", [x], { block_size: 2 }), x.bound, x.grid);
  },
];
