import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { eachOf, mapped, type PausingWork } from "../../../pauses.js";
import type { KernelDefinition, OpContext, Outputs } from "../../kernel.js";
import { anyType, indexTypes, tensorTypes } from "../../support/dtypes.js";
import { indicesOf } from "../../support/elements.js";
import { cppShapeText, productOf } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { type Indices, largestOf, sumOf } from "../index-lists.js";
import { checkedLength } from "../list-limits.js";
import { fitsPartial, fullShape, mergedShape, partialShapeOf, partialText } from "../partial-shapes.js";
import { joining, runAt, unstacking } from "../tensor-batches.js";
import { type LongAct, listElementKernels, listOutput, longListKernel } from "./element-ops.js";
import {
  knownElementShape,
  numberInput,
  plainElement,
  plainElements,
  typedListInput,
  zerosOf,
} from "./list-access.js";
import { objectListKernels } from "./object-lists.js";
import { type ListElement, TensorList } from "./tensor-list.js";

export { decodeVariant } from "./tensor-list.js";

const stackList: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const expected = node.int("num_elements");
  if (expected !== -1 && expected !== list.length) {
    throw invalidArgument(
      `Operation expected a list with ${expected} elements but got a list with ${list.length} elements.`,
    );
  }
  return yield* gathered(list, list.items, context, 1, "stack");
};

const gather: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const indices = indicesOf(tensorAt(context.inputs, 1));
  const items = yield* mapped(indices, (index) => {
    if (index < 0 || index >= list.length) {
      throw invalidArgument(`Index ${index} out o range; list only has ${list.length} elements.`);
    }
    return list.at(index);
  });
  return yield* gathered(list, items, context, 2, "gather");
};

/** Stacks elements of one shape along a new first dimension. */
function* gathered(
  list: TensorList,
  items: readonly (ListElement | undefined)[],
  context: OpContext,
  shapeInput: number,
  what: "stack" | "gather",
): PausingWork<Outputs> {
  const shape = yield* knownElementShape(list, context, shapeInput);
  const full = fullShape(shape);
  if (full === undefined) {
    throw invalidArgument(
      items.length === 0
        ? `Tried to ${what} ${what === "stack" ? "elements of an empty list" : "0-elements from a list"} with ` +
            `non-fully-defined ${what === "stack" ? "element_shape" : "shape"}: ${partialText(shape)}`
        : `Tried to ${what} ${what === "stack" ? "list" : "uninitialized tensors from a list"} ` +
            `${what === "stack" ? "which only contains uninitialized tensors and has a" : "with"} non-fully-defined ` +
            `${what === "stack" ? "element_shape" : "shape"}: ${partialText(shape)}`,
    );
  }
  const tensors = yield* plainElements(list, items, full);
  return [yield* joining(list.elementType, [tensors.length, ...full], tensors)];
}

const fromTensor: LongAct = function* (context, node) {
  const tensor = tensorAt(context.inputs, 0);
  if (tensor.shape.length === 0) {
    throw invalidArgument("Tensor must be at least a vector, but saw shape: []");
  }
  const type = {
    elementType: node.type("element_dtype"),
    elementShape: partialShapeOf(tensorAt(context.inputs, 1)),
  };
  checkSlices(tensor, type.elementShape);
  return [listOutput(new TensorList(type, yield* unstacking(tensor)))];
};

function checkSlices(tensor: Tensor, elementShape: readonly number[] | undefined): void {
  const slice = tensor.shape.slice(1);
  if (!fitsPartial(slice, elementShape)) {
    throw invalidArgument(
      `Specified a list with shape ${partialText(elementShape)} from a tensor with shape ${cppShapeText(slice)}`,
    );
  }
}

/** Puts the rows of a tensor into a list at the given indices. */
function* scattered(
  items: (ListElement | undefined)[],
  tensor: Tensor,
  indices: Indices,
): PausingWork<(ListElement | undefined)[]> {
  if (tensor.shape.length === 0 || tensor.shape[0] !== indices.length) {
    throw invalidArgument(
      `Invalid number of rows in input tensor. Expected: ${indices.length} Actual: ${tensor.shape[0] ?? 0}`,
    );
  }
  const rows = yield* unstacking(tensor);
  yield* eachOf(indices, (index, i) => {
    if (index < 0) {
      throw invalidArgument(`Indices in TensorListScatter must all be non-negative.`);
    }
    checkedLength(index + 1);
    while (items.length < index) {
      items.push(undefined);
    }
    items[index] = rows[i];
  });
  return items;
}

const scatter: LongAct = function* (context, node) {
  const tensor = tensorAt(context.inputs, 0);
  const indices = indicesOf(tensorAt(context.inputs, 1));
  const type = {
    elementType: node.type("element_dtype"),
    elementShape: partialShapeOf(tensorAt(context.inputs, 2)),
  };
  checkSlices(tensor, type.elementShape);
  const count = context.inputs.length > 3 ? numberInput(context, 3, "num_elements") : -1;
  if (count < -1) {
    throw invalidArgument(`TensorListScatter expects num_elements >= -1, found: ${count}`);
  }
  const largest = yield* largestOf(indices);
  if (count !== -1 && largest >= count) {
    throw invalidArgument(
      `TensorListScatter: Trying to scatter at index ${largest} in list with size ${count}`,
    );
  }
  const items = new Array<ListElement | undefined>(checkedLength(Math.max(count, 0))).fill(undefined);
  return [listOutput(new TensorList(type, yield* scattered(items, tensor, indices)))];
};

