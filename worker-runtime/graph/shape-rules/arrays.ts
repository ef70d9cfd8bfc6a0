/** Ops that arrange elements anew: reshape, transpose, join, split, repeat, pad. */
import {
  knownSize,
  mergeShapes,
  partialShapeFromProto,
  type Shape,
  shapeLabel,
  shapeMismatch,
} from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import {
  axisOf,
  constantInt,
  constantInts,
  countFrom,
  forOps,
  intAttr,
  intsAttr,
  misfit,
  nameOf,
  ofRank,
  plus,
  type Rules,
  type ShapeRule,
  sameSize,
  shapeFromInput,
  sizeAt,
  times,
  unknownSizes,
  what,
} from "./rule.js";

const reshape: ShapeRule = (c) => {
  const wanted = shapeFromInput(c, 1);
  const size = knownSize(c.inputShapes[0]);
  if (!wanted || size === undefined) return [wanted];
  const known = wanted.filter((n) => n >= 0).reduce((product, n) => product * n, 1);
  const open = wanted.filter((n) => n < 0).length;
  const fits = open === 0 ? known === size : known === 0 ? size === 0 : size % known === 0;
  if (!fits) {
    throw misfit(
      c,
      `the ${size} elements of shape ${shapeLabel(c.inputShapes[0])} cannot be reshaped to ${shapeLabel(wanted)}.`,
    );
  }
  return [wanted.map((n) => (n < 0 && open === 1 && known !== 0 ? size / known : n))];
};

const squeeze: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  if (!input) return [undefined];
  const axes = intsAttr(c, "squeeze_dims").map((axis) => axisOf(c, axis, input.length));
  if (axes.length === 0) {
    // Sizes that are unknown might be 1.
    return [input.includes(-1) ? undefined : input.filter((size) => size !== 1)];
  }
  for (const axis of axes) {
    if (sizeAt(input, axis) > 1 || sizeAt(input, axis) === 0) {
      throw misfit(c, `size ${axis} of ${shapeLabel(input)} cannot be squeezed, as it is not 1.`);
    }
  }
  return [input.filter((_, i) => !axes.includes(i))];
};

const expandDims: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInt(c, 1);
  if (!input) return [undefined];
  if (axis === undefined) return [undefined];
  return [input.toSpliced(axisOf(c, axis, input.length + 1), 0, 1)];
};

const transpose: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const order = constantInts(c, 1);
  const rank = input?.length ?? sizeAt(c.inputShapes[1], 0);
  if (rank < 0) return [undefined];
  if (!order) {
    const given = c.inputShapes[1]?.[0] ?? -1;
    if (input && given >= 0 && given !== input.length) throw orderMisfit(c, given, input);
    return [unknownSizes(rank)];
  }
  if (input && order.length !== input.length) throw orderMisfit(c, order.length, input);
  return [order.map((axis) => (input ? sizeAt(input, axisOf(c, axis, input.length)) : -1))];
};

function orderMisfit(c: ShapeContext, count: number, input: Shape): Error {
  return misfit(c, `${nameOf(c, 1)} names ${count} dimensions, but ${nameOf(c, 0)} is ${shapeLabel(input)}.`);
}

const pack: ShapeRule = (c) => {
  let element: Shape | undefined;
  for (const shape of c.inputShapes) element = mergeShapes(element, shape, what(c));
  if (!element) return [undefined];
  const axis = axisOf(c, intAttr(c, "axis") ?? 0, element.length + 1);
  return [element.toSpliced(axis, 0, c.inputShapes.length)];
};

const unpack: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  if (!input) return [];
  const axis = axisOf(c, intAttr(c, "axis") ?? 0, input.length);
  const size = input[axis] ?? -1;
  if (size >= 0 && size !== c.outputCount) {
    throw misfit(c, `shape ${shapeLabel(input)} does not unpack to ${c.outputCount} tensors.`);
  }
  return new Array(c.outputCount).fill(input.toSpliced(axis, 1));
};

function concat(axisInput: (count: number) => number, firstPart: number): ShapeRule {
  return (c) => {
    const count = c.inputShapes.length;
    const parts = c.inputShapes.slice(firstPart, firstPart + count - 1);
    const axis = constantInt(c, axisInput(count));
    const known = parts.find((part) => part !== undefined);
    const rank = known?.length;
    if (rank === undefined) return [undefined];
    for (const part of parts) {
      if (part && (part.length !== rank || rank === 0)) throw shapeMismatch(what(c), known, part);
    }
    if (axis === undefined) return [unknownSizes(rank)];
    const at = axisOf(c, axis, rank);
    let merged: Shape | undefined;
    let total = 0;
    for (const part of parts) {
      total = plus(total, sizeAt(part, at));
      merged = mergeShapes(merged, part?.with(at, -1), what(c));
    }
    return [merged?.with(at, total)];
  };
}

