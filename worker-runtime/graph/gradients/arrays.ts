/** Gradients of ops that move elements. */
import type { Output } from "../operation.js";
import { sumToShape } from "./broadcasting.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

const same: GradientRule = (at) => [at.gradients[0]];
/** The gradient goes to the first input; the others say what is done. */
const sameToFirst: GradientRule = (at) => [at.gradients[0], ...at.op.inputs.slice(1).map(() => undefined)];
const reshaped: GradientRule = (at) => [
  at.reshapeLike(at.g, at.x),
  ...at.op.inputs.slice(1).map(() => undefined),
];

/** An op that is undone by another one with the same further inputs and attributes. */
function undoneBy(type: string, ...attrs: readonly string[]): GradientRule {
  return (at) => {
    const others = at.op.inputs.slice(1);
    return [at.call(type, [at.g, ...others], at.attrs(...attrs)), ...others.map(() => undefined)];
  };
}

/** A concatenated tensor's parts, by the sizes of the parts. */
function parts(at: OpGradient, values: readonly Output[], axis: Output): readonly (Output | undefined)[] {
  const { call, g, graph } = at;
  const rank = g.shape?.length;
  const given = at.knownInts(at.op.type === "Concat" ? 0 : values.length)?.[0];
  const known = given !== undefined && rank !== undefined ? (given < 0 ? given + rank : given) : undefined;
  const sizes = values.map((value) => (known === undefined ? -1 : (value.shape?.[known] ?? -1)));
  if (known !== undefined && sizes.every((size) => size >= 0)) {
    return graph.op("SplitV", [g, at.ints(sizes), known], { num_split: values.length }).outputs;
  }
  const shapes = values.map((value) => call("Shape", [value]));
  const fromFront = known ?? call("FloorMod", [call("Cast", [axis], { DstT: "int32" }), call("Rank", [g])]);
  const offsets = graph.op("ConcatOffset", [fromFront, shapes]).outputs;
  return values.map((_, i) => call("Slice", [g, offsets[i] ?? g, shapes[i] ?? g]));
}

/** The gradients of a tensor's parts, zeros for parts that nothing depends on. */
function allGradients(at: OpGradient): readonly Output[] {
  return at.op.outputs.map((_, i) => at.gradient(i));
}

const stridedSlice: GradientRule = (at) => {
  const [, begin, end, strides] = at.op.inputs;
  if (!begin || !end || !strides) return [];
  const shape = at.shapeOf(at.x, begin.dtype === "int64" ? "int64" : "int32");
  const gradient = at.call("StridedSliceGrad", [shape, begin, end, strides, at.g], at.attrs(...SLICE_MASKS));
  return [gradient, undefined, undefined, undefined];
};

const SLICE_MASKS = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];

const stridedSliceGrad: GradientRule = (at) => {
  const where = at.op.inputs.slice(1, 4);
  return [
    ...[undefined, undefined, undefined, undefined],
    at.call("StridedSlice", [at.g, ...where], at.attrs(...SLICE_MASKS)),
  ];
};

/** A vector of sizes or positions in the dtype of another. */
function shapeLikeIndices(at: OpGradient, x: Output, indices: Output): Output {
  return at.shapeOf(x, indices.dtype === "int64" ? "int64" : "int32");
}

const slice: GradientRule = (at) => {
  const { call, x } = at;
  const begin = at.input(1);
  const behind = call("Sub", [
    call("Sub", [shapeLikeIndices(at, x, begin), begin]),
    shapeLikeIndices(at, at.y, begin),
  ]);
  const paddings = call("Pack", [[begin, behind]], { axis: 1 });
  return [call("Pad", [at.g, paddings]), undefined, undefined];
};

const pad: GradientRule = (at) => {
  const paddings = at.input(1);
  const before = at.graph.op("Unpack", [paddings], { axis: 1, num: 2 }).outputAt(0);
  const inside = at.call("Slice", [at.g, before, shapeLikeIndices(at, at.x, paddings)]);
  return [inside, ...at.op.inputs.slice(1).map(() => undefined)];
};

/** Each dimension becomes two, that of the copies and that of the elements; the copies are summed. */
const tile: GradientRule = (at) => {
  const { call, x } = at;
  const rank = x.shape?.length;
  const multiples = at.input(1);
  const pairs = call("Pack", [[multiples, shapeLikeIndices(at, x, multiples)]], { axis: 1 });
  const shape = call("Reshape", [pairs, at.ints([-1])]);
  const axes =
    rank === undefined
      ? call("Range", [0, call("Size", [shape]), 2])
      : at.ints(Array.from({ length: rank }, (_, i) => 2 * i));
  const sum = call("Sum", [call("Reshape", [at.g, shape]), axes]);
  return [at.reshapeLike(sum, x), undefined];
};

const transpose: GradientRule = (at) => {
  const order = at.knownInts(1);
  const inverse = order
    ? at.ints(order.map((_, i) => order.findIndex((axis) => (axis < 0 ? axis + order.length : axis) === i)))
    : at.call("InvertPermutation", [at.input(1)]);
  return [at.call("Transpose", [at.g, inverse]), undefined];
};

