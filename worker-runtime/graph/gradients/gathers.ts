/** Gradients of what picks and puts rows by index: gathers, scatters, and sums of segments. */
import type { Output } from "../operation.js";
import { type GradientRule, type GradientRules, IndexedSlices, type OpGradient } from "./gradient.js";

/** The gradient of rows that were gathered along the first dimension: those rows only. */
function rows(at: OpGradient, shape: Output, indices: Output): IndexedSlices {
  const { call, g } = at;
  const rowShape = call("StridedSlice", [shape, [1], [0], [1]], { end_mask: 1 });
  const valuesShape = call("ConcatV2", [[at.ints([-1]), rowShape], 0]);
  return new IndexedSlices(
    call("Reshape", [g, valuesShape]),
    call("Reshape", [indices, at.ints([-1])]),
    shape,
  );
}

/** Rows gathered along another dimension: it is put first, summed by index, and put back. */
function alongAxis(at: OpGradient, axis: number): Output {
  const { call, x } = at;
  const rank = at.rankOf(0);
  const indices = at.input(1);
  const indexRank = at.rankOf(1);
  const resultRank = rank - 1 + indexRank;
  const inner = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const order = [...inner(axis, axis + indexRank), ...inner(0, axis), ...inner(axis + indexRank, resultRank)];
  const turned = call("Transpose", [at.g, at.ints(order)]);
  const turnedShape = call("StridedSlice", [call("Shape", [turned]), [indexRank], [0], [1]], { end_mask: 1 });
  const flat = call("Reshape", [turned, call("ConcatV2", [[at.ints([-1]), turnedShape], 0])]);
  const count = call("StridedSlice", [call("Shape", [x]), [axis], [axis + 1], [1]], { shrink_axis_mask: 1 });
  const summed = call("UnsortedSegmentSum", [flat, call("Reshape", [indices, at.ints([-1])]), count]);
  const back = [...inner(1, axis + 1), 0, ...inner(axis + 1, rank)];
  return call("Transpose", [summed, at.ints(back)]);
}

/** Rows gathered from each matrix of a batch: as from one long matrix, in which each has its own range of rows. */
function inBatches(at: OpGradient, batchDims: number): Output {
  const { call, x } = at;
  const shape = call("Shape", [x]);
  const indices = call("Cast", [at.input(1)], { DstT: "int32" });
  const indexShape = call("Shape", [indices]);
  const product = (sizes: Output, from: number, to: number) =>
    call("Prod", [call("StridedSlice", [sizes, [from], [to], [1]]), 0]);
  const batches = product(shape, 0, batchDims);
  const rowCount = call("StridedSlice", [shape, [batchDims], [batchDims + 1], [1]], { shrink_axis_mask: 1 });
  const perBatch = product(indexShape, batchDims, at.rankOf(1));
  const offsets = call("Mul", [call("Range", [0, batches, 1]), rowCount]);
  const table = call("Reshape", [indices, call("Pack", [[batches, perBatch]])]);
  const shifted = call("Reshape", [call("AddV2", [table, call("ExpandDims", [offsets, 1])]), at.ints([-1])]);
  const rowShape = call("StridedSlice", [shape, [batchDims + 1], [0], [1]], { end_mask: 1 });
  const flat = call("Reshape", [at.g, call("ConcatV2", [[at.ints([-1]), rowShape], 0])]);
  const summed = call("UnsortedSegmentSum", [flat, shifted, call("Mul", [batches, rowCount])]);
  return call("Reshape", [summed, shape]);
}

const gatherV2: GradientRule = (at) => {
  const given = at.knownInts(2)?.[0];
  if (given === undefined) throw at.needs("its axis");
  const axis = given < 0 ? given + at.rankOf(0) : given;
  const indexRank = at.input(1).shape?.length;
  const dims = at.int("batch_dims");
  const batchDims = dims < 0 && indexRank !== undefined ? dims + indexRank : dims;
  if (batchDims > 0 && axis !== batchDims) throw at.needs("an axis right behind those of the batch");
  if (batchDims > 0) return [inBatches(at, batchDims), undefined, undefined];
  const gradient = axis === 0 ? rows(at, at.shapeOf(at.x), at.input(1)) : alongAxis(at, axis);
  return [gradient, undefined, undefined];
};

