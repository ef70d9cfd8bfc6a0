import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { perResult, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, newNumbers, numbersOf, scalarOf } from "../support/elements.js";
import { productOf } from "../support/shapes.js";

const NANOSECONDS_PER_ELEMENT = 5;

/** The share of a segment's gradient that each of this many rows receives. */
type Share = (rows: number) => number;

/** The gradient of rows that were gathered and reduced by segment. */
function gradient(inputs: readonly Tensor[], share: Share): Tensor {
  const [gradients, indices, ids] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  if (indices.shape.length !== 1 || ids.shape.length !== 1 || indices.size !== ids.size) {
    throw invalidArgument("segment_ids and indices should be vectors of the same size.");
  }
  if (gradients.shape.length === 0) {
    throw invalidArgument("grad must not be a scalar.");
  }
  const count = scalarOf(inputAt(inputs, 3), "output_dim0");
  const [segments = 0, ...rowShape] = gradients.shape;
  if (count === 0) {
    // Like TensorFlow, checks no index if the result has no rows.
    return new Tensor(gradients.dtype, [0, ...rowShape], newNumbers(gradients.dtype, [0]));
  }
  const [rows, owners] = [indicesOf(indices), indicesOf(ids)];
  const sizes = new Float64Array(segments);
  for (let i = 0; i < rows.length; i += 1) {
    const [row, segment] = [rows[i] ?? 0, owners[i] ?? 0];
    if (!(segment >= 0 && segment < segments)) {
      throw invalidArgument(`Segment id ${segment} out of range [0, ${segments}).`);
    }
    if (!(row >= 0 && row < count)) {
      throw invalidArgument(`Index ${row} out of range [0, ${count}).`);
    }
    sizes[segment] = (sizes[segment] ?? 0) + 1;
  }
  const width = productOf(rowShape);
  const given = numbersOf(gradients);
  const out = newNumbers(gradients.dtype, [count, ...rowShape]);
  for (let i = 0; i < rows.length; i += 1) {
    const [to, from] = [(rows[i] ?? 0) * width, (owners[i] ?? 0) * width];
    const scale = share(sizes[owners[i] ?? 0] ?? 1);
    for (let k = 0; k < width; k += 1) {
      out[to + k] = (out[to + k] ?? 0) + (given[from + k] ?? 0) * scale;
    }
  }
  return new Tensor(gradients.dtype, [count, ...rowShape], out);
}

const shares: Readonly<Record<string, Share>> = {
  SparseSegmentSumGrad: () => 1,
  SparseSegmentMeanGrad: (rows) => 1 / rows,
  SparseSegmentSqrtNGrad: (rows) => 1 / Math.sqrt(rows),
};

function sizeOfResult(inputs: readonly Tensor[]): number {
  const [gradients, indices, count] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 3)];
  return (indices.size + scalarOf(count, "output_dim0")) * Math.max(1, productOf(gradients.shape, 1));
}

/** Gradients of sums and means over segments of gathered rows, used by sparse embeddings. */
export const segmentGradientKernels: readonly KernelDefinition[] = Object.entries(shares).map(([op, share]) =>
  pureKernel(op, () => withSmallFloats((inputs) => [gradient(inputs, share)]), {
    types: { T: allFloatTypes, Tidx: indexTypes, Tsegmentids: indexTypes },
    cost: perResult(NANOSECONDS_PER_ELEMENT, sizeOfResult),
  }),
);
