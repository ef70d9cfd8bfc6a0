/** Ops that reduce dimensions: sums, positions of maxima, segments, the largest elements. */
import { mergeShapes, type Shape } from "../shape.js";
import {
  axisOf,
  boolAttr,
  constantInt,
  constantInts,
  countFrom,
  forOps,
  intAttr,
  misfit,
  nameOf,
  ofRank,
  ofRankAtLeast,
  type Rules,
  type ShapeRule,
  sameSize,
  shapeFromInput,
  sizeAt,
  unknownSizes,
  what,
} from "./rule.js";

const reduction: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axes = constantInts(c, 1);
  if ((c.inputShapes[1]?.length ?? 0) > 1) throw misfit(c, `${nameOf(c, 1)} must be a vector of axes.`);
  const keep = boolAttr(c, "keep_dims");
  if (!input) return [undefined];
  if (!axes) return [keep ? unknownSizes(input.length) : undefined];
  const reduced = new Set(axes.map((axis) => axisOf(c, axis, input.length)));
  if (keep) return [input.map((size, i) => (reduced.has(i) ? 1 : size))];
  return [input.filter((_, i) => !reduced.has(i))];
};

const argReduction: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const axis = constantInt(c, 1);
  if (!input) return [undefined];
  if (input.length === 0) return [[]];
  if (axis === undefined) return [unknownSizes(input.length - 1)];
  const at = axisOf(c, axis, input.length);
  return [input.filter((_, i) => i !== at)];
};

/** Rows that belong together, by sorted ids: how many segments there are is known only in a run. */
const segment: ShapeRule = (c) => {
  const data = ofRankAtLeast(c, 0, 1);
  ofRank(c, 1, 1);
  return [data?.with(0, -1)];
};

const unsortedSegment: ShapeRule = (c) => {
  const [data, ids] = c.inputShapes;
  if (!data || !ids) return [undefined];
  const count = countFrom(c, 2);
  mergeShapes(data.slice(0, ids.length), ids, what(c));
  return [[count, ...data.slice(ids.length)]];
};

/** Rows of a tensor, chosen by indices, that belong together. */
const sparseSegment: ShapeRule = (c) => {
  const data = ofRankAtLeast(c, 0, 1);
  const [indices, ids] = [ofRank(c, 1, 1), ofRank(c, 2, 1)];
  mergeShapes(indices, ids, what(c));
  return [data?.with(0, -1)];
};

const sparseSegmentCounted: ShapeRule = (c) => {
  const data = ofRankAtLeast(c, 0, 1);
  mergeShapes(ofRank(c, 1, 1), ofRank(c, 2, 1), what(c));
  return [data?.with(0, countFrom(c, 3))];
};

const topK: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 1);
  const k = intAttr(c, "k") ?? constantInt(c, 1) ?? -1;
  if (!input) return [];
  if (k >= 0 && sizeAt(input, -1) >= 0 && sizeAt(input, -1) < k) {
    throw misfit(c, `${k} elements are wanted, but rows have ${sizeAt(input, -1)}.`);
  }
  const shape = input.with(input.length - 1, k);
  return [shape, shape];
};

const nthElement: ShapeRule = (c) => {
  const input = ofRankAtLeast(c, 0, 1);
  return [input?.slice(0, -1)];
};

const inTopK: ShapeRule = (c) => {
  const predictions = ofRank(c, 0, 2);
  const targets = ofRank(c, 1, 1);
  return [
    [
      sameSize(
        c,
        sizeAt(predictions, 0),
        sizeAt(targets, 0),
        () =>
          `${nameOf(c, 0)} has ${sizeAt(predictions, 0)} rows, but ${nameOf(c, 1)} has ${sizeAt(targets, 0)}.`,
      ),
    ],
  ];
};

const bincount: ShapeRule = (c) => {
  return [[countFrom(c, 1)]];
};

