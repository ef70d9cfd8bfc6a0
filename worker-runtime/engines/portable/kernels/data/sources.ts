import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { ObjectTensor, RefValue, type Value } from "../../values.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import { runAt, sliceAt } from "../state/tensor-batches.js";
import { anyType } from "../support/dtypes.js";
import { integersOf, longsOf } from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { cardinality } from "./cardinality.js";
import { countInput, datasetKernel, elementTypes, type Pull } from "./dataset.js";

/** A component of a dataset, numbers or objects. @throws TensorFlowError INVALID_ARGUMENT for a reference. */
function componentOf(value: Value): Tensor | ObjectTensor {
  if (value instanceof RefValue) {
    throw invalidArgument("A dataset's component must be a tensor.");
  }
  return value;
}

/** The slices of tensors along their first dimensions. */
function tensorSlices(context: OpContext): () => Pull {
  const components = context.inputs.map(componentOf);
  const count = components[0]?.shape[0] ?? 0;
  for (const [i, { shape }] of components.entries()) {
    if (shape.length === 0) {
      throw invalidArgument("All components must be at least 1-dimensional");
    }
    if (shape[0] !== count) {
      throw invalidArgument(
        `All components must have the same size in the 0th dimension; component ${i} has ${shape[0]} instead of ${count}`,
      );
    }
  }
  return () => {
    let at = 0;
    return async () => {
      if (at >= count) {
        return undefined;
      }
      at += 1;
      return components.map((component) => rowOf(component, at - 1));
    };
  };
}

/** Slice `index` along the first dimension. */
function rowOf(component: Tensor | ObjectTensor, index: number): Tensor | ObjectTensor {
  const shape = component.shape.slice(1);
  if (component instanceof Tensor) {
    return sliceAt(component, index, shape);
  }
  const size = productOf(shape);
  return new ObjectTensor(component.dtype, shape, component.elements.slice(index * size, (index + 1) * size));
}

/** The rows of a sparse tensor, including empty ones, each as indices, values and shape. */
function sparseSlices(context: OpContext): () => Pull {
  const [indices, values, denseShape] = [0, 1, 2].map((i) => tensorAt(context.inputs, i)) as [
    Tensor,
    Tensor,
    Tensor,
  ];
  const shape = integersOf(denseShape);
  const [count = 0, rank = 0] = indices.shape;
  if (indices.shape.length !== 2 || values.shape.length !== 1 || denseShape.shape.length !== 1) {
    throw invalidArgument("Indices must be a matrix, values and the dense shape vectors.");
  }
  if (values.shape[0] !== count || shape.length !== rank || rank === 0) {
    throw invalidArgument(
      "The number of values and of indices, and the ranks of indices and shape, must match.",
    );
  }
  const indexes = longsOf(indices);
  const firstOf = (at: number) => Number(indexes[at * rank]);
  for (let at = 1; at < count; at += 1) {
    if (firstOf(at) < firstOf(at - 1)) {
      throw unimplemented(
        "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not currently " +
          "supported.",
      );
    }
  }
  const rowShape = new Tensor("int64", [rank - 1], longsOf(denseShape).slice(1));
  return () => {
    let row = 0;
    let at = 0;
    return async () => {
      if (row >= (shape[0] ?? 0)) {
        return undefined;
      }
      const first = at;
      while (at < count && firstOf(at) === row) {
        at += 1;
      }
      row += 1;
      const kept = new BigInt64Array((at - first) * (rank - 1));
      for (let i = first; i < at; i += 1) {
        kept.set(indexes.subarray(i * rank + 1, (i + 1) * rank) as BigInt64Array, (i - first) * (rank - 1));
      }
      return [
        new Tensor("int64", [at - first, rank - 1], kept),
        runAt(values, first, [at - first]),
        rowShape,
      ];
    };
  };
}

function range(context: OpContext): () => Pull {
  const [start, stop, step] = ["start", "stop", "step"].map((what, i) => countInput(context, i, what)) as [
    number,
    number,
    number,
  ];
  if (step === 0) {
    throw invalidArgument("step must be a non-zero integer.");
  }
  return () => {
    let next = start;
    return async () => {
      if (step > 0 ? next >= stop : next <= stop) {
        return undefined;
      }
      const value = new Tensor("int64", [], BigInt64Array.of(BigInt(next)));
      next += step;
      return [value];
    };
  };
}

/** The inputs as elements, each with `components` consecutive inputs. */
function listed(context: OpContext, components: number): () => Pull {
  const elements = context.inputs.map(componentOf);
  return () => {
    let at = 0;
    return async () => {
      const element = elements.slice(at, at + components);
      at += components;
      return element.length < components ? undefined : element;
    };
  };
}

/** Datasets created from tensors and numbers. */
export const sourceKernels: readonly StatefulKernelDefinition[] = [
  datasetKernel(
    "TensorSliceDataset",
    { types: { Toutput_types: anyType }, cardinality: cardinality.rows },
    () => tensorSlices,
  ),
  datasetKernel(
    "TensorDataset",
    { types: { Toutput_types: anyType }, cardinality: cardinality.single },
    () =>
      ({ inputs }) =>
      () => {
        let isDone = false;
        return async () => {
          const element = isDone ? undefined : inputs;
          isDone = true;
          return element;
        };
      },
  ),
  datasetKernel(
    "SparseTensorSliceDataset",
    { types: { Tvalues: anyType }, cardinality: cardinality.given(2) },
    () => sparseSlices,
  ),
  datasetKernel("RangeDataset", { cardinality: cardinality.range }, () => range),
  datasetKernel(
    "ListDataset",
    {
      types: { Tinput_types: anyType, ...elementTypes },
      cardinality: cardinality.listed,
    },
    (node) => {
      const components = node.types("output_types").length;
      if (components === 0 || node.inputs.length % components !== 0) {
        throw invalidArgument(
          `${node.inputs.length} tensors are no whole number of elements of ${components} components.`,
        );
      }
      return (context) => listed(context, components);
    },
  ),
];
