import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { type KernelOptions, pureKernel } from "../support/define.js";
import { dataTypes, noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, scalarOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf, sameShape, stridesOf } from "../support/shapes.js";
import {
  checkBounds,
  indexOf,
  joined,
  pick,
  rowMajorOrder,
  type SparseTensor,
  sparseAt,
  sparseOf,
  sparseOutputs,
} from "./sparse-tensor.js";

function reorder(sparse: SparseTensor): readonly Tensor[] {
  const order = rowMajorOrder(sparse);
  const indexes = order.map((i) => indexOf(sparse, i));
  return sparseOutputs(indexes, pick(sparse.values, order), sparse.shape).slice(0, 2);
}

/**
 * The requested sizes, with -1 replaced by the inferred size.
 * @throws TensorFlowError INVALID_ARGUMENT if the number of elements would change.
 */
function resolvedShape(from: readonly number[], wanted: readonly number[]): number[] {
  const size = productOf(from);
  const unknown = wanted.indexOf(-1);
  if (unknown >= 0 && wanted.indexOf(-1, unknown + 1) >= 0) {
    throw invalidArgument(
      `only one output dimension may be -1, not both ${unknown} and ${wanted.indexOf(-1, unknown + 1)}`,
    );
  }
  for (const [d, length] of wanted.entries()) {
    if (length < -1) {
      throw invalidArgument(`size ${d} must be non-negative, not ${length}`);
    }
  }
  const known = productOf(wanted.filter((length) => length !== -1));
  if (unknown >= 0 && known === 0) {
    throw invalidArgument(
      "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero",
    );
  }
  const shape = wanted.map((length) => (length === -1 ? Math.floor(size / known) : length));
  if (productOf(shape) !== size) {
    throw invalidArgument(
      unknown >= 0
        ? `Input to reshape is a SparseTensor with ${size} dense values, but the requested shape requires a multiple of ${known}. input_shape=${cppShapeText(from)} output_shape=${cppShapeText(shape)}`
        : `Input to reshape is a tensor with ${size} dense values, but the requested shape has ${productOf(shape)}. input_shape=${cppShapeText(from)} output_shape=${cppShapeText(shape)}`,
    );
  }
  return shape;
}

function reshape(inputs: readonly Tensor[]): readonly Tensor[] {
  const indices = inputAt(inputs, 0);
  const wanted = inputAt(inputs, 2);
  const rows = Math.max(0, indices.shape[0] ?? 0);
  // The op has no values input: any vector of the same length stands in for them.
  const sparse = sparseOf(indices, new Tensor("uint8", [rows], new Uint8Array(rows)), inputAt(inputs, 1));
  if (wanted.shape.length !== 1) {
    throw invalidArgument(`Target shape should be a vector but received shape ${cppShapeText(wanted.shape)}`);
  }
  const shape = resolvedShape(sparse.shape, integersOf(wanted));
  const [from, to] = [stridesOf(sparse.shape), stridesOf(shape)];
  const indexes = Array.from({ length: sparse.count }, (_, i) => {
    let rest = indexOf(sparse, i).reduce((sum, at, d) => sum + at * (from[d] ?? 0), 0);
    return to.map((stride) => {
      const at = Math.floor(rest / stride);
      rest -= at * stride;
      return at;
    });
  });
  const [outIndices, , outShape] = sparseOutputs(indexes, sparse.values, shape);
  return [outIndices, outShape];
}

/** The part that begins at `start`; it is cut off at the end of the tensor. */
function slice(sparse: SparseTensor, start: readonly number[], size: readonly number[]): readonly Tensor[] {
  const shape = sparse.shape.map((length, d) =>
    Math.max(0, Math.min(size[d] ?? 0, length - (start[d] ?? 0))),
  );
  const chosen: number[] = [];
  const indexes: number[][] = [];
  for (let i = 0; i < sparse.count; i += 1) {
    const index = indexOf(sparse, i).map((at, d) => at - (start[d] ?? 0));
    if (index.every((at, d) => at >= 0 && at < (shape[d] ?? 0))) {
      chosen.push(i);
      indexes.push(index);
    }
  }
  return sparseOutputs(indexes, pick(sparse.values, chosen), shape);
}