const denseBincount: ShapeRule = (c) => {
  const size = constantInt(c, 1) ?? -1;
  const input = c.inputShapes[0];
  if (!input) return [undefined];
  if (input.length > 2) throw misfit(c, "only vectors and matrices can be counted.");
  return [input.length === 2 ? [sizeAt(input, 0), size] : [size]];
};

const histogram: ShapeRule = (c) => {
  const limits = ofRank(c, 1, 1);
  sameSize(c, sizeAt(limits, 0), 2, () => `${nameOf(c, 1)} must have 2 elements.`);
  return [[countFrom(c, 2)]];
};

const l2Loss: ShapeRule = () => [[]];

const broadcastTo: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const wanted = shapeFromInput(c, 1);
  if (!wanted || !input) return [wanted];
  if (input.length > wanted.length)
    throw misfit(
      c,
      `a shape with ${input.length} dimensions cannot be broadcast to one with ${wanted.length}.`,
    );
  const missing = wanted.length - input.length;
  input.forEach((size, i) => {
    const target = sizeAt(wanted, missing + i);
    if (size > 1 && target >= 0 && size !== target)
      throw misfit(c, `size ${size} cannot be broadcast to ${target}.`);
  });
  return [
    wanted.map((size, i) =>
      size < 0 && sizeAt(input, i - missing) > 1 && i >= missing ? sizeAt(input, i - missing) : size,
    ),
  ];
};

/** A loss for each row, and its gradient. */
const softmaxLoss: ShapeRule = (c) => {
  const [logits, labels] = c.inputShapes;
  const both = logits && labels ? mergedRows(c, logits, labels) : undefined;
  return [both ? both.slice(0, 1) : [-1], both ?? [-1, -1]];
};

function mergedRows(c: Parameters<ShapeRule>[0], logits: Shape, labels: Shape): Shape {
  const rank = Math.max(logits.length, labels.length);
  if (rank !== 2) throw misfit(c, "logits and labels must be matrices: a row for each example.");
  return [0, 1].map((i) => {
    const [x, y] = [sizeAt(logits, i - 2), sizeAt(labels, i - 2)];
    if (x === 1 && logits.length === 2) return y;
    if (y === 1 || x === y) return x;
    return sameSize(c, x, y, () => `logits and labels differ in size ${i}: ${x} and ${y}.`);
  });
}

const sparseSoftmaxLoss: ShapeRule = (c) => {
  const logits = ofRank(c, 0, 2);
  const labels = ofRank(c, 1, 1);
  const rows = sameSize(
    c,
    sizeAt(logits, 0),
    sizeAt(labels, 0),
    () => `${nameOf(c, 0)} has ${sizeAt(logits, 0)} rows, but ${nameOf(c, 1)} has ${sizeAt(labels, 0)}.`,
  );
  return [[rows], [rows, sizeAt(logits, 1)]];
};

export const reductionRules: Rules = [
  ...forOps("Sum Mean Max Min Prod All Any EuclideanNorm", reduction),
  ...forOps("ArgMax ArgMin", argReduction),
  ...forOps("SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd", segment),
  ...forOps("UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd", unsortedSegment),
  ...forOps("SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", sparseSegment),
  ...forOps(
    "SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments",
    sparseSegmentCounted,
  ),
  ...forOps("SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad", sparseSegmentCounted),
  ...forOps("TopK TopKV2", topK),
  ...forOps("NthElement", nthElement, { 1: 0 }),
  ...forOps("InTopK InTopKV2", inTopK),
  ["Bincount", bincount],
  ["DenseBincount", denseBincount],
  ["HistogramFixedWidth", histogram],
  ["L2Loss", l2Loss],
  ["BroadcastTo", broadcastTo],
  ["SoftmaxCrossEntropyWithLogits", softmaxLoss],
  ["SparseSoftmaxCrossEntropyWithLogits", sparseSoftmaxLoss],
];
