import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { mapped, type PausingWork } from "../../pauses.js";
import { ObjectTensor, type Value, type VariantObject } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { joined, runAt, unstacking } from "../state/tensor-batches.js";
import { zeroTensor } from "../support/allocation.js";
import { anyType, indexTypes } from "../support/dtypes.js";
import { integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { atPauses } from "../support/turns.js";
import { nestedSplitsOf, type RowSplits } from "./row-splits.js";

/** A ragged tensor as a single object, as used by map_fn and datasets. */
class RaggedVariant implements VariantObject {
  readonly typeName = "RaggedTensorVariant";
  /** From the outermost ragged dimension to the innermost. */
  readonly splits: readonly Tensor[];
  readonly values: Tensor;

  constructor(splits: readonly Tensor[], values: Tensor) {
    this.splits = splits;
    this.values = values;
  }

  /** @throws TensorFlowError UNIMPLEMENTED, always. */
  encode(): never {
    throw unimplemented("A ragged tensor that is one object cannot leave its task.");
  }
}

/** The rows of a dense tensor from `first` up to, not including, `end`. */
function rowsOf(values: Tensor, first: number, end: number): Tensor {
  const inner = values.shape.slice(1);
  return runAt(values, first * productOf(inner), [end - first, ...inner]);
}

/** Rows converted to objects between two pauses: a few milliseconds' work. */
const ROWS_PER_PAUSE = 1024;

/** The rows of the outermost dimension, each a ragged tensor of one rank less. */
function componentsOf(
  [outer, ...inner]: readonly RowSplits[],
  dtype: Tensor["dtype"],
  values: Tensor,
): PausingWork<RaggedVariant[]> {
  const component = (start: number, row: number): RaggedVariant => {
    let [first, end] = [start, outer?.[row + 1] ?? 0];
    const own = inner.map((level: RowSplits) => {
      const base = level[first] ?? 0;
      const rebased = level.slice(first, end + 1).map((split) => split - base);
      [first, end] = [base, level[end] ?? 0];
      return integerTensor(dtype, [rebased.length], rebased);
    });
    return new RaggedVariant(own, rowsOf(values, first, end));
  };
  return mapped((outer ?? []).slice(0, -1), component, ROWS_PER_PAUSE);
}

function toVariant(node: KernelNode): (context: OpContext) => Outputs | Promise<Outputs> {
  const rank = node.int("RAGGED_RANK");
  const isBatch = node.bool("batched_input");
  return ({ inputs, step }) => {
    const splits = inputs.slice(0, rank).map((_, i) => tensorAt(inputs, i));
    const values = tensorAt(inputs, rank);
    const nested = nestedSplitsOf(splits, values.shape[0] ?? 0);
    if (!isBatch) {
      return [ObjectTensor.variant(new RaggedVariant(splits, values))];
    }
    if (values.shape.length === 0) {
      throw invalidArgument("Ragged values must have rank >= 1");
    }
    const batch = rank === 0 ? denseRows(values) : componentsOf(nested, node.type("Tsplits"), values);
    return atPauses(asVariants(batch), step.signal);
  };
}

function* denseRows(values: Tensor): PausingWork<RaggedVariant[]> {
  return yield* mapped(yield* unstacking(values), (row) => new RaggedVariant([], row));
}

function* asVariants(batch: PausingWork<RaggedVariant[]>): PausingWork<Outputs> {
  const components = yield* batch;
  return [new ObjectTensor("variant", [components.length], components)];
}

/** The ragged tensors of a variant. @throws TensorFlowError INVALID_ARGUMENT for other objects. */
function raggedElements(value: Value | undefined): readonly RaggedVariant[] {
  const elements = value instanceof ObjectTensor ? value.elements : [];
  return elements.map((element, i) => {
    if (!(element instanceof RaggedVariant)) {
      throw invalidArgument(`Input Variant element at index ${i} doesn't hold a RaggedTensorVariant`);
    }
    return element;
  });
}

/** The requirements for the elements of a variant. */
interface Expected {
  readonly rank: number;
  readonly valueType: string;
  readonly splitType: string;
}

function checkElement({ splits, values }: RaggedVariant, { rank, valueType, splitType }: Expected): void {
  if (splits.length !== rank) {
    throw invalidArgument(
      `Encoded input RaggedTensorVariant has ragged_rank=${splits.length}.  Expected ragged_rank=${rank}.`,
    );
  }
  if (values.dtype !== valueType) {
    throw invalidArgument(`Expected values Tensor dtype: ${valueType}, found: ${values.dtype}`);
  }
  if (values.shape.length === 0) {
    throw invalidArgument("Ragged values must have rank >= 1");
  }
  const wrong = splits.find(({ dtype }) => dtype !== splitType);
  if (wrong !== undefined) {
    throw invalidArgument(`Expected row_splits Tensor dtype: ${splitType}, found: ${wrong.dtype}`);
  }
}

/** The concatenated values of all elements. @throws TensorFlowError INVALID_ARGUMENT for different inner shapes. */
function joinedValues(elements: readonly RaggedVariant[], valueType: Tensor["dtype"]): Tensor {
  const [first] = elements;
  if (first === undefined) {
    // The shape of the values is unknown.
    return zeroTensor(valueType, [0]);
  }
  const inner = first.values.shape.slice(1);
  for (const [i, { values }] of elements.entries()) {
    if (values.shape.length !== first.values.shape.length) {
      throw invalidArgument(
        `Rank of values must match for all components; values shape at index 0: ${cppShapeText(first.values.shape)}, values shape at index ${i}: ${cppShapeText(values.shape)}`,
      );
    }
    if (productOf(values.shape, 1) !== productOf(inner)) {
      throw invalidArgument(
        `Values of a ragged tensor must have the same inner shape: ${cppShapeText(first.values.shape)} and ${cppShapeText(values.shape)}`,
      );
    }
  }
  const rows = elements.reduce((sum, { values }) => sum + (values.shape[0] ?? 0), 0);
  return joined(
    valueType,
    [rows, ...inner],
    elements.map(({ values }) => values),
  );
}

/** The values of elements that are dense, in the shape of the variant. @throws TensorFlowError INVALID_ARGUMENT */
function stackedValues(
  elements: readonly RaggedVariant[],
  shape: readonly number[],
  valueType: Tensor["dtype"],
): Tensor {
  const inner = elements[0]?.values.shape ?? [];
  for (const { splits, values } of elements) {
    if (splits.length > 0 || values.dtype !== valueType) {
      throw invalidArgument(`Expected dense values of ${valueType} where the output is not ragged.`);
    }
    if (!sameShape(values.shape, inner)) {
      throw invalidArgument(
        `All flat_values must have compatible shapes. Shape at index 0: ${cppShapeText(inner)}. Shape at another: ${cppShapeText(values.shape)}.`,
      );
    }
  }
  return joined(
    valueType,
    [...shape, ...inner],
    elements.map(({ values }) => values),
  );
}

/** Splits for rows of these lengths. */
function splitsOfLengths(dtype: Tensor["dtype"], lengths: readonly number[]): Tensor {
  let end = 0;
  const splits = [0, ...lengths.map((length) => (end += length))];
  return integerTensor(dtype, [splits.length], splits);
}

/** The number of rows of a ragged tensor. */
function rowCount({ splits: [outer], values }: RaggedVariant): number {
  return outer === undefined ? (values.shape[0] ?? 0) : outer.size - 1;
}

function fromVariant(node: KernelNode): (context: OpContext) => Outputs {
  const [given, outputRank] = [node.int("input_ragged_rank"), node.int("output_ragged_rank")];
  const [valueType, splitType] = [node.type("Tvalues"), node.type("Tsplits")];
  return ({ inputs: [encoded] }) => {
    const shape = encoded instanceof ObjectTensor ? encoded.shape : [];
    if (outputRank === 0 && shape.length > 0) {
      return [stackedValues(raggedElements(encoded), shape, valueType)];
    }
    const rank = given === -1 ? outputRank - shape.length : given;
    if (rank < 0 || outputRank !== shape.length + rank) {
      throw invalidArgument(
        `output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: ${outputRank}, input_ragged_rank: ${rank}, encoded_variant.dims(): ${shape.length}.`,
      );
    }
    const elements = raggedElements(encoded);
    for (const element of elements) {
      checkElement(element, { rank, valueType, splitType });
    }
    const [only] = elements;
    if (shape.length === 0 && only !== undefined) {
      return [...only.splits, only.values];
    }
    // All dimensions of the variant except the last have rows of equal length.
    const even = shape
      .slice(0, -1)
      .map((_, i) =>
        splitsOfLengths(splitType, new Array<number>(productOf(shape, 0, i + 1)).fill(shape[i + 1] ?? 0)),
      );
    const nested = Array.from({ length: rank }, (_, level) =>
      splitsOfLengths(
        splitType,
        elements.flatMap(({ splits }) => lengthsOf(splits[level])),
      ),
    );
    const rows = splitsOfLengths(splitType, elements.map(rowCount));
    return [...even, rows, ...nested, joinedValues(elements, valueType)];
  };
}

function lengthsOf(splits: Tensor | undefined): number[] {
  const ends = splits === undefined ? [] : integersOf(splits);
  return ends.slice(1).map((end, i) => end - (ends[i] ?? 0));
}

/** The gradient of the dense values: the concatenated values of the elements; zeros for an element without any. */
function variantGradient(node: KernelNode): (context: OpContext) => Outputs {
  const valueType = node.type("Tvalues");
  return ({ inputs }) => {
    const elements = raggedElements(inputs[0]);
    const lengths = lengthsOf(tensorAt(inputs, 1));
    const shape = integersOf(tensorAt(inputs, 2));
    const inner = shape.slice(1);
    const isScalar = inputs[0] instanceof ObjectTensor && inputs[0].shape.length === 0;
    const parts = elements.map(({ values }, i) =>
      isScalar || values.size > 0 ? values : zeroTensor(valueType, [lengths[i] ?? 0, ...inner]),
    );
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    if (size !== productOf(shape)) {
      throw invalidArgument(`${size} gradients do not make values of shape ${cppShapeText(shape)}`);
    }
    return [joined(valueType, shape, parts)];
  };
}

/** Conversions between ragged tensors and variants. */
export const raggedVariantKernels: readonly KernelDefinition[] = [
  {
    kind: "stateful",
    op: "RaggedTensorToVariant",
    types: { Tvalues: anyType, Tsplits: indexTypes },
    create: toVariant,
  },
  {
    kind: "stateful",
    op: "RaggedTensorFromVariant",
    types: { Tvalues: anyType, Tsplits: indexTypes },
    create: fromVariant,
  },
  {
    kind: "stateful",
    op: "RaggedTensorToVariantGradient",
    types: { Tvalues: anyType, Tsplits: indexTypes },
    create: variantGradient,
  },
];