const split: ShapeRule = (c) => {
  const input = c.inputShapes[1];
  const axis = constantInt(c, 0);
  if (!input) return [];
  if (axis === undefined) return new Array(c.outputCount).fill(unknownSizes(input.length));
  const at = axisOf(c, axis, input.length);
  const size = sizeAt(input, at);
  if (size >= 0 && size % c.outputCount !== 0) {
    throw misfit(c, `shape ${shapeLabel(input)} does not split into ${c.outputCount} equal parts.`);
  }
  return new Array(c.outputCount).fill(input.with(at, size < 0 ? -1 : size / c.outputCount));
};

const splitV: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInt(c, 2);
  if (!input) return [];
  if (axis === undefined) return new Array(c.outputCount).fill(unknownSizes(input.length));
  const at = axisOf(c, axis, input.length);
  const sizes = constantInts(c, 1);
  const total = sizeAt(input, at);
  if (!sizes) return new Array(c.outputCount).fill(input.with(at, -1));
  const given = sizes.filter((size) => size >= 0).reduce((sum, size) => sum + size, 0);
  const open = sizes.filter((size) => size < 0).length;
  if (total >= 0 && (open === 0 ? given !== total : given > total)) {
    throw misfit(c, `the parts have ${given} together, but size ${at} of ${shapeLabel(input)} is ${total}.`);
  }
  return sizes.map((size) => input.with(at, size >= 0 ? size : total < 0 ? -1 : total - given));
};

const tile: ShapeRule = (c) => {
  const [input, factors] = [c.inputShapes[0], c.knownInts(1)];
  if (!input) return [factors ? unknownSizes(factors.elements.length) : shapeFromInput(c, 1)];
  if (!factors) return [unknownSizes(input.length)];
  if (factors.elements.length !== input.length)
    throw misfit(
      c,
      `${nameOf(c, 1)} has ${factors.elements.length} elements, but the shape is ${shapeLabel(input)}.`,
    );
  return [input.map((size, i) => times(size, factors.elements[i] ?? -1))];
};

/** Rows of how much is added before and after each dimension. */
const pad: ShapeRule = (c) => {
  const paddings = ofRank(c, 1, 2);
  const input = c.inputShapes[0];
  const tensor = c.constantInput(1);
  const rank = input?.length ?? sizeAt(paddings, 0);
  if (input && sizeAt(paddings, 0) >= 0 && sizeAt(paddings, 0) !== input.length) {
    throw misfit(
      c,
      `${nameOf(c, 1)} has ${sizeAt(paddings, 0)} rows, but the shape is ${shapeLabel(input)}.`,
    );
  }
  if (rank < 0) return [undefined];
  if (sizeAt(paddings, 1) >= 0 && sizeAt(paddings, 1) !== 2)
    throw misfit(c, `${nameOf(c, 1)} must have 2 columns.`);
  if (!tensor) return [unknownSizes(rank)];
  const at = (i: number) => Number(tensor.at(i));
  return [Array.from({ length: rank }, (_, i) => plus(sizeAt(input, i), at(2 * i) + at(2 * i + 1)))];
};

const fromShapeInput: ShapeRule = (c) => [shapeFromInput(c, 0)];

const filled: ShapeRule = (c) => {
  ofRank(c, 1, 0);
  if (constantInts(c, 0)?.some((size) => size < 0)) throw misfit(c, `${nameOf(c, 0)} must not be negative.`);
  return [shapeFromInput(c, 0)];
};

const range: ShapeRule = (c) => {
  const [start, limit, delta] = [0, 1, 2].map((i) => {
    ofRank(c, i, 0);
    const tensor = c.constantInput(i);
    return constantInt(c, i) ?? (tensor && /^b?float/.test(tensor.dtype) ? Number(tensor.at(0)) : undefined);
  });
  if (start === undefined || limit === undefined || delta === undefined) return [[-1]];
  if (delta === 0) throw misfit(c, "the step must not be 0.");
  if (delta > 0 ? start > limit : start < limit)
    throw misfit(c, `a step of ${delta} does not lead from ${start} to ${limit}.`);
  return [[Math.ceil((limit - start) / delta)]];
};