const scatterInto: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const tensor = tensorAt(context.inputs, 1);
  checkSlices(tensor, list.elementShape);
  const items = yield* scattered([...list.items], tensor, indicesOf(tensorAt(context.inputs, 2)));
  return [listOutput(list.with(items))];
};

const split: LongAct = function* (context, node) {
  const tensor = tensorAt(context.inputs, 0);
  const elementShape = partialShapeOf(tensorAt(context.inputs, 1));
  const lengths = indicesOf(tensorAt(context.inputs, 2));
  if (tensor.shape.length === 0) {
    throw invalidArgument("Tensor must be at least a vector, but saw shape: []");
  }
  const rowShape = tensor.shape.slice(1);
  if (!fitsPartial(rowShape, elementShape?.slice(1))) {
    throw invalidArgument(
      `tensor shape ${cppShapeText(tensor.shape)} is not compatible with element_shape ${partialText(elementShape)}`,
    );
  }
  const total = yield* sumOf(lengths);
  if (total !== tensor.shape[0]) {
    throw invalidArgument(
      `Expected sum of lengths to be equal to tensor.shape[0], but sum of lengths is ${total} and tensor shape is ` +
        cppShapeText(tensor.shape),
    );
  }
  let row = 0;
  const items = yield* mapped(lengths, (length) => {
    const item = runAt(tensor, row * productOf(rowShape), [length, ...rowShape]);
    row += length;
    return item;
  });
  return [listOutput(new TensorList({ elementType: node.type("element_dtype"), elementShape }, items))];
};

const concat: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const hasInputs = context.inputs.length > 1;
  const declared = hasInputs ? partialShapeOf(tensorAt(context.inputs, 1)) : node.shape("element_shape");
  const shape = mergedShape(declared, list.elementShape);
  if (shape?.length === 0) {
    throw invalidArgument("Concat requires elements to be at least vectors, found scalars instead.");
  }
  let rowShape = shape?.slice(1);
  yield* eachOf(list.items, (item, i) => {
    if (item?.shape.length === 0) {
      throw invalidArgument(`Concat saw a scalar shape at index ${i} but requires at least vectors.`);
    }
    rowShape =
      item === undefined ? rowShape : (mergedShape(rowShape, item.shape.slice(1))?.slice() ?? rowShape);
  });
  const full = fullShape(rowShape);
  if (full === undefined) {
    throw invalidArgument(
      list.length === 0
        ? "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: " +
            partialText(rowShape)
        : "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully " +
            `defined: ${partialText(rowShape)}`,
    );
  }
  const leadingDims = hasInputs ? indicesOf(tensorAt(context.inputs, 2)) : [];
  const firstDim = yield* commonFirstDim(list, shape);
  const tensors = yield* mapped(list.items, (item, i) => {
    if (item !== undefined) {
      return plainElement(list, item, item.shape);
    }
    const length = leadingDims[i] ?? firstDim;
    if (length === undefined) {
      throw invalidArgument(
        `List contains uninitialized tensor at index ${i} but leading_dims has only ${leadingDims.length} elements.`,
      );
    }
    return zerosOf(list, [length, ...full]);
  });
  const lengths = yield* mapped(tensors, (tensor) => tensor.shape[0] ?? 0);
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  return [
    yield* joining(list.elementType, [rows, ...full], tensors),
    new Tensor("int64", [lengths.length], BigInt64Array.from(lengths, BigInt)),
  ];
};

/** The first dimension of missing elements: as declared, or that of all the others. */
function* commonFirstDim(
  list: TensorList,
  shape: readonly number[] | undefined,
): PausingWork<number | undefined> {
  const declared = shape?.[0] ?? -1;
  if (declared >= 0) {
    return declared;
  }
  const sizes = new Set<number>();
  yield* eachOf(list.items, (item) => {
    const size = item?.shape[0];
    if (size !== undefined) {
      sizes.add(size);
    }
  });
  const [only] = sizes;
  return sizes.size === 1 ? only : undefined;
}

/** Elements other than variants, which have their own kernels. */
const plainTypes = { element_dtype: tensorTypes };

/** Lists of tensors as variants. */
export const tensorListKernels: readonly KernelDefinition[] = [
  ...listElementKernels,
  ...objectListKernels,
  longListKernel("TensorListStack", plainTypes, stackList),
  longListKernel("TensorListGather", { element_dtype: anyType }, gather),
  longListKernel("TensorListFromTensor", { ...plainTypes, shape_type: indexTypes }, fromTensor),
  longListKernel("TensorListScatter", { element_dtype: anyType, shape_type: indexTypes }, scatter),
  longListKernel("TensorListScatterV2", { element_dtype: anyType, shape_type: indexTypes }, scatter),
  longListKernel("TensorListScatterIntoExistingList", { element_dtype: anyType }, scatterInto),
  longListKernel("TensorListSplit", { element_dtype: anyType, shape_type: indexTypes }, split),
  longListKernel("TensorListConcat", { element_dtype: anyType }, concat),
  longListKernel("TensorListConcatV2", { element_dtype: anyType, shape_type: indexTypes }, concat),
];
