import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { Operation, Output } from "../operation.js";
import { shapeLabel } from "../shape.js";
import { graphOf, intsOrTensor, intTensor, type OpOptions, toTensor } from "./common.js";

/** The same tensor under another name. */
export function identity(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Identity", [x], {}, options.name ?? "Identity").output;
}

/** The same elements in another shape; one size may be -1 and is inferred. */
export function reshape(x: Output, shape: readonly number[] | Output, options: OpOptions = {}): Output {
  return graphOf(x).op("Reshape", [x, intsOrTensor(shape)], {}, options.name ?? "Reshape").output;
}

/** Stacks tensors of one shape along a new dimension. */
export function stack(values: readonly OpValue[], axis = 0, options: OpOptions = {}): Output {
  return graphOf(values).op("Pack", [values], { axis }, options.name ?? "stack").output;
}

/** Unstacks a tensor along a dimension, which is removed. Its size must be known unless `count` is given. */
export function unstack(
  x: Output,
  axis = 0,
  options: OpOptions & { readonly count?: number | undefined } = {},
): readonly Output[] {
  const count = options.count ?? x.shape?.at(axis) ?? -1;
  if (count < 0) {
    throw invalidArgument(
      `${x.name} has shape ${shapeLabel(x.shape)}: say how many parts it unstacks to (count).`,
    );
  }
  return graphOf(x).op("Unpack", [x], { axis, num: count }, options.name ?? "unstack").outputs;
}

/** Concatenates tensors along an existing dimension. */
export function concat(values: readonly OpValue[], axis: number, options: OpOptions = {}): Output {
  return graphOf(values).op("ConcatV2", [values, intTensor(axis)], {}, options.name ?? "concat").output;
}

/**
 * The parts of a tensor along a dimension: `parts` equal ones, or parts of the given sizes.
 * @param parts a number; a list of sizes; or a tensor of sizes, whose length must be known
 */
export function split(
  x: Output,
  parts: number | readonly number[] | Output,
  axis = 0,
  options: OpOptions = {},
): readonly Output[] {
  const name = options.name ?? "split";
  if (typeof parts === "number") {
    return graphOf(x).op("Split", [intTensor(axis), x], { num_split: parts }, name).outputs;
  }
  const sizes = parts instanceof Output ? parts : toTensor(graphOf(x), intTensor(parts), "Const");
  const count = sizes.shape?.[0] ?? -1;
  if (count < 0) throw invalidArgument(`The number of sizes in ${sizes.name} has to be known.`);
  return graphOf(x).op("SplitV", [x, sizes, intTensor(axis)], { num_split: count }, name).outputs;
}

/** A tensor with one more dimension, of size 1. */
export function expandDims(x: Output, axis: number, options: OpOptions = {}): Output {
  return graphOf(x).op("ExpandDims", [x, intTensor(axis)], {}, options.name ?? "ExpandDims").output;
}

/** A tensor without the given dimensions, or without any, whose size is 1. */
export function squeeze(x: Output, axes: readonly number[] = [], options: OpOptions = {}): Output {
  return graphOf(x).op("Squeeze", [x], { squeeze_dims: axes }, options.name ?? "Squeeze").output;
}

/** Zeros in the shape and dtype of another tensor. */
export function zerosLike(x: Output, options: OpOptions = {}): Output {
  return graphOf(x).op("ZerosLike", [x], {}, options.name ?? "zeros_like").output;
}

/** Ones in the shape and dtype of another tensor. */
export function onesLike(x: Output, options: OpOptions = {}): Output {
  return graphOf(x).op("OnesLike", [x], {}, options.name ?? "ones_like").output;
}

/** Permutes the dimensions of a tensor; the order defaults to reversed. */
export function transpose(x: Output, order?: readonly number[], options: OpOptions = {}): Output {
  const permutation = order ?? x.shape?.map((_, i) => (x.shape?.length ?? 0) - 1 - i);
  if (!permutation)
    throw invalidArgument(`The rank of ${x.name} is not known: give the order of its dimensions.`);
  return graphOf(x).op("Transpose", [x, intTensor(permutation)], {}, options.name ?? "transpose").output;
}

/** The sizes of a tensor's dimensions in a run, int32. */
export function shape(x: Output, options: OpOptions = {}): Output {
  return graphOf(x).op("Shape", [x], { out_type: "int32" }, options.name ?? "Shape").output;
}

/** The number of a tensor's elements in a run, int32. */
export function size(x: Output, options: OpOptions = {}): Output {
  return graphOf(x).op("Size", [x], { out_type: "int32" }, options.name ?? "Size").output;
}

/** The number of a tensor's dimensions in a run, int32. */
export function rank(x: Output, options: OpOptions = {}): Output {
  return graphOf(x).op("Rank", [x], {}, options.name ?? "Rank").output;
}

/** start, start + delta, … below limit, int32. */
export function range(
  graph: Graph,
  start: number | Output,
  limit: number | Output,
  delta = 1,
  options: OpOptions = {},
): Output {
  const int = (value: number | Output) => (value instanceof Output ? value : intTensor(value));
  return graph.op("Range", [int(start), int(limit), intTensor(delta)], {}, options.name ?? "range").output;
}

/** A tensor of one value. */
export function fill(
  graph: Graph,
  dims: readonly number[] | Output,
  value: OpValue,
  options: OpOptions = {},
): Output {
  const element =
    value instanceof Output || value instanceof Operation || value instanceof Tensor
      ? value
      : Tensor.of(value);
  return graph.op("Fill", [intsOrTensor(dims), element], {}, options.name ?? "Fill").output;
}
