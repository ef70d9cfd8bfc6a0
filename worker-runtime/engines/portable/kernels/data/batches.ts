import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { ObjectTensor, RefValue, type Value } from "../../values.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { stack, unstack } from "../state/tensor-batches.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { cardinality } from "./cardinality.js";
import { collect, countInput, type Dataset, type Element, type Pull, transformation } from "./dataset.js";

/**
 * Stacks values of one component along a new first dimension.
 * @throws TensorFlowError INVALID_ARGUMENT for unequal shapes.
 */
function batchOf(values: readonly Value[], component: number): Value {
  const [first] = values;
  if (first instanceof RefValue || first === undefined) {
    throw invalidArgument("A dataset's component must be a tensor.");
  }
  for (const [i, value] of values.entries()) {
    if (value instanceof RefValue || !sameShape(value.shape, first.shape)) {
      const shape = value instanceof RefValue ? [] : value.shape;
      throw invalidArgument(
        `Cannot batch tensors with different shapes in component ${component}. First element had shape ` +
          `${cppShapeText(first.shape)} and element ${i} had shape ${cppShapeText(shape)}.`,
      );
    }
  }
  if (first instanceof ObjectTensor) {
    const elements = (values as readonly ObjectTensor[]).flatMap((value) => value.elements);
    return new ObjectTensor(first.dtype, [values.length, ...first.shape], elements);
  }
  return stack(first.dtype, first.shape, values as readonly Tensor[]);
}

/** Batches each component of the elements. */
export function batchOfElements(elements: readonly Element[]): Element {
  return (elements[0] ?? []).map((_, i) => batchOf(columnOf(elements, i), i));
}

/** Component `index` of each element. */
export function columnOf(elements: readonly Element[], index: number): readonly Value[] {
  return elements.map((element) => element[index] as Value);
}

/** The number of elements per batch, and whether a smaller last batch is dropped. */
export interface BatchSize {
  readonly size: number;
  readonly dropRemainder: boolean;
}

/** @param index the input with the size. @throws TensorFlowError INVALID_ARGUMENT */
export function batchSize(context: OpContext, index: number, dropRemainder: boolean): BatchSize {
  const size = countInput(context, index, "batch_size");
  if (size <= 0) {
    throw invalidArgument("Batch size must be greater than zero.");
  }
  return { size, dropRemainder };
}

/** Whether the bool at input `index` is true. Older ops lack this input and keep the remainder. */
export function dropsRemainder(context: OpContext, index: number): boolean {
  return context.inputs[index] !== undefined && countInput(context, index, "drop_remainder") !== 0;
}

/** Applies `make` to each batch of elements. */
export function batched(
  open: () => Pull,
  { size, dropRemainder }: BatchSize,
  make: (elements: readonly Element[]) => Element = batchOfElements,
): () => Pull {
  return () => {
    const pull = open();
    return async (step) => {
      const elements = await collect(pull, step, size);
      return elements.length === 0 || (dropRemainder && elements.length < size) ? undefined : make(elements);
    };
  };
}

/** The rows of elements that are batches, as elements. */
function unbatch(input: Dataset): () => Pull {
  return () => {
    const pull = input.iterate();
    let rows: readonly Element[] = [];
    let at = 0;
    return async (step) => {
      for (;;) {
        const row = rows[at];
        if (row !== undefined) {
          at += 1;
          return row;
        }
        const element = await pull(step);
        if (element === undefined) {
          return undefined;
        }
        rows = rowsOf(element);
        at = 0;
      }
    };
  };
}

/** The slices of an element's components along their first dimensions. @throws TensorFlowError INVALID_ARGUMENT */
function rowsOf(element: Element): readonly Element[] {
  const slices = element.map((value) => {
    if (value instanceof RefValue || value.shape.length === 0) {
      throw invalidArgument("Input element must have a non-scalar value in each component.");
    }
    return slicesOf(value);
  });
  const count = slices[0]?.length ?? 0;
  if (slices.some(({ length }) => length !== count)) {
    throw invalidArgument("Input element must have the same batch size in each component.");
  }
  return Array.from({ length: count }, (_, i) => slices.map((column) => column[i] as Value));
}

function slicesOf(value: Tensor | ObjectTensor): readonly Value[] {
  if (value instanceof Tensor) {
    return unstack(value);
  }
  const [count = 0, ...shape] = value.shape;
  const size = productOf(shape);
  return Array.from(
    { length: count },
    (_, i) => new ObjectTensor(value.dtype, shape, value.elements.slice(i * size, (i + 1) * size)),
  );
}

/** Batches of the rows of batches, with the given sizes in turn. */
function rebatch(input: Dataset, context: OpContext): () => Pull {
  const sizes = integersOf(tensorAt(context.inputs, 1));
  if (sizes.length === 0 || sizes.some((size) => size <= 0)) {
    throw invalidArgument("`batch_sizes` must be positive.");
  }
  const dropRemainder = dropsRemainder(context, 2);
  const openRows = unbatch(input);
  return () => {
    const pull = openRows();
    let turn = 0;
    return async (step) => {
      const size = sizes[turn % sizes.length] ?? 1;
      turn += 1;
      const rows = await collect(pull, step, size);
      return rows.length === 0 || (dropRemainder && rows.length < size) ? undefined : batchOfElements(rows);
    };
  };
}

/** Datasets that batch or unbatch the elements of other datasets. */
export const batchKernels: readonly StatefulKernelDefinition[] = [
  transformation("BatchDataset", { cardinality: cardinality.batched() }, (input, context) =>
    batched(() => input.iterate(), batchSize(context, 1, false)),
  ),
  transformation("BatchDatasetV2", { cardinality: cardinality.batched(2) }, (input, context) =>
    batched(() => input.iterate(), batchSize(context, 1, dropsRemainder(context, 2))),
  ),
  transformation("ParallelBatchDataset", { cardinality: cardinality.batched(3) }, (input, context) =>
    batched(() => input.iterate(), batchSize(context, 1, dropsRemainder(context, 3))),
  ),
  transformation("UnbatchDataset", {}, unbatch),
  transformation("RebatchDatasetV2", {}, rebatch),
];
