/** Ops that take or put parts of a tensor: slices, gathers, scatters. */

import { allKnown } from "../known-ints.js";
import { sliceMasks, sliceSpec, takenElements } from "../op-specs/strided-slice.js";
import { mergeShapes, type Shape, shapeLabel } from "../shape.js";
import type { ShapeContext } from "../shape-context.js";
import {
  axisOf,
  constantInt,
  constantInts,
  forOps,
  intAttr,
  misfit,
  nameOf,
  ofRank,
  ofRankAtLeast,
  type Rules,
  type ShapeRule,
  shapeFromInput,
  sizeAt,
  textAttr,
  unknownSizes,
  what,
  within,
} from "./rule.js";

const slice: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const [begins, sizes] = [c.knownInts(1)?.elements, c.knownInts(2)?.elements];
  const rank = input?.length ?? begins?.length ?? sizes?.length ?? maybeRank(c);
  if (rank === undefined) return [undefined];
  for (const [index, list] of [begins, sizes].entries()) {
    if (list && list.length !== rank) {
      throw misfit(
        c,
        `${nameOf(c, index + 1)} has ${list.length} elements, but the shape has ${rank} dimensions.`,
      );
    }
  }
  return [Array.from({ length: rank }, (_, i) => sliceSize(c, sizeAt(input, i), begins?.[i], sizes?.[i]))];
};

function maybeRank(c: ShapeContext): number | undefined {
  const rank = Math.max(sizeAt(ofRank(c, 1, 1), 0), sizeAt(ofRank(c, 2, 1), 0));
  return rank < 0 ? undefined : rank;
}

function sliceSize(
  c: ShapeContext,
  size: number,
  begin: number | undefined,
  wanted: number | undefined,
): number {
  if (wanted === undefined) return -1;
  const isOutside = size >= 0 && begin !== undefined && begin > size;
  if (isOutside) throw misfit(c, `a slice from ${begin} is outside a size of ${size}.`);
  if (wanted >= 0) return wanted;
  return size < 0 || begin === undefined ? -1 : size - begin;
}

const stridedSlice: ShapeRule = (c) => {
  const input = c.inputShapes[0];
  const strides = constantInts(c, 3);
  mergeShapes(mergeShapes(ofRank(c, 1, 1), ofRank(c, 2, 1), what(c)), ofRank(c, 3, 1), what(c));
  if (!input || !strides) return [undefined];
  const [begins, ends] = [c.knownInts(1)?.elements, c.knownInts(2)?.elements];
  return within(c, () => {
    const masks = sliceMasks({ int: (attr) => intAttr(c, attr) ?? 0 });
    const { ranges, result } = sliceSpec(input.length, strides, masks);
    const sizes = ranges.map((range, axis) => {
      const entry = range.entry ?? -1;
      const size = sizeAt(input, axis);
      return takenElements(range, size < 0 ? undefined : size, [begins?.[entry], ends?.[entry]], axis).count;
    });
    return [result.map((axis) => (axis === "new" ? 1 : (sizes[axis] ?? -1)))];
  });
};

const stridedSliceGrad: ShapeRule = (c) => [shapeFromInput(c, 0)];

const gather: ShapeRule = (c) => {
  const params = ofRankAtLeast(c, 0, 1);
  const indices = c.inputShapes[1];
  return [params && indices && [...indices, ...params.slice(1)]];
};

const gatherV2: ShapeRule = (c) => {
  const params = ofRankAtLeast(c, 0, 1);
  const indices = c.inputShapes[1];
  const batchAttr = intAttr(c, "batch_dims") ?? 0;
  const axis = constantInt(c, 2);
  if (!params || !indices) return [undefined];
  const batches = batchAttr < 0 ? batchAttr + indices.length : batchAttr;
  if (axis === undefined) return [unknownSizes(params.length + indices.length - 1 - batches)];
  const at = axisOf(c, axis, params.length);
  if (at < batches) throw misfit(c, `axis ${axis} must not be before batch_dims ${batchAttr}.`);
  return [[...params.slice(0, at), ...indices.slice(batches), ...params.slice(at + 1)]];
};

/** The last size of the indices counts the dimensions that each of them names. */
const gatherNd: ShapeRule = (c) => {
  const [params, indices] = [c.inputShapes[0], ofRankAtLeast(c, 1, 1)];
  return [gatheredNd(c, params, indices)];
};

function gatheredNd(
  c: ShapeContext,
  params: Shape | undefined,
  indices: Shape | undefined,
): Shape | undefined {
  const named = sizeAt(indices, -1);
  if (!params || !indices || named < 0) return undefined;
  if (named > params.length) {
    throw misfit(c, `the indices name ${named} dimensions, but the shape is ${shapeLabel(params)}.`);
  }
  return [...indices.slice(0, -1), ...params.slice(named)];
}

const resourceGather: ShapeRule = (c) => {
  const [params, indices] = [c.handleShape(0), c.inputShapes[1]];
  const batches = intAttr(c, "batch_dims") ?? 0;
  return [
    params &&
      indices && [...params.slice(0, batches), ...indices.slice(batches), ...params.slice(batches + 1)],
  ];
};

const resourceGatherNd: ShapeRule = (c) => [gatheredNd(c, c.handleShape(0), c.inputShapes[1])];

