/** Limits for gradients, so that a step is never too long. Facts from tensorflow/python/ops/clip_ops.py. */
import { invalidArgument } from "../../protocol/status.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { Output } from "../operation.js";
import { identity, onesLike, stack } from "../ops/array.js";
import { type OpOptions, toTensor } from "../ops/common.js";
import {
  add,
  cast,
  divide,
  greater,
  maximum,
  minimum,
  multiply,
  reduceSum,
  sqrt,
  subtract,
  where,
} from "../ops/math.js";
import { l2Loss } from "../ops/nn.js";
import { mergeShapes } from "../shape.js";
import { type Gradient, IndexedSlices } from "./gradient.js";

/** The elements that a gradient has. */
function valuesOf(gradient: Gradient): Output {
  return gradient instanceof IndexedSlices ? gradient.values : gradient;
}

/** A gradient of the same kind with other elements. */
function withValues<T extends Gradient>(gradient: T, values: Output): T;
function withValues(gradient: Gradient, values: Output): Gradient {
  if (!(gradient instanceof IndexedSlices)) return values;
  return new IndexedSlices(values, gradient.indices, gradient.denseShape);
}

/**
 * Elements below the minimum become the minimum, those above the maximum the maximum.
 * @param min a scalar or a tensor that broadcasts to the shape of x; so is `max`
 * @throws TensorFlowError INVALID_ARGUMENT if the result would have another shape than x
 */
export function clipByValue<T extends Gradient>(
  x: T,
  min: OpValue,
  max: OpValue,
  options: OpOptions = {},
): T {
  const values = valuesOf(x);
  return Graph.of(values).withNameScope(options.name ?? "clip_by_value", (scope) => {
    const clipped = maximum(minimum(values, max), min, { name: scope });
    mergeShapes(values.shape, clipped.shape, `clipByValue of ${values.name}`);
    return withValues(x, clipped);
  });
}

export interface ClipByNormOptions extends OpOptions {
  /** The dimensions over which norms are taken; defaults to all: one norm. */
  readonly axes?: readonly number[] | undefined;
}

/** A tensor whose norm (the root of the sum of squares) is larger than `clipNorm` is scaled to have that norm. */
export function clipByNorm<T extends Gradient>(
  x: T,
  clipNorm: number | Output,
  options: ClipByNormOptions = {},
): T {
  const values = valuesOf(x);
  const graph = Graph.of(values);
  return graph.withNameScope(options.name ?? "clip_by_norm", (scope) => {
    const limit =
      clipNorm instanceof Output
        ? cast(maximum(clipNorm, 0), values.dtype)
        : toTensor(graph, Math.max(clipNorm, 0), "clip_norm", values.dtype);
    const sum = reduceSum(multiply(values, values, { name: "mul" }), options.axes, { keepDims: true });
    // The root of 1 where the sum is 0, since the gradient of the root of 0 is infinite.
    const isPositive = greater(sum, 0);
    const norm = where(isPositive, sqrt(where(isPositive, sum, onesLike(sum))), sum);
    const scaled = divide(multiply(values, limit, { name: "mul" }), maximum(norm, limit));
    return withValues(x, identity(scaled, { name: scope }));
  });
}

/**
 * The norm of several tensors as if they were one: the root of the sum of all squares. Those that are undefined are left out.
 * @throws TensorFlowError INVALID_ARGUMENT if there are none
 */
export function globalNorm(tensors: readonly (Gradient | undefined)[], options: OpOptions = {}): Output {
  const all = tensors.filter((one) => one !== undefined).map(valuesOf);
  const [first] = all;
  if (!first) throw invalidArgument("There is no tensor to take the norm of: all of them are undefined.");
  const graph = Graph.of(first);
  return graph.withNameScope(options.name ?? "global_norm", () => {
    const halves = all.map((values) => graph.withColocation(values, () => l2Loss(values)));
    return sqrt(multiply(reduceSum(stack(halves)), 2, { name: "mul" }), { name: "global_norm" });
  });
}

export interface ClipByGlobalNormOptions extends OpOptions {
  /** The norm of all tensors, if it is computed already. */
  readonly useNorm?: Output | undefined;
}

/**
 * Tensors whose common norm is larger than `clipNorm` are all scaled by one number, so that it is that. A norm that
 * is infinite or no number makes all elements NaN, which shows that something is wrong.
 * @returns the tensors in their order, undefined where they are, and their norm before
 */
export function clipByGlobalNorm<T extends Gradient | undefined>(
  tensors: readonly T[],
  clipNorm: number | Output,
  options: ClipByGlobalNormOptions = {},
): readonly [clipped: readonly T[], norm: Output] {
  const norm = options.useNorm ?? globalNorm(tensors, { name: options.name });
  const graph = Graph.of(norm);
  return graph.withNameScope(options.name ?? "clip_by_global_norm", () => {
    const limit = toTensor(graph, clipNorm, "clip_norm", norm.dtype);
    const finite = multiply(limit, minimum(divide(1, norm), divide(1, limit)), { name: "mul" });
    const scale = add(finite, subtract(norm, norm, { name: "sub" }), { name: "add" });
    const clipped = tensors.map((one, i) => {
      if (one === undefined) return one;
      const values = valuesOf(one);
      return graph.withColocation(values, () => {
        const scaled = multiply(values, cast(scale, values.dtype), { name: "mul" });
        return withValues(one, identity(scaled, { name: `clipped_${i}` }));
      });
    });
    return [clipped, norm];
  });
}
