import { dataLoss, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { variantOfSparse } from "../sparse/serialized.js";
import { joined } from "../state/tensor-batches.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { batched, batchSize, columnOf } from "./batches.js";
import { cardinality } from "./cardinality.js";
import { type Dataset, type Element, type Pull, transformation } from "./dataset.js";

/** Batches of dense tensors of one rank as sparse tensors, with all elements explicit. */
function sparseBatch(input: Dataset, context: OpContext): () => Pull {
  const rowShape = integersOf(tensorAt(context.inputs, 2));
  return batched(
    () => input.iterate(),
    batchSize(context, 1, false),
    (elements: readonly Element[]): Element => {
      const column = columnOf(elements, 0);
      return [
        sparseOfDense(
          column.map((_, i) => tensorAt(column, i)),
          rowShape,
        ),
      ];
    },
  );
}

/** @throws TensorFlowError INVALID_ARGUMENT for a different rank, DATA_LOSS for a row that is too large. */
function sparseOfDense(rows: readonly Tensor[], rowShape: readonly number[]) {
  const sizes = rowShape.map((size, d) =>
    size >= 0 ? size : rows.reduce((most, { shape }) => Math.max(most, shape[d] ?? 0), 0),
  );
  for (const { shape } of rows) {
    if (shape.length !== sizes.length) {
      throw invalidArgument(
        `Input element had shape (${cppShapeText(shape)}) that is incompatible with the row shape (${cppShapeText(sizes)}).`,
      );
    }
    if (shape.some((size, d) => size > (sizes[d] ?? 0))) {
      throw dataLoss(
        `Input element had shape (${cppShapeText(shape)}) that is larger than the row shape (${cppShapeText(sizes)}).`,
      );
    }
  }
  const rank = sizes.length;
  const total = rows.reduce((sum, { size }) => sum + size, 0);
  const indexes = new BigInt64Array(total * (rank + 1));
  let at = 0;
  for (const [row, { shape, size }] of rows.entries()) {
    for (let element = 0; element < size; element += 1) {
      indexes[at] = BigInt(row);
      let rest = element;
      for (let d = rank - 1; d >= 0; d -= 1) {
        indexes[at + 1 + d] = BigInt(rest % (shape[d] ?? 1));
        rest = Math.floor(rest / (shape[d] ?? 1));
      }
      at += rank + 1;
    }
  }
  const [first] = rows;
  return variantOfSparse(
    new Tensor("int64", [total, rank + 1], indexes),
    joined(first?.dtype ?? "float32", [total], rows),
    new Tensor("int64", [rank + 1], BigInt64Array.from([rows.length, ...sizes], BigInt)),
  );
}

/** Datasets of sparse tensors. */
export const sparseBatchKernels: readonly StatefulKernelDefinition[] = [
  transformation("DenseToSparseBatchDataset", { cardinality: cardinality.batched() }, sparseBatch),
];