const linSpace: ShapeRule = (c) => {
  const count = countFrom(c, 2);
  if (count === 0) throw misfit(c, `${nameOf(c, 2)} must be positive.`);
  return [[count]];
};

const oneHot: ShapeRule = (c) => {
  const indices = c.inputShapes[0];
  if (!indices) return [undefined];
  const axis = intAttr(c, "axis") ?? -1;
  const at = axis === -1 ? indices.length : axisOf(c, axis, indices.length + 1);
  return [indices.toSpliced(at, 0, countFrom(c, 1))];
};

const shapeOfInput: ShapeRule = (c) => [[c.inputShapes[0]?.length ?? -1]];
const shapesOfInputs: ShapeRule = (c) => c.inputShapes.map((shape) => [shape?.length ?? -1]);

const constant: ShapeRule = (c) => {
  const value = c.attr("value")?.value;
  return [
    value?.$case === "tensor"
      ? partialShapeFromProto(value.value.tensorShape ?? { dim: [], unknownRank: false })
      : undefined,
  ];
};

const fromShapeAttr: ShapeRule = (c) => {
  const value = c.attr("shape")?.value;
  return [value?.$case === "shape" ? partialShapeFromProto(value.value) : undefined];
};

const withDefault: ShapeRule = (c) => {
  const [shape] = fromShapeAttr(c);
  mergeShapes(shape, c.inputShapes[0], what(c));
  return [shape];
};

const reverse: ShapeRule = (c) => [c.inputShapes[0]];

const reverseSequence: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const batch = intAttr(c, "batch_dim") ?? 0;
  if (!input) return [undefined];
  const lengths = sizeAt(c.inputShapes[1], 0);
  const size = sameSize(
    c,
    sizeAt(input, batch),
    lengths,
    () => `${nameOf(c, 1)} has ${lengths} elements, but there are ${sizeAt(input, batch)} sequences.`,
  );
  return [input.with(batch, size)];
};

const where: ShapeRule = (c) => [[-1, c.inputShapes[0]?.length ?? -1]];

const vectorLike: ShapeRule = (c) => [ofRank(c, 0, 1)];

/** The remaining length of a vector is known only in a run. */
const unique =
  (outputs: number): ShapeRule =>
  (c) =>
    [[-1], c.inputShapes[0], [-1]].slice(0, outputs);

const uniqueOfAxis =
  (outputs: number): ShapeRule =>
  (c) => {
    const input = c.inputShapes[0];
    const axes = constantInts(c, 1);
    const axis = axes?.length === 0 ? 0 : axes?.[0];
    if (!input || axis === undefined)
      return [input && unknownSizes(input.length), [-1], [-1]].slice(0, outputs);
    const at = axisOf(c, axis, input.length);
    return [input.with(at, -1), [sizeAt(input, at)], [-1]].slice(0, outputs);
  };

export const arrayRules: Rules = [
  ["Reshape", reshape],
  ["Squeeze", squeeze],
  ["ExpandDims", expandDims],
  ...forOps("Transpose ConjugateTranspose", transpose),
  ["Pack", pack],
  ["Unpack", unpack],
  ["ConcatV2", concat((count) => count - 1, 0)],
  ...forOps(
    "Concat",
    concat(() => 0, 1),
    { 0: 0 },
  ),
  ["Split", split],
  ["SplitV", splitV],
  ...forOps("Tile", tile, { 1: 1 }),
  ...forOps("Pad PadV2 MirrorPad", pad),
  ["Fill", filled],
  ["Empty", fromShapeInput],
  ["Range", range],
  ...forOps("LinSpace", linSpace, { 0: 0, 1: 0 }),
  ["OneHot", oneHot],
  ["Shape", shapeOfInput],
  ["ShapeN", shapesOfInputs],
  ["Const", constant],
  ...forOps("Placeholder PlaceholderV2 ImmutableConst VariableV2 Variable TemporaryVariable", fromShapeAttr),
  ...forOps("ReverseV2 Reverse", reverse, { 1: 1 }),
  ...forOps("ReverseSequence", reverseSequence, { 1: 1 }),
  ["PlaceholderWithDefault", withDefault],
  ["Where", where],
  ["InvertPermutation", vectorLike],
  ["Unique", unique(2)],
  ["UniqueWithCounts", unique(3)],
  ["UniqueV2", uniqueOfAxis(2)],
  ["UniqueWithCountsV2", uniqueOfAxis(3)],
];