/** The gradient of the largest or smallest of a tensor and its updates; equal ones share the gradient. */
const extremeScatter: GradientRule = (at) => {
  const { call, g, x, y } = at;
  const [indices, updates] = [at.input(1), at.input(2)];
  const cast = (truth: Output) => call("Cast", [truth], { DstT: g.dtype });
  const here = cast(call("Equal", [x, y]));
  const there = cast(call("Equal", [updates, call("GatherNd", [y, indices])]));
  const shape = at.shapeOf(x, indices.dtype === "int64" ? "int64" : "int32");
  const all = call("AddV2", [here, call("ScatterNd", [indices, there, shape])]);
  const share = call("RealDiv", [g, all]);
  return [call("Mul", [share, here]), undefined, call("Mul", [call("GatherNd", [share, indices]), there])];
};

const gatherResource: GradientRule = (at) => {
  const shape = at.call("VariableShape", [at.x], { out_type: "int32" });
  return [rows(at, shape, at.input(1)), undefined];
};

/** Zero where the index is negative: such rows were dropped. */
function gatherKept(at: OpGradient, values: Output, ids: Output): Output {
  const { call } = at;
  const zero = call("ZerosLike", [ids]);
  const gathered = call("GatherV2", [values, call("Maximum", [ids, zero]), 0]);
  const isKept = broadcastable(at, call("GreaterEqual", [ids, zero]), ids, gathered);
  return call("SelectV2", [isKept, gathered, call("ZerosLike", [gathered])]);
}

/** A tensor of the indices' shape with dimensions of size 1 for those of the rows. */
function broadcastable(at: OpGradient, mask: Output, ids: Output, gathered: Output): Output {
  const { call } = at;
  const added = call("Sub", [call("Rank", [gathered]), call("Rank", [ids])]);
  const ones = call("Fill", [call("Reshape", [added, at.ints([1])]), at.ints(1)]);
  const shape = call("ConcatV2", [[call("Shape", [mask]), ones], 0]);
  return call("Reshape", [mask, shape]);
}

/** The elements of a segment that tie for its extreme share the gradient. */
function segmentExtreme(gather: (at: OpGradient, values: Output) => Output, sum: string): GradientRule {
  return (at) => {
    const { call, x, op } = at;
    const [, ids, count] = op.inputs;
    if (!ids) return [];
    const isExtreme = call("Equal", [x, gather(at, at.y)]);
    const marks = call("Cast", [isExtreme], { DstT: x.dtype });
    const ties = call(sum, count ? [marks, ids, count] : [marks, ids]);
    const shared = gather(at, call("DivNoNan", [at.g, ties]));
    return [
      call("SelectV2", [isExtreme, shared, call("ZerosLike", [shared])]),
      ...op.inputs.slice(1).map(() => undefined),
    ];
  };
}

const bySegment = (at: OpGradient, values: Output) => at.call("GatherV2", [values, at.input(1), 0]);
const byKeptSegment = (at: OpGradient, values: Output) => gatherKept(at, values, at.input(1));

/** An op of TensorFlow's for the sums of segments of gathered rows. */
function sparseSegment(type: string): GradientRule {
  return (at) => {
    const count = at.call("StridedSlice", [at.call("Shape", [at.x]), [0], [1], [1]], { shrink_axis_mask: 1 });
    return [at.call(type, [at.g, at.input(1), at.input(2), count]), undefined, undefined];
  };
}

/** An element's derivative is the product of the others of its segment. */
function segmentProduct(gather: (at: OpGradient, values: Output) => Output, prefix: string): GradientRule {
  return (at) => {
    const { call, x, op } = at;
    const more = op.inputs.slice(1);
    const isZero = call("Equal", [x, call("ZerosLike", [x])]);
    const zeros = call(`${prefix}SegmentSum`, [call("Cast", [isZero], { DstT: x.dtype }), ...more]);
    const some = call("SelectV2", [call("Greater", [zeros, 1]), call("ZerosLike", [at.g]), at.g]);
    const others = call("SelectV2", [isZero, call("OnesLike", [x]), x]);
    const withoutZeros = gather(at, call(`${prefix}SegmentProd`, [others, ...more]));
    const slope = call("SelectV2", [isZero, withoutZeros, call("RealDiv", [gather(at, at.y), others])]);
    return [call("Mul", [gather(at, some), slope]), ...more.map(() => undefined)];
  };
}

