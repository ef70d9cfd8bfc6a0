import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";

/** The indices of element `flat` of a shape: "1,0". */
function positionText(flat: number, shape: readonly number[]): string {
  const strides = stridesOf(shape);
  return shape.map((size, axis) => Math.floor(flat / (strides[axis] ?? 1)) % size).join(",");
}

/**
 * Gathers slices of a tensor along an axis by index.
 * @param batchDims the number of leading dimensions that both share: slices are gathered separately in each batch.
 * @throws TensorFlowError INVALID_ARGUMENT "indices[0] = 5 is not in [0, 3)"
 */
function gathered(params: Tensor, indices: Tensor, axis: number, batchDims: number): Tensor {
  const shape = [
    ...params.shape.slice(0, axis),
    ...indices.shape.slice(batchDims),
    ...params.shape.slice(axis + 1),
  ];
  const limit = params.shape[axis] ?? 0;
  const data = allocate(params.dtype, shape);
  const to = wordsOf(params.dtype, data);
  const from = wordsOf(params.dtype, params.data);
  const list = indicesOf(indices);
  const batches = productOf(params.shape, 0, batchDims);
  const outer = productOf(params.shape, batchDims, axis);
  const inner = productOf(params.shape, axis + 1);
  const perBatch = batches === 0 ? 0 : list.length / batches;
  for (let i = 0; i < list.length; i += 1) {
    const index = list[i] as number;
    if (!(index >= 0 && index < limit)) {
      const where = indices.shape.length === 0 ? "" : `[${positionText(i, indices.shape)}]`;
      throw invalidArgument(`indices${where} = ${index} is not in [0, ${limit})`);
    }
  }
  let t = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    for (let o = 0; o < outer; o += 1) {
      const row = (batch * outer + o) * limit;
      for (let i = 0; i < perBatch; i += 1) {
        copyElements(to, t, from, (row + (list[batch * perBatch + i] as number)) * inner, inner);
        t += inner;
      }
    }
  }
  return new Tensor(params.dtype, shape, data);
}

/** Gathers slices along an axis by indices that are known to be valid. */
export function takeAlong(input: Tensor, axis: number, indices: readonly number[]): Tensor {
  return gathered(input, new Tensor("int32", [indices.length], Int32Array.from(indices)), axis, 0);
}

function gatherV2(params: Tensor, indices: Tensor, axisInput: Tensor, batchGiven: number): Tensor {
  if (axisInput.size !== 1) {
    throw invalidArgument("axis must be scalar");
  }
  const rank = params.shape.length;
  const axisGiven = integersOf(axisInput)[0] ?? 0;
  const axis = axisOf(
    axisGiven,
    rank,
    `Expected axis in the range [${-rank}, ${rank}), but got ${axisGiven}`,
  );
  const indexRank = indices.shape.length;
  if (batchGiven !== 0 && (batchGiven < -indexRank || batchGiven > indexRank)) {
    throw invalidArgument(
      `Expected batch_dims in the range [${-indexRank}, ${indexRank}], but got ${batchGiven}`,
    );
  }
  const batchDims = batchGiven < 0 ? batchGiven + indexRank : batchGiven;
  if (batchDims >= rank && batchDims > 0) {
    throw invalidArgument(`batch_dims (${batchDims}) must be less than rank(params) (${rank}).`);
  }
  if (axis < batchDims) {
    throw invalidArgument(`batch_dims (${batchDims}) must be less than or equal to axis (${axis}).`);
  }
  for (let d = 0; d < batchDims; d += 1) {
    if (params.shape[d] !== indices.shape[d]) {
      throw invalidArgument(
        `params.shape[${d}]: ${params.shape[d]} should be equal to indices.shape[${d}]: ${indices.shape[d]}`,
      );
    }
  }
  return gathered(params, indices, axis, batchDims);
}

/** The offset (in slices) for each row of an index matrix. @throws TensorFlowError INVALID_ARGUMENT */
export function sliceOffsets(
  indices: Tensor,
  depth: number,
  shape: readonly number[],
  refuse: (row: number, index: readonly number[]) => never,
): Float64Array {
  const list = indicesOf(indices);
  const rows = productOf(indices.shape, 0, indices.shape.length - 1);
  const strides = stridesOf(shape.slice(0, depth));
  const offsets = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let offset = 0;
    for (let d = 0; d < depth; d += 1) {
      const index = list[row * depth + d] as number;
      if (!(index >= 0 && index < (shape[d] as number))) {
        refuse(row, Array.from(list.slice(row * depth, (row + 1) * depth)));
      }
      offset += index * (strides[d] as number);
    }
    offsets[row] = offset;
  }
  return offsets;
}

