import { internalError, invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { eachOf, mapped, type PausingWork } from "../../../pauses.js";
import { ObjectTensor, type Value } from "../../../values.js";
import type { OpContext } from "../../kernel.js";
import type { KernelNode, PartialShape } from "../../kernel-node.js";
import { zeroTensor } from "../../support/allocation.js";
import { cppTypeName } from "../../support/dtypes.js";
import { scalarOf } from "../../support/elements.js";
import { cppShapeText, sameShape } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { fullShape, mergedShape, partialShapeOf, partialText } from "../partial-shapes.js";
import { decodeVariant, type ListElement, TensorList } from "./tensor-list.js";

/** The list at input `index`. @throws TensorFlowError INVALID_ARGUMENT for a variant that is not a list. */
export function listInput(context: OpContext, index: number): TensorList {
  return listOf(context.inputs[index]);
}

/** The list that a variant scalar holds. @throws TensorFlowError INVALID_ARGUMENT */
export function listOf(value: Value | undefined): TensorList {
  if (!(value instanceof ObjectTensor) || value.dtype !== "variant") {
    throw invalidArgument("Input handle is not a list.");
  }
  if (value.shape.length > 0) {
    throw invalidArgument(`Input list must be a scalar saw: ${cppShapeText(value.shape)}`);
  }
  const [object] = value.elements;
  if (object instanceof TensorList) {
    return object;
  }
  // A list from another task is decoded on first use.
  const decoded = object !== undefined && "encode" in object ? decodeVariant(object.encode()) : undefined;
  if (decoded instanceof TensorList) {
    return decoded;
  }
  throw invalidArgument(`Input handle is not a list. Saw: '${object?.typeName ?? ""}'`);
}

/** The list at input `index`, with the node's element dtype. @throws TensorFlowError INVALID_ARGUMENT */
export function typedListInput(node: KernelNode, context: OpContext, index = 0): TensorList {
  const list = listInput(context, index);
  const dtype = node.type("element_dtype");
  if (dtype !== list.elementType) {
    throw invalidArgument(
      `Invalid data types; op elements ${cppTypeName(dtype)} but list elements ${cppTypeName(list.elementType)}`,
    );
  }
  return list;
}

/** Input `index` as a list element. */
export function elementInput(context: OpContext, index: number): ListElement {
  const value = context.inputs[index];
  if (value instanceof Tensor || value instanceof ObjectTensor) {
    return value;
  }
  throw internalError(`Input ${index} is no tensor.`);
}

/** The integer at input `index`. */
export function numberInput(context: OpContext, index: number, what: string): number {
  return scalarOf(tensorAt(context.inputs, index), what);
}

/** The shape of a list's elements, as far as the list, the input at `index` and the elements determine it. */
export function* knownElementShape(
  list: TensorList,
  context: OpContext,
  index: number,
): PausingWork<PartialShape> {
  let shape = mergedShape(partialShapeOf(tensorAt(context.inputs, index)), list.elementShape);
  if (fullShape(shape) === undefined) {
    yield* eachOf(list.items, (item) => {
      shape = item === undefined ? shape : mergedShape(shape, item.shape);
    });
  }
  return shape;
}

/** Zeros for a missing element. @throws TensorFlowError UNIMPLEMENTED for lists of objects. */
export function zerosOf(list: TensorList, shape: readonly number[]): Tensor {
  if (list.elementType === "variant" || list.elementType === "resource") {
    throw unimplemented(`A missing ${list.elementType} of a list has no value.`);
  }
  return zeroTensor(list.elementType, shape);
}

/**
 * The elements as tensors of numbers or strings of one shape, with zeros for missing ones.
 * @throws TensorFlowError UNIMPLEMENTED for lists of objects, INVALID_ARGUMENT for an element of a different shape.
 */
export function* plainElements(
  list: TensorList,
  items: readonly (ListElement | undefined)[],
  shape: readonly number[],
): PausingWork<readonly Tensor[]> {
  let zeros: Tensor | undefined;
  return yield* mapped(items, (item) => {
    if (item === undefined) {
      zeros ??= zerosOf(list, shape);
      return zeros;
    }
    return plainElement(list, item, shape);
  });
}

/** An element as a tensor of numbers or strings with a given shape. @throws TensorFlowError as `plainElements`. */
export function plainElement(list: TensorList, item: ListElement, shape: readonly number[]): Tensor {
  if (!(item instanceof Tensor)) {
    throw unimplemented(`Lists of ${list.elementType} cannot be stacked.`);
  }
  if (!sameShape(item.shape, shape)) {
    throw invalidArgument(
      `PartialTensorShape: Incompatible shapes during merge: ${partialText(shape)} vs. ${partialText(item.shape)}`,
    );
  }
  return item;
}
