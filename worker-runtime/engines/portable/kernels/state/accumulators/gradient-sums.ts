import type { DType } from "../../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { TensorData } from "../../../../../protocol/tensor-data.js";
import type { PartialShape } from "../../kernel-node.js";
import { allocate } from "../../support/allocation.js";
import { indicesOf } from "../../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";
import { fitsPartial, partialText } from "../partial-shapes.js";
import { joined, sliceAt } from "../tensor-batches.js";
import type { GradientSum } from "./accumulator.js";

/** The attribute reduction_type: "MEAN" or "SUM". */
export type Reduction = "MEAN" | "SUM";

function copyOf({ dtype, shape, data, size }: Tensor): Tensor {
  const target = allocate(dtype, shape);
  updateElements("update", { dtype, target, at: 0, source: data, from: 0, length: size, step: 1 });
  return new Tensor(dtype, shape, target);
}

function addTo(target: Tensor, source: Tensor): void {
  const { dtype, data, size } = target;
  updateElements("add", { dtype, target: data, at: 0, source: source.data, from: 0, length: size, step: 1 });
}

function divide(target: Tensor, count: number): void {
  const { dtype, data, size } = target;
  const divisor: TensorData = Tensor.of(count, dtype).data;
  updateElements("div", { dtype, target: data, at: 0, source: divisor, from: 0, length: size, step: 0 });
}

/** Sums tensors of one shape. */
export class DenseGradientSum implements GradientSum<Tensor> {
  readonly dtype: DType;
  readonly #shape: PartialShape;
  readonly #reduction: Reduction;
  /** Owned by this object; undefined before the first gradient. */
  #sum: Tensor | undefined;

  constructor(dtype: DType, shape: PartialShape, reduction: Reduction) {
    this.dtype = dtype;
    this.#shape = shape;
    this.#reduction = reduction;
  }

  add(gradient: Tensor): void {
    const { shape } = gradient;
    if (!fitsPartial(shape, this.#shape)) {
      throw invalidArgument(
        `Shape mismatch: expected ${partialText(this.#shape)}, got ${cppShapeText(shape)}`,
      );
    }
    if (this.#sum === undefined) {
      this.#sum = copyOf(gradient);
    } else if (sameShape(this.#sum.shape, shape)) {
      addTo(this.#sum, gradient);
    } else {
      throw invalidArgument(
        `Shape mismatch: expected ${cppShapeText(this.#sum.shape)}, got ${cppShapeText(shape)}`,
      );
    }
  }

  take(count: number): readonly Tensor[] {
    const sum = this.#sum;
    this.#sum = undefined;
    if (sum === undefined) {
      return [];
    }
    if (this.#reduction === "MEAN") {
      divide(sum, count);
    }
    return [sum];
  }
}

/** Rows of a large gradient: its row `indices[i]` is `values[i]`. */
export interface SparseGradient {
  readonly indices: Tensor;
  readonly values: Tensor;
  /** The shape of the whole gradient; [] if the sender does not know it. */
  readonly shape: readonly number[];
}

interface Row {
  readonly sum: Tensor;
  /** The number of gradients that contained this row. */
  count: number;
}

/** Sums sparse gradients row by row; the mean of a row is taken over the gradients that contain it. */
export class SparseGradientSum implements GradientSum<SparseGradient> {
  readonly dtype: DType;
  readonly #shape: PartialShape;
  readonly #reduction: Reduction;
  #rows = new Map<number, Row>();
  /** The row shape of the first gradient since the last take. */
  #rowShape: readonly number[] | undefined;

  constructor(dtype: DType, shape: PartialShape, reduction: Reduction) {
    this.dtype = dtype;
    this.#shape = shape;
    this.#reduction = reduction;
  }

  add({ indices, values, shape }: SparseGradient): void {
    this.#check(indices, values, shape);
    const rowShape = values.shape.slice(1);
    if (this.#rowShape !== undefined && !sameShape(this.#rowShape, rowShape)) {
      throw invalidArgument(
        `Shape mismatch: expected values of shape ${cppShapeText(this.#rowShape)}, got ${cppShapeText(rowShape)}`,
      );
    }
    this.#rowShape = rowShape;
    const list = indicesOf(indices);
    for (let i = 0; i < list.length; i += 1) {
      const index = list[i] as number;
      const value = sliceAt(values, i, rowShape);
      const row = this.#rows.get(index);
      if (row === undefined) {
        this.#rows.set(index, { sum: copyOf(value), count: 1 });
      } else {
        addTo(row.sum, value);
        row.count += 1;
      }
    }
  }

  take(): readonly Tensor[] {
    const rows = [...this.#rows].sort(([a], [b]) => a - b);
    const rowShape = this.#rowShape ?? [];
    this.#rows = new Map();
    this.#rowShape = undefined;
    if (this.#reduction === "MEAN") {
      for (const [, { sum, count }] of rows) {
        divide(sum, count);
      }
    }
    const values = joined(
      this.dtype,
      [rows.length, ...rowShape],
      rows.map(([, { sum }]) => sum),
    );
    const wholeShape = [this.#shape?.[0] ?? -1, ...rowShape];
    return [
      new Tensor(
        "int64",
        [rows.length],
        BigInt64Array.from(rows, ([index]) => BigInt(index)),
      ),
      values,
      new Tensor("int64", [wholeShape.length], BigInt64Array.from(wholeShape, BigInt)),
    ];
  }

  #check(indices: Tensor, values: Tensor, shape: readonly number[]): void {
    if (indices.shape.length !== 1) {
      throw invalidArgument(
        `Input indices should be vector but received shape: ${cppShapeText(indices.shape)}`,
      );
    }
    if (values.shape.length === 0) {
      throw invalidArgument("Values cannot be 0-dimensional.");
    }
    if (values.shape[0] !== indices.size) {
      throw invalidArgument(`Expected ${indices.size} non-empty input values, got ${values.shape[0]}.`);
    }
    const expected = this.#shape;
    if (shape.length > 0 && !fitsPartial(shape, expected)) {
      throw invalidArgument(
        `Shape mismatch: expected shape rank at least ${expected?.length ?? 0}, got ${shape.length}`,
      );
    }
    if (
      expected !== undefined &&
      expected.length > 0 &&
      !fitsPartial(values.shape.slice(1), expected.slice(1))
    ) {
      throw invalidArgument(
        `Shape mismatch: expected values of shape ${partialText([-1, ...expected.slice(1)])}, ` +
          `got ${cppShapeText(values.shape)}`,
      );
    }
    const rows = expected?.[0] ?? -1;
    if (rows >= 0 && productOf(indices.shape) > 0) {
      for (const index of indicesOf(indices)) {
        if (index < 0 || index >= rows) {
          throw invalidArgument(
            `Shape mismatch: index of slice ${index} exceeded limits of shape; index is ${index} exceeded ${rows}`,
          );
        }
      }
    }
  }
}