function sliceInputs(inputs: readonly Tensor[]): readonly Tensor[] {
  const sparse = sparseAt(inputs, 0);
  const [start, size] = [inputAt(inputs, 3), inputAt(inputs, 4)];
  for (const [what, input] of [
    ["start", start],
    ["size", size],
  ] as const) {
    if (input.shape.length !== 1) {
      throw invalidArgument(
        `Input ${what} should be a vector but received shape ${cppShapeText(input.shape)}`,
      );
    }
    if (input.size !== sparse.rank) {
      throw invalidArgument(
        `Expected ${what} to be a vector of length ${sparse.rank} but got length ${input.size}`,
      );
    }
  }
  return slice(sparse, integersOf(start), integersOf(size));
}

function concat(inputs: readonly Tensor[], axis: number): readonly Tensor[] {
  const n = inputs.length / 3;
  const parts = Array.from({ length: n }, (_, i) =>
    sparseOf(inputAt(inputs, i), inputAt(inputs, n + i), inputAt(inputs, 2 * n + i)),
  );
  const rank = parts[0]?.rank ?? 0;
  const along = axisOf(axis, rank, `Concat dimension must be in range [${-rank}, ${rank}), got ${axis}`);
  const others = (shape: readonly number[]) => shape.filter((_, d) => d !== along);
  const [first] = parts;
  const indexes: number[][] = [];
  let length = 0;
  for (const part of parts) {
    if (part.rank !== rank) {
      throw invalidArgument(`Ranks of all input tensors must match: expected ${rank} but got ${part.rank}`);
    }
    if (!sameShape(others(part.shape), others(first?.shape ?? []))) {
      throw invalidArgument(
        `Input shapes must match: expected ${cppShapeText(first?.shape ?? [])} but got ${cppShapeText(part.shape)}`,
      );
    }
    for (let i = 0; i < part.count; i += 1) {
      indexes.push(indexOf(part, i).map((at, d) => (d === along ? at + length : at)));
    }
    length += part.shape[along] ?? 0;
  }
  const shape = (first?.shape ?? []).map((size, d) => (d === along ? length : size));
  const values = joined(
    inputAt(inputs, n).dtype,
    parts.map((part) => part.values),
  );
  const all = sparseOf(...sparseOutputs(indexes, values, shape));
  const order = rowMajorOrder(all);
  return sparseOutputs(
    order.map((i) => indexOf(all, i)),
    pick(values, order),
    shape,
  );
}

/** Parts along one dimension; if it does not divide evenly, the first parts are larger by one. */
function split(inputs: readonly Tensor[], count: number): readonly Tensor[] {
  const sparse = sparseAt(inputs, 1);
  const given = scalarOf(inputAt(inputs, 0), "split_dim");
  const along = axisOf(
    given,
    sparse.rank,
    `Input split_dim should be between 0 and rank (${sparse.rank}), got ${given}`,
  );
  const length = sparse.shape[along] ?? 0;
  if (count < 1 || count > length) {
    throw invalidArgument(
      `Input num_split should be between 1 and the splitting dimension size (${length}), got ${count}`,
    );
  }
  checkBounds(sparse);
  let start = 0;
  const parts = Array.from({ length: count }, (_, i) => {
    const width = Math.floor(length / count) + (i < length % count ? 1 : 0);
    const size = sparse.shape.map((whole, d) => (d === along ? width : whole));
    const from = sparse.shape.map((_, d) => (d === along ? start : 0));
    const part = slice(sparse, from, size);
    start += width;
    return part;
  });
  return [0, 1, 2].flatMap((output) => parts.map((part) => inputAt(part, output)));
}

const sorted: KernelOptions = {
  types: { T: dataTypes },
  cost: (_, inputs) => 500 * inputs.reduce((sum, { size }) => sum + size, 0),
};

/** Ops that reorder, reshape, split and join sparse tensors. */
export const rearrangeKernels: readonly KernelDefinition[] = [
  pureKernel("SparseReorder", () => (inputs) => reorder(sparseAt(inputs, 0)), sorted),
  pureKernel("SparseReshape", () => reshape, { ...sorted, types: noTypes }),
  pureKernel("SparseSlice", () => sliceInputs, sorted),
  pureKernel(
    "SparseConcat",
    (node) => {
      const axis = node.int("concat_dim");
      return (inputs) => concat(inputs, axis);
    },
    sorted,
  ),
  pureKernel(
    "SparseSplit",
    (node) => {
      const count = node.int("num_split");
      return (inputs) => split(inputs, count);
    },
    sorted,
  ),
];