/** Updates are rows of the target, one for each index. */
function checkUpdates(
  c: ShapeContext,
  indices: Shape | undefined,
  updates: Shape | undefined,
  into: Shape | undefined,
): void {
  const named = sizeAt(indices, -1);
  if (!indices || !updates) return;
  const rows = indices.slice(0, -1);
  mergeShapes(rows, updates.slice(0, rows.length), what(c));
  if (into && named >= 0) mergeShapes(into.slice(named), updates.slice(rows.length), what(c));
}

const scatterNd: ShapeRule = (c) => {
  const shape = shapeFromInput(c, 2);
  checkUpdates(c, c.inputShapes[0], c.inputShapes[1], shape);
  return [shape];
};

const tensorScatter: ShapeRule = (c) => {
  checkUpdates(c, c.inputShapes[1], c.inputShapes[2], c.inputShapes[0]);
  return [c.inputShapes[0]];
};

/** The tensor, or the variable, into which is put. */
const target: ShapeRule = (c) => [c.inputShapes[0]];

const dynamicPartition: ShapeRule = (c) => {
  const [data, partitions] = c.inputShapes;
  if (!data || !partitions) return [];
  mergeShapes(data.slice(0, partitions.length), partitions, what(c));
  return new Array(c.outputCount).fill([-1, ...data.slice(partitions.length)]);
};

const dynamicStitch: ShapeRule = (c) => {
  const count = c.inputShapes.length / 2;
  let rest: Shape | undefined;
  let largest: number | undefined = -1;
  for (let i = 0; i < count; i++) {
    const [indices, data] = [c.inputShapes[i], c.inputShapes[count + i]];
    const known = c.constantInput(i);
    const values =
      known &&
      allKnown({ rank: 1, elements: Array.from({ length: known.size }, (_, at) => Number(known.at(at))) });
    if (!values) largest = undefined;
    else if (largest !== undefined) largest = Math.max(largest, ...values);
    if (!indices || !data) continue;
    mergeShapes(data.slice(0, indices.length), indices, what(c));
    rest = mergeShapes(rest, data.slice(indices.length), what(c));
  }
  return [rest && [largest === undefined ? -1 : largest + 1, ...rest]];
};

/** How many of a batch stand where, in blocks of rows and columns. */
function batchBlocks(toBatch: boolean): ShapeRule {
  return (c) => {
    const input = c.inputShapes[0];
    const block = constantInts(c, 1);
    const margins = c.constantInput(2);
    if (!input) return [undefined];
    const blocked = sizeAt(ofRank(c, 1, 1), 0);
    if (!block) return [input.map((size, i) => (blocked >= 0 && i > blocked ? size : -1))];
    const factor = block.reduce((all, one) => all * one, 1);
    const batch = sizeAt(input, 0);
    if (!toBatch && batch >= 0 && batch % factor !== 0) {
      throw misfit(c, `the batch of ${batch} is no multiple of ${factor}.`);
    }
    const sizes = block.map((one, i) => {
      const size = sizeAt(input, i + 1);
      if (!margins || size < 0) return -1;
      const margin = Number(margins.at(2 * i)) + Number(margins.at(2 * i + 1));
      const result = toBatch ? (size + margin) / one : size * one - margin;
      if (!Number.isInteger(result) || result < 0) {
        throw misfit(c, `size ${size} with a margin of ${margin} does not fit blocks of ${one}.`);
      }
      return result;
    });
    const count = batch < 0 ? -1 : toBatch ? batch * factor : batch / factor;
    return [[count, ...sizes, ...input.slice(1 + block.length)]];
  };
}

const blockSize =
  (toDepth: boolean): ShapeRule =>
  (c) => {
    const input = ofRank(c, 0, 4);
    const text = textAttr(c, "data_format") ?? "NHWC";
    if (text.includes("VECT")) return [undefined];
    const block = intAttr(c, "block_size") ?? 1;
    const channel = text === "NCHW" ? 1 : 3;
    return [
      input.map((size, i) => {
        if (i === 0 || size < 0) return size;
        const factor = i === channel ? block * block : block;
        if ((i === channel) === toDepth) return size * factor;
        if (size % factor !== 0)
          throw misfit(c, `size ${size} of ${shapeLabel(input)} is no multiple of ${factor}.`);
        return size / factor;
      }),
    ];
  };

export const sliceRules: Rules = [
  ["Slice", slice],
  ["StridedSlice", stridedSlice],
  ["StridedSliceGrad", stridedSliceGrad],
  ["Gather", gather],
  ["GatherV2", gatherV2],
  ["GatherNd", gatherNd],
  ["ResourceGather", resourceGather],
  ["ResourceGatherNd", resourceGatherNd],
  ["ScatterNd", scatterNd],
  ...forOps(
    "ScatterUpdate ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax ScatterNdUpdate ScatterNdAdd ScatterNdSub " +
      "ScatterNdMax ScatterNdMin " +
      "ScatterNdNonAliasingAdd StridedSliceAssign TensorStridedSliceUpdate InplaceUpdate InplaceAdd InplaceSub",
    target,
  ),
  ...forOps(
    "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin",
    tensorScatter,
  ),
  ["DynamicPartition", dynamicPartition],
  ...forOps("DynamicStitch ParallelDynamicStitch", dynamicStitch),
  ["SpaceToBatchND", batchBlocks(true)],
  ["BatchToSpaceND", batchBlocks(false)],
  ["SpaceToDepth", blockSize(true)],
  ["DepthToSpace", blockSize(false)],
];
