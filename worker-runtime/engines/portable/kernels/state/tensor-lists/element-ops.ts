import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { mapped, type PausingWork, withoutPauses } from "../../../pauses.js";
import { ObjectTensor } from "../../../values.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode, PartialShape } from "../../kernel-node.js";
import type { OpFacts } from "../../op-facts.js";
import { allocate } from "../../support/allocation.js";
import { anyType, cppTypeName, indexTypes, noTypes } from "../../support/dtypes.js";
import { integerTensor } from "../../support/elements.js";
import { cppShapeText, sameShape } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { atPauses } from "../../support/turns.js";
import { updateElements } from "../element-updates.js";
import { checkedLength } from "../list-limits.js";
import { fitsPartial, fullShape, mergedShape, partialShapeOf, partialText } from "../partial-shapes.js";
import { statefulKernel } from "../stateful-kernel.js";
import {
  elementInput,
  knownElementShape,
  listInput,
  listOf,
  numberInput,
  typedListInput,
  zerosOf,
} from "./list-access.js";
import { type ListElement, TensorList } from "./tensor-list.js";

type Act = (context: OpContext, node: KernelNode) => Outputs;

/** The action of an op on lists that may be long. */
export type LongAct = (context: OpContext, node: KernelNode) => PausingWork<Outputs>;

function listKernel(op: string, types: KernelTypes, act: Act): StatefulKernelDefinition {
  return statefulKernel(op, (node) => (context) => act(context, node), {
    types,
    facts: { neverWaits: true },
  });
}

/** The kernel of an op that visits all elements of a list. */
export function longListKernel(
  op: string,
  types: KernelTypes,
  act: LongAct,
  facts: OpFacts = { neverWaits: true },
): StatefulKernelDefinition {
  return statefulKernel(op, (node) => (context) => atPauses(act(context, node), context.step.signal), {
    types,
    facts,
  });
}

/** A list as an output. */
export function listOutput(list: TensorList): Outputs[number] {
  return ObjectTensor.variant(list);
}

const empty: Act = (context, node) => {
  const limit = tensorAt(context.inputs, 1);
  if (limit.shape.length > 0) {
    throw invalidArgument(
      `max_num_elements expected to be a scalar but got shape: ${cppShapeText(limit.shape)}`,
    );
  }
  const type = {
    elementType: node.type("element_dtype"),
    elementShape: partialShapeOf(tensorAt(context.inputs, 0)),
    maxElements: numberInput(context, 1, "max_num_elements"),
  };
  return [listOutput(new TensorList(type))];
};

const reserve: Act = (context, node) => {
  const count = numberInput(context, 1, "num_elements");
  if (count < 0) {
    throw invalidArgument(`The num_elements to reserve must be a non negative number, but got ${count}`);
  }
  const type = {
    elementType: node.type("element_dtype"),
    elementShape: partialShapeOf(tensorAt(context.inputs, 0)),
  };
  return [
    listOutput(
      new TensorList(type, new Array<ListElement | undefined>(checkedLength(count)).fill(undefined)),
    ),
  ];
};

const pushBack: Act = (context, node) => {
  const element = elementInput(context, 1);
  const dtype = node.type("element_dtype");
  if (element.dtype !== dtype) {
    throw invalidArgument(
      `Invalid data types; list elements ${cppTypeName(dtype)} but tried to append ${cppTypeName(element.dtype)}`,
    );
  }
  const list = listInput(context, 0);
  if (!fitsPartial(element.shape, list.elementShape)) {
    throw invalidArgument(
      "Tried to append a tensor with incompatible shape to a list. Op element shape: " +
        `${cppShapeText(element.shape)} list shape: ${partialText(list.elementShape)}`,
    );
  }
  typedListInput(node, context);
  if (list.maxElements !== -1 && list.length >= list.maxElements) {
    throw invalidArgument(
      `Tried to push item into a full list list size: ${list.length} max_num_elements: ${list.maxElements}`,
    );
  }
  return [listOutput(list.pushed(element))];
};

const popBack: Act = (context, node) => {
  const list = typedListInput(node, context);
  if (list.length === 0) {
    throw invalidArgument("Trying to pop from an empty list.");
  }
  return [
    listOutput(list.popped()),
    list.at(list.length - 1) ?? missing(list, declaredShape(list, context), false),
  ];
};

function declaredShape(list: TensorList, context: OpContext): PartialShape {
  return mergedShape(partialShapeOf(tensorAt(context.inputs, 1)), list.elementShape);
}

/** Zeros in place of an element that was never set. */
function missing(list: TensorList, shape: PartialShape, askedOthers: boolean): Tensor {
  const full = fullShape(shape);
  if (full === undefined) {
    throw invalidArgument(
      askedOthers
        ? `Trying to read an uninitialized tensor but element_shape is not fully defined: ${partialText(shape)} and no ` +
            "list element is set."
        : `Trying to read an uninitialized tensor but element_shape is not fully defined.${partialText(shape)}`,
    );
  }
  return zerosOf(list, full);
}

const getItem: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const index = numberInput(context, 1, "index");
  if (index < 0 || index >= list.length) {
    throw invalidArgument(`Trying to access element ${index} in a list with ${list.length} elements.`);
  }
  return [list.at(index) ?? missing(list, yield* knownElementShape(list, context, 2), true)];
};