/** The largest elements got the gradient, all others zero. */
const topK: GradientRule = (at) => {
  const { call, graph, x } = at;
  const indices = at.op.outputAt(1);
  const shape = call("Shape", [x]);
  const width = call("StridedSlice", [shape, [-1], [0], [1]], { shrink_axis_mask: 1, end_mask: 1 });
  const k = call("StridedSlice", [call("Shape", [indices]), [-1], [0], [1]], {
    shrink_axis_mask: 1,
    end_mask: 1,
  });
  const rows = call("Reshape", [
    call("Cast", [indices], { DstT: "int32" }),
    call("Pack", [[at.ints(-1), k]]),
  ]);
  const count = call("Size", [x]);
  const starts = call("ExpandDims", [graph.op("Range", [0, count, width]).output, -1]);
  const flat = call("Reshape", [call("AddV2", [rows, starts]), at.ints([-1, 1])]);
  const size = call("Reshape", [count, at.ints([1])]);
  const scattered = call("ScatterNd", [flat, call("Reshape", [at.g, at.ints([-1])]), size]);
  return [call("Reshape", [scattered, shape]), undefined];
};

/** The rows that went to each partition are put back where they were. */
const dynamicPartition: GradientRule = (at) => {
  const { call, graph, x } = at;
  const partitions = at.input(1);
  const count = call("Size", [partitions]);
  const positions = call("Reshape", [call("Range", [0, count, 1]), call("Shape", [partitions])]);
  const attrs = at.attrs("num_partitions");
  const rows = graph.op("DynamicPartition", [positions, partitions], attrs).outputs;
  const together = call("DynamicStitch", [rows, allGradients(at)]);
  return [at.reshapeLike(together, x), undefined];
};

const dynamicStitch: GradientRule = (at) => {
  const count = at.op.inputs.length / 2;
  const indices = at.op.inputs.slice(0, count);
  return [...indices.map(() => undefined), ...indices.map((rows) => at.call("GatherV2", [at.g, rows, 0]))];
};

function checkNumerics(type: string): GradientRule {
  return (at) => [at.call(type, [at.g], { message: `The gradient of ${at.op.name} is not finite` })];
}

/** Ops that change the order or the shape of elements. */
const MOVES: GradientRules = {
  Identity: same,
  EnsureShape: same,
  PlaceholderWithDefault: same,
  IdentityN: (at) => at.gradients,
  Print: sameToFirst,
  CheckNumerics: checkNumerics("CheckNumerics"),
  CheckNumericsV2: checkNumerics("CheckNumericsV2"),
  Reshape: reshaped,
  ExpandDims: reshaped,
  Squeeze: reshaped,
  Transpose: transpose,
  ConjugateTranspose: transpose,
  ReverseV2: undoneBy("ReverseV2"),
  ReverseSequence: undoneBy("ReverseSequence", "seq_dim", "batch_dim"),
  Roll: ({ call, g, op }) => {
    const [, shift, axis] = op.inputs;
    return shift && axis ? [call("Roll", [g, call("Neg", [shift]), axis]), undefined, undefined] : [];
  },
  SpaceToDepth: undoneBy("DepthToSpace", "block_size", "data_format"),
  DepthToSpace: undoneBy("SpaceToDepth", "block_size", "data_format"),
  SpaceToBatchND: undoneBy("BatchToSpaceND"),
  BatchToSpaceND: undoneBy("SpaceToBatchND"),
  Diag: undoneBy("DiagPart"),
  DiagPart: undoneBy("Diag"),
  MatrixDiag: undoneBy("MatrixDiagPart"),
  MatrixBandPart: undoneBy("MatrixBandPart"),
};

/** Ops that join and cut tensors. */
const PARTS: GradientRules = {
  Concat: (at) => [undefined, ...parts(at, at.op.inputs.slice(1), at.input(0))],
  ConcatV2: (at) => {
    const values = at.op.inputs.slice(0, -1);
    return [...parts(at, values, at.input(values.length)), undefined];
  },
  Split: (at) => [undefined, at.call("ConcatV2", [allGradients(at), at.input(0)])],
  SplitV: (at) => [at.call("ConcatV2", [allGradients(at), at.input(2)]), undefined, undefined],
  Pack: (at) => at.graph.op("Unpack", [at.g], { axis: at.int("axis"), num: at.int("N") }).outputs,
  Unpack: (at) => [at.call("Pack", [allGradients(at)], at.attrs("axis"))],
  Slice: slice,
  StridedSlice: stridedSlice,
  StridedSliceGrad: stridedSliceGrad,
  Pad: pad,
  PadV2: (at) => [...pad(at).slice(0, 2), undefined],
  MirrorPad: (at) => [at.call("MirrorPadGrad", [at.g, at.input(1)], at.attrs("mode")), undefined],
  MirrorPadGrad: (at) => [at.call("MirrorPad", [at.g, at.input(1)], at.attrs("mode")), undefined],
  Tile: tile,
  BroadcastTo: (at) => [sumToShape(at, at.x, at.g), undefined],
  Fill: ({ call, g }) => [undefined, call("Sum", [call("Reshape", [g, [-1]]), 0])],
  TopKV2: topK,
  DynamicPartition: dynamicPartition,
  DynamicStitch: dynamicStitch,
  ParallelDynamicStitch: dynamicStitch,
};

export const ARRAYS: GradientRules = { ...MOVES, ...PARTS };