const sparseSegmentSum: GradientRule = (at) => {
  const { call } = at;
  const count = call("StridedSlice", [call("Shape", [at.x]), [0], [1], [1]], { shrink_axis_mask: 1 });
  const picked = call("GatherV2", [at.g, at.input(2), 0]);
  return [call("UnsortedSegmentSum", [picked, at.input(1), count]), undefined, undefined];
};

const SEGMENTS: GradientRules = {
  SegmentSum: (at) => [bySegment(at, at.g), undefined],
  SegmentMean: (at) => {
    const { call, x } = at;
    const ids = at.input(1);
    const rank = call("Rank", [x]);
    const one = call("Cast", [call("ZerosLike", [rank])], { DstT: x.dtype });
    const perRow = call("ConcatV2", [
      [
        call("Shape", [ids]),
        call("Fill", [call("Reshape", [call("Sub", [rank, 1]), at.ints([1])]), at.ints(1)]),
      ],
      0,
    ]);
    const counts = call("SegmentSum", [call("Fill", [perRow, call("AddV2", [one, 1])]), ids]);
    return [bySegment(at, call("DivNoNan", [at.g, counts])), undefined];
  },
  SegmentMax: segmentExtreme(bySegment, "SegmentSum"),
  SegmentMin: segmentExtreme(bySegment, "SegmentSum"),
  UnsortedSegmentSum: (at) => [gatherKept(at, at.g, at.input(1)), undefined, undefined],
  UnsortedSegmentMax: segmentExtreme(byKeptSegment, "UnsortedSegmentSum"),
  UnsortedSegmentMin: segmentExtreme(byKeptSegment, "UnsortedSegmentSum"),
  SegmentProd: segmentProduct(bySegment, ""),
  UnsortedSegmentProd: segmentProduct(byKeptSegment, "Unsorted"),
  SparseSegmentSum: sparseSegmentSum,
  SparseSegmentSumWithNumSegments: sparseSegmentSum,
  SparseSegmentMean: sparseSegment("SparseSegmentMeanGrad"),
  SparseSegmentMeanWithNumSegments: sparseSegment("SparseSegmentMeanGrad"),
  SparseSegmentSqrtN: sparseSegment("SparseSegmentSqrtNGrad"),
  SparseSegmentSqrtNWithNumSegments: sparseSegment("SparseSegmentSqrtNGrad"),
};

export const GATHERS: GradientRules = {
  Gather: (at) => [rows(at, at.shapeOf(at.x), at.input(1)), undefined],
  GatherV2: gatherV2,
  ResourceGather: gatherResource,
  GatherNd: (at) => {
    const indices = at.input(1);
    const shape = at.shapeOf(at.x, indices.dtype === "int64" ? "int64" : "int32");
    return [at.call("ScatterNd", [indices, at.g, shape]), undefined];
  },
  ScatterNd: (at) => [undefined, at.call("GatherNd", [at.g, at.x]), undefined],
  TensorScatterMax: extremeScatter,
  TensorScatterMin: extremeScatter,
  TensorScatterAdd: (at) => [at.g, undefined, at.call("GatherNd", [at.g, at.input(1)])],
  TensorScatterSub: (at) => [at.g, undefined, at.call("Neg", [at.call("GatherNd", [at.g, at.input(1)])])],
  TensorScatterUpdate: (at) => {
    const indices = at.input(1);
    const cleared = at.call("TensorScatterUpdate", [at.g, indices, at.call("ZerosLike", [at.input(2)])]);
    return [cleared, undefined, at.call("GatherNd", [at.g, indices])];
  },
  ...SEGMENTS,
};