const setItem: Act = (context, node) => {
  const list = typedListInput(node, context);
  const index = numberInput(context, 1, "index");
  const element = elementInput(context, 2);
  const mayGrow = node.bool("resize_if_index_out_of_bounds");
  if (index < 0 || (index >= list.length && !mayGrow)) {
    throw invalidArgument(`Trying to modify element ${index} in a list with ${list.length} elements.`);
  }
  if (!fitsPartial(element.shape, list.elementShape)) {
    throw invalidArgument(
      "Tried to set a tensor with incompatible shape at a list index. Item element shape: " +
        `${cppShapeText(element.shape)} list shape: ${partialText(list.elementShape)}`,
    );
  }
  checkedLength(index + 1);
  const items = [...list.items];
  while (items.length < index) {
    items.push(undefined);
  }
  items[index] = element;
  return [listOutput(list.with(items))];
};

const elementShape: Act = (context, node) => {
  const shape = listInput(context, 0).elementShape;
  const dtype = node.type("shape_type");
  return [shape === undefined ? integerTensor(dtype, [], [-1]) : integerTensor(dtype, [shape.length], shape)];
};

const resize: Act = (context) => {
  const list = listInput(context, 0);
  const size = numberInput(context, 1, "size");
  if (size < 0) {
    throw invalidArgument(`TensorListSlice expects size to be non-negative. Got: ${size}`);
  }
  const items = list.items.slice(0, checkedLength(size));
  return [listOutput(list.with([...items, ...new Array<undefined>(size - items.length).fill(undefined)]))];
};

const zerosLike: LongAct = function* (context) {
  return [listOutput(yield* zerosLikeList(listInput(context, 0)))];
};

function* zerosLikeList(list: TensorList): PausingWork<TensorList> {
  let zeros: Tensor | undefined;
  return list.with(
    yield* mapped(list.items, (item) => {
      const [inner] = item instanceof ObjectTensor ? item.elements : [];
      if (inner instanceof TensorList) {
        return ObjectTensor.variant(withoutPauses(zerosLikeList(inner)));
      }
      // Zeros are reused: most lists have elements of one shape, and elements are never modified.
      if (item !== undefined && (zeros === undefined || !sameShape(zeros.shape, item.shape))) {
        zeros = zerosOf(list, item.shape);
      }
      return item && zeros;
    }),
  );
}

const addN: LongAct = function* ({ inputs }) {
  const [first, ...others] = inputs.map(listOf);
  let sum = first ?? listOf(undefined);
  for (const other of others) {
    sum = yield* sumOfLists(sum, other);
  }
  return [listOutput(sum)];
};

function* sumOfLists(a: TensorList, b: TensorList): PausingWork<TensorList> {
  if (a.elementType !== b.elementType) {
    throw invalidArgument(
      `Trying to add two lists of tensors of different dtypes. One is ${cppTypeName(a.elementType)} and the other is ` +
        cppTypeName(b.elementType),
    );
  }
  if (a.length !== b.length) {
    throw invalidArgument(
      `Trying to add two lists of tensors with different lengths. One is ${a.length} and the other is ${b.length}`,
    );
  }
  return a.with(yield* mapped(a.items, (item, i) => sumOfElements(item, b.at(i))));
}

function sumOfElements(a: ListElement | undefined, b: ListElement | undefined): ListElement | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  if (!(a instanceof Tensor && b instanceof Tensor)) {
    return ObjectTensor.variant(withoutPauses(sumOfLists(listOf(a), listOf(b))));
  }
  if (a.shape.join() !== b.shape.join()) {
    throw invalidArgument(
      `Trying to add two tensors with incompatible element shapes. One is ${cppShapeText(a.shape)} and the other is ` +
        cppShapeText(b.shape),
    );
  }
  const { dtype, shape, size } = a;
  const target = allocate(dtype, shape);
  updateElements("update", { dtype, target, at: 0, source: a.data, from: 0, length: size, step: 1 });
  updateElements("add", { dtype, target, at: 0, source: b.data, from: 0, length: size, step: 1 });
  return new Tensor(dtype, shape, target);
}

const concatLists: Act = (context, node) => {
  const a = typedListInput(node, context, 0);
  const b = typedListInput(node, context, 1);
  const elementShape = mergedShape(a.elementShape, b.elementShape);
  return [listOutput(new TensorList({ elementType: a.elementType, elementShape }, [...a.items, ...b.items]))];
};

/** Ops on single elements of lists, and on whole lists. */
export const listElementKernels: readonly KernelDefinition[] = [
  listKernel("EmptyTensorList", { element_dtype: anyType, shape_type: indexTypes }, empty),
  listKernel("TensorListReserve", { element_dtype: anyType, shape_type: indexTypes }, reserve),
  listKernel("TensorListPushBack", { element_dtype: anyType }, pushBack),
  listKernel("TensorListPopBack", { element_dtype: anyType }, popBack),
  longListKernel("TensorListGetItem", { element_dtype: anyType, Tshape: indexTypes }, getItem),
  listKernel("TensorListSetItem", { element_dtype: anyType }, setItem),
  listKernel("TensorListLength", noTypes, (context) => [
    new Tensor("int32", [], Int32Array.of(listInput(context, 0).length)),
  ]),
  listKernel("TensorListElementShape", { shape_type: indexTypes }, elementShape),
  listKernel("TensorListResize", noTypes, resize),
  listKernel("TensorListConcatLists", { element_dtype: anyType }, concatLists),
  // The facts of ops that also take tensors are theirs.
  longListKernel("ZerosLike", { T: ["variant"] }, zerosLike, {}),
  longListKernel("AddN", { T: ["variant"] }, addN, {}),
];
