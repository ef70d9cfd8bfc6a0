import type { DType } from "../../../protocol/dtype.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, moved, numbers } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { product, scatterRows } from "./row-scatter.js";
import { FAR, inputAt, scalarTensor, Writer } from "./writer.js";

/** The parts of a sparse tensor: a matrix of int64 with a row for each element, the values, and the sizes as int64. */
interface Sparse {
  readonly at: OnnxValue;
  readonly values: OnnxValue;
  readonly sizes: OnnxValue;
}

/**
 * The first three inputs, of which the second has to be a vector, as a sparse tensor. The model fails if they do not belong
 * together or an index is out of range.
 */
function sparseOf(write: Writer, inputs: readonly OnnxValue[], context: LoweringContext): Sparse | undefined {
  const [at, values, sizes] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  if (context.rank(at) !== 2 || context.rank(sizes) !== 1) return undefined;
  const [long, longSizes] = [write.cast(at, "int64"), write.cast(sizes, "int64")];
  const isOther = write.differ(write.shape(at, 1), write.shape(sizes));
  const checkedSizes = write.unless(isOther, longSizes);
  const isOutside = write.any(
    write.test(
      "Or",
      write.test("Less", long, write.scalar("int64", 0)),
      write.test("GreaterOrEqual", long, checkedSizes),
    ),
  );
  return {
    at: write.unless(isOutside, long),
    values: write.reshape(values, write.shape(at, 0, 1)),
    sizes: checkedSizes,
  };
}

/** A dense tensor's elements at the indices of a sparse one, to whose shape it is broadcast. */
function elementwise(op: string, onnx: string, T: readonly DType[]): Lowering {
  return {
    op,
    // The kernels have none.
    hasNoHalves: true,
    types: { T },
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const sparse = sparseOf(write, inputs, context);
      if (sparse === undefined) return undefined;
      const wide = write.same("Expand", [inputAt(inputs, 3), sparse.sizes]);
      // Fails for a dense tensor that the sparse one would be broadcast to.
      const whole = write.reshape(wide, sparse.sizes);
      return [write.same(onnx, [sparse.values, write.same("GatherND", [whole, sparse.at])])];
    },
  };
}

/** A sparse matrix times a dense one: rows of the dense one times the values, added up by rows of the result. */
const matMul: Lowering = {
  op: "SparseTensorDenseMatMul",
  hasNoHalves: true,
  types: { T: ["float32", "float64", "int32"], Tindices: indices },
  lower: (node, inputs, context) => {
    const write = new Writer(context);
    const sparse = sparseOf(write, inputs, context);
    const given = inputAt(inputs, 3);
    if (sparse === undefined || context.rank(inputAt(inputs, 1)) !== 1 || context.rank(given) !== 2) {
      return undefined;
    }
    const [outer, inner] = node.bool("adjoint_a") ? [1, 0] : [0, 1];
    const dense = node.bool("adjoint_b") ? write.same("Transpose", [given]) : given;
    const column = (axis: number) =>
      write.same("Gather", [sparse.at, write.scalar("int64", axis)], { axis: int(1) });
    const size = (axis: number) => write.same("Gather", [sparse.sizes, write.longs([axis])]);
    const isOther = write.differ(size(inner), write.shape(dense, 0, 1));
    const width = write.unless(isOther, write.shape(dense, 1));
    const picked = write.same("Gather", [dense, column(inner)], { axis: int(0) });
    const rows = write.mul(picked, write.unsqueeze(sparse.values, 1));
    const zeros = write.filled(write.join(size(outer), width), scalarTensor(given.dtype, 0));
    const offsets = write.mul(column(outer), width);
    return [scatterRows(write, zeros, { offsets, width }, rows, "add")];
  },
};

/** The indices of elements in the flat dense tensor. @param rank of the tensor. */
function offsetsOf(write: Writer, { at, sizes }: Sparse, rank: number): OnnxValue {
  const strides = Array.from({ length: rank }, (_, axis) =>
    product(write, write.same("Slice", [sizes, write.longs([axis + 1]), write.longs([FAR])])),
  );
  return write.same("ReduceSum", [write.mul(at, write.join(...strides)), write.longs([1])], {
    keepdims: int(0),
  });
}