function gatherNd(params: Tensor, indices: Tensor): Tensor {
  if (params.shape.length < 1) {
    throw invalidArgument("params must be at least a vector");
  }
  if (indices.shape.length < 1) {
    throw invalidArgument("indices must be at least a vector");
  }
  const depth = indices.shape.at(-1) ?? 0;
  if (depth > params.shape.length) {
    throw invalidArgument(
      `index innermost dimension length must be <= params rank; saw: ${depth} vs. ${params.shape.length}`,
    );
  }
  const outer = indices.shape.slice(0, -1);
  const shape = [...outer, ...params.shape.slice(depth)];
  if (productOf(outer) > 0 && params.size === 0 && productOf(params.shape.slice(0, depth)) === 0) {
    throw invalidArgument("Requested more than 0 entries, but params is empty.");
  }
  const offsets = sliceOffsets(indices, depth, params.shape, (row, index) => {
    throw invalidArgument(
      `indices[${positionText(row, outer)}] = [${index.join(", ")}] does not index into param shape ${cppShapeText(params.shape)}`,
    );
  });
  const data = allocate(params.dtype, shape);
  const to = wordsOf(params.dtype, data);
  const from = wordsOf(params.dtype, params.data);
  const inner = productOf(params.shape, depth);
  for (let row = 0; row < offsets.length; row += 1) {
    copyElements(to, row * inner, from, (offsets[row] as number) * inner, inner);
  }
  return new Tensor(params.dtype, shape, data);
}

const NANOS_PER_INDEX = 30;
const NANOS_PER_COPY = 5;

/**
 * The cost of gathering along an axis: it depends on the size of the result, not of the input. (With an invalid axis,
 * the estimate is meaningless, and the kernel throws.)
 */
function gatherCost(params: Tensor, indices: Tensor, axis: number, batchDims: number): number {
  const rank = params.shape.length;
  const limit = Math.max(params.shape[axis < 0 ? axis + rank : axis] ?? 1, 1);
  const batchEnd = batchDims < 0 ? batchDims + indices.shape.length : batchDims;
  const batches = Math.max(productOf(params.shape, 0, Math.min(Math.max(batchEnd, 0), rank)), 1);
  return indices.size * (NANOS_PER_INDEX + (params.size / limit / batches) * NANOS_PER_COPY);
}

/** Ops that gather slices by index. */
export const gatherKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Gather",
    () => (inputs) => {
      const params = inputAt(inputs, 0);
      if (params.shape.length < 1) {
        throw invalidArgument("params must be at least 1 dimensional");
      }
      return [gathered(params, inputAt(inputs, 1), 0, 0)];
    },
    {
      types: { Tparams: tensorTypes, Tindices: indexTypes },
      cost: (_, inputs) => gatherCost(inputAt(inputs, 0), inputAt(inputs, 1), 0, 0),
    },
  ),
  pureKernel(
    "GatherV2",
    (node) => {
      const batchDims = node.int("batch_dims");
      return (inputs) => [gatherV2(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), batchDims)];
    },
    {
      types: { Tparams: tensorTypes, Tindices: [...indexTypes, "int16"], Taxis: indexTypes },
      cost: (node, inputs) =>
        gatherCost(
          inputAt(inputs, 0),
          inputAt(inputs, 1),
          integersOf(inputAt(inputs, 2))[0] ?? 0,
          node.int("batch_dims"),
        ),
    },
  ),
  pureKernel("GatherNd", () => (inputs) => [gatherNd(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: { Tparams: tensorTypes, Tindices: [...indexTypes, "int16"] },
    cost: (_, inputs) => {
      const [{ shape }, indices] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const depth = indices.shape.at(-1) ?? 0;
      const rows = productOf(indices.shape, 0, indices.shape.length - 1);
      return indices.size * NANOS_PER_INDEX + rows * productOf(shape, depth) * NANOS_PER_COPY;
    },
  }),
];
