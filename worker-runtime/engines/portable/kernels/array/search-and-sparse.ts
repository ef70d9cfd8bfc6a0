import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { indexTypes, realTypes, tensorTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";

/** The insertion index of each value in its sorted row: before equal ones (lower bound) or after them (upper bound). */
function bounds(sorted: Tensor, values: Tensor, upper: boolean, outType: DType): Tensor {
  if (sorted.shape.length !== 2 || values.shape.length !== 2) {
    throw invalidArgument(
      `sorted input argument must be a matrix, got shapes ${cppShapeText(sorted.shape)} and ${cppShapeText(values.shape)}`,
    );
  }
  const [rows = 0, n = 0] = sorted.shape;
  const [valueRows, m = 0] = values.shape;
  if (valueRows !== rows) {
    throw invalidArgument("Leading dim_size of both tensors must match.");
  }
  const [x, y] = [sorted.data, values.data];
  if (isByteList(x) || isByteList(y)) {
    throw invalidArgument("Strings have no order here.");
  }
  const out = new Float64Array(rows * m);
  for (let i = 0; i < out.length; i += 1) {
    const value = y[i] as number;
    const start = Math.floor(i / m) * n;
    let [low, high] = [0, n];
    while (low < high) {
      const middle = (low + high) >> 1;
      const element = x[start + middle] as number;
      if (upper ? !(value < element) : element < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[i] = low;
  }
  return integerTensor(outType, values.shape, out);
}

/** Checks the required order of a sparse tensor's indices. @throws TensorFlowError INVALID_ARGUMENT */
function checkOrder(row: number, index: readonly number[], last: number | undefined, flat: number): void {
  if (last !== undefined && flat <= last) {
    throw invalidArgument(
      `indices[${row}] = [${index.join(",")}] is ${flat === last ? "repeated" : "out of order. Many sparse ops require sorted indices."}`,
    );
  }
}

/** A tensor filled with a default value, with the given values at the indices. */
function sparseToDense(inputs: readonly Tensor[], validate: boolean): Tensor {
  const [indices, shapeInput, values, fallback] = [0, 1, 2, 3].map((i) => inputAt(inputs, i)) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  if (indices.shape.length > 2) {
    throw invalidArgument(
      `sparse_indices should be a scalar, vector, or matrix, got shape ${cppShapeText(indices.shape)}`,
    );
  }
  if (shapeInput.shape.length !== 1) {
    throw invalidArgument(`output_shape must be rank 1, got shape ${cppShapeText(shapeInput.shape)}`);
  }
  const rows = indices.shape[0] ?? 1;
  const rank = indices.shape[1] ?? 1;
  const shape = integersOf(shapeInput);
  if (shape.length !== rank) {
    throw invalidArgument(
      `output_shape has incorrect number of elements: ${shape.length} should be: ${rank}`,
    );
  }
  if (values.shape.length !== 0 && (values.shape.length !== 1 || values.size !== rows)) {
    throw invalidArgument(
      `sparse_values has incorrect shape ${cppShapeText(values.shape)}, should be [] or [${rows}]`,
    );
  }
  if (fallback.shape.length !== 0) {
    throw invalidArgument("default_value should be a scalar.");
  }
  const out = gatherStrided(fallback, shape, { offset: 0, strides: shape.map(() => 0) });
  const [to, from] = [wordsOf(out.dtype, out.data), wordsOf(values.dtype, values.data)];
  const strides = stridesOf(shape);
  const list = indicesOf(indices);
  let last: number | undefined;
  for (let row = 0; row < rows; row += 1) {
    const index = Array.from(list.slice(row * rank, (row + 1) * rank));
    if (index.some((at, d) => at < 0 || at >= (shape[d] ?? 0))) {
      throw invalidArgument(
        `indices[${row}] = [${index.join(",")}] is out of bounds: need 0 <= index < [${shape.join(",")}]`,
      );
    }
    const flat = index.reduce((sum, at, d) => sum + at * (strides[d] ?? 0), 0);
    if (validate) {
      checkOrder(row, index, last, flat);
    }
    last = flat;
    copyElements(to, flat, from, values.shape.length === 0 ? 0 : row, 1);
  }
  return out;
}

/** Searches in sorted rows, and conversion of sparse tensors to dense ones. */
export const searchAndSparseKernels: readonly KernelDefinition[] = [
  ...(["LowerBound", "UpperBound"] as const).map((op) =>
    pureKernel(
      op,
      (node) => {
        const outType = node.type("out_type");
        return withSmallFloats((inputs) => [
          bounds(inputAt(inputs, 0), inputAt(inputs, 1), op === "UpperBound", outType),
        ]);
      },
      {
        types: { T: realTypes, out_type: indexTypes },
        // One comparison per bisection of a row.
        cost: (_, inputs) =>
          30 * inputAt(inputs, 1).size * Math.log2(2 + (inputAt(inputs, 0).shape.at(-1) ?? 0)),
      },
    ),
  ),
  pureKernel(
    "SparseToDense",
    (node) => {
      const validate = node.bool("validate_indices");
      return (inputs) => [sparseToDense(inputs, validate)];
    },
    {
      types: { T: tensorTypes, Tindices: indexTypes },
      cost: (_, inputs) => 10 * productOf(integersOf(inputAt(inputs, 1))) + 200 * inputAt(inputs, 0).size,
    },
  ),
];