const addToDense: Lowering = {
  op: "SparseTensorDenseAdd",
  types: { T: numbers, Tindices: indices },
  lower: (_, inputs, context) => {
    const write = new Writer(context);
    const sparse = sparseOf(write, inputs, context);
    const dense = inputAt(inputs, 3);
    const rank = context.rank(dense);
    if (sparse === undefined || context.rank(inputAt(inputs, 1)) !== 1 || rank === 0) return undefined;
    const isOther = write.differ(write.shape(dense), sparse.sizes);
    const isLonger = write.differ(write.shape(sparse.sizes), write.longs([rank]));
    const offsets = write.unless(write.test("Or", isOther, isLonger), offsetsOf(write, sparse, rank));
    return [scatterRows(write, dense, { offsets, width: write.longs([1]) }, sparse.values, "add")];
  },
};

/** A tensor of one value with others at indices, which have to ascend: otherwise their order would matter. */
const toDense: Lowering = {
  op: "SparseToDense",
  types: { T: moved, Tindices: indices },
  fits: (node) => node.bool("validate_indices"),
  shapeInputs: [1],
  lower: (_, inputs, context) => {
    const write = new Writer(context);
    const [given, values, fallback] = [inputAt(inputs, 0), inputAt(inputs, 2), inputAt(inputs, 3)];
    const rank = context.shape(inputAt(inputs, 1))?.[0];
    const isRow = context.rank(given) === 2 && context.rank(values) < 2 && context.rank(fallback) === 0;
    if (rank === undefined || rank === 0 || !isRow) return undefined;
    const count = write.shape(given, 0, 1);
    const all = context.rank(values) === 0 ? write.same("Expand", [values, count]) : values;
    const sparse = sparseOf(write, [given, all, inputAt(inputs, 1)], context);
    if (sparse === undefined) return undefined;
    const offsets = offsetsOf(write, sparse, rank);
    const before = write.same("Slice", [
      write.join(write.longs([-1]), offsets),
      write.longs([0]),
      write.longs([-1]),
    ]);
    const isDisordered = write.any(write.test("LessOrEqual", offsets, before));
    const filled = write.same("Expand", [fallback, sparse.sizes]);
    const at = write.unless(isDisordered, sparse.at);
    return [write.same("ScatterND", [filled, at, sparse.values])];
  },
};

/** The gradients of the values, and the sum of those that belong to no value. */
const fillEmptyRowsGradient: Lowering = {
  op: "SparseFillEmptyRowsGrad",
  types: { T: floats },
  lower: (_, inputs, context) => {
    const write = new Writer(context);
    const [given, gradients] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (context.rank(given) !== 1 || context.rank(gradients) !== 1) return undefined;
    const at = write.fromFront(given);
    const zero = write.scalar(gradients.dtype, 0);
    const none = write.same("Expand", [zero, write.shape(at)]);
    // A gradient that a value has may be infinite: it is replaced, not multiplied.
    const rest = write.same("ScatterElements", [gradients, at, none], { axis: int(0) });
    return [
      write.same("Gather", [gradients, at], { axis: int(0) }),
      write.same("ReduceSum", [rest, write.longs([0])], { keepdims: int(0) }),
    ];
  },
};

const small = ["float32", "float64", "int32", "int16", "int8", "uint8"] as const satisfies readonly DType[];

/** Ops of sparse and dense tensors whose results are dense. */
export const sparseLowerings: readonly Lowering[] = [
  elementwise("SparseDenseCwiseMul", "Mul", small),
  elementwise("SparseDenseCwiseAdd", "Add", small),
  elementwise("SparseDenseCwiseDiv", "Div", floats),
  matMul,
  addToDense,
  toDense,
  fillEmptyRowsGradient,
];
