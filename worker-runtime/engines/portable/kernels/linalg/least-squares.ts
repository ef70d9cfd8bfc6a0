import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, scalarOf } from "../support/elements.js";
import { sameShape } from "../support/shapes.js";
import { batchSize, matrixAt, matrixSizes } from "./matrix-batch.js";
import { type SingularValues, singularValues } from "./singular-values.js";

/** Half of the digits of a dtype: the fast method solves equations with the square of the condition number. */
const HALF_PRECISION: Partial<Record<DType, number>> = { float32: 2 ** -12, float64: 2 ** -26 };
const PRECISION: Partial<Record<DType, number>> = { float32: 2 ** -23, float64: 2 ** -52 };

/** The replacement for 1 / value: 1 / value itself, less with a regularizer, and 0 for a value near 0. */
type Inverse = (value: number, largest: number) => number;

/** V · diag(inverse) · Uᵀ · b. */
function solve(
  { values, u, v }: SingularValues,
  b: Float64Array,
  [rows, columns, width]: readonly [number, number, number],
  inverse: Inverse,
): Float64Array {
  const inner = values.length;
  const x = new Float64Array(columns * width);
  for (let k = 0; k < inner; k += 1) {
    const factor = inverse(values[k] as number, values[0] as number);
    for (let j = 0; j < width && factor !== 0; j += 1) {
      let sum = 0;
      for (let i = 0; i < rows; i += 1) {
        sum += (u[i * inner + k] as number) * (b[i * width + j] as number);
      }
      for (let i = 0; i < columns; i += 1) {
        const at = i * width + j;
        x[at] = (x[at] as number) + factor * sum * (v[i * inner + k] as number);
      }
    }
  }
  return x;
}

function leastSquares(matrix: Tensor, right: Tensor, regularizer: Tensor, fast: boolean): Tensor {
  const [rows, columns] = matrixSizes(matrix);
  const [height, width] = matrixSizes(right);
  if (!sameShape(matrix.shape.slice(0, -2), right.shape.slice(0, -2))) {
    throw invalidArgument("All input tensors must have the same outer dimensions.");
  }
  if (rows !== height) {
    throw invalidArgument("Input matrix and rhs are incompatible.");
  }
  const l2 = scalarOf(regularizer, "l2_regularizer");
  if (l2 < 0) {
    throw invalidArgument("l2_regularizer must be >= 0.");
  }
  const { dtype } = matrix;
  const limit = ((fast ? HALF_PRECISION : PRECISION)[dtype] ?? 0) * (fast ? 1 : Math.max(rows, columns));
  const inverse: Inverse = fast
    ? (value, largest) => {
        if (l2 === 0 && value <= limit * largest) {
          throw invalidArgument(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer > 0.",
          );
        }
        return value / (value * value + l2);
      }
    : (value, largest) => (value > limit * largest ? 1 / value : 0);
  const shape = [...right.shape.slice(0, -2), columns, width];
  const out = newNumbers(dtype, shape);
  for (let index = 0; index < batchSize(matrix); index += 1) {
    const found = singularValues(matrixAt(matrix, index), rows, columns);
    out.set(solve(found, matrixAt(right, index), [rows, columns, width], inverse), index * columns * width);
  }
  return new Tensor(dtype, shape, out);
}

/** Overhead per matrix. */
const NANOS_PER_MATRIX = 5000;

/**
 * The x that minimizes |matrix · x - rhs|² + l2_regularizer · |x|², and the shortest one of those. Like TensorFlow,
 * ignores the regularizer unless the attribute fast is set.
 */
export const leastSquaresKernel: PureKernelDefinition = pureKernel(
  "MatrixSolveLs",
  (node) => {
    const fast = node.bool("fast");
    return (inputs) => [leastSquares(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), fast)];
  },
  {
    types: { T: floatTypes as readonly DType[] },
    cost: (_, [matrix, right]) => {
      const [rows = 0, columns = 0] = matrix?.shape.slice(-2) ?? [];
      const count = (matrix?.size ?? 0) / Math.max(1, rows * columns);
      const unknowns = count * columns * (right?.shape.at(-1) ?? 0);
      return (
        count * (rows * columns * Math.min(rows, columns) * 80 + NANOS_PER_MATRIX) +
        ((right?.size ?? 0) + unknowns) * Math.min(rows, columns) * 5
      );
    },
  },
);
