/** Gradients of lists of tensors: lists of the gradients of their elements. Facts from tensorflow/python/ops/list_ops.py. */
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** The dtype of the elements, which lists and what is taken from them have in common. */
const elements = (at: OpGradient) => at.attrs("element_dtype");

function elementShape(at: OpGradient, list: Output): Output {
  return at.call("TensorListElementShape", [list], { shape_type: "int32" });
}

/** The shape of a tensor as that of an element; lists in lists are scalars. */
function shapeAsElement(at: OpGradient, tensor: Output): Output {
  return tensor.dtype === "variant" ? at.ints([]) : at.shapeOf(tensor);
}

const popBack: GradientRule = (at) => [
  at.call("TensorListPushBack", [at.gradient(0), at.gradient(1)], elements(at)),
  undefined,
];

/** A list of zeros but for one element. */
const getItem: GradientRule = (at) => {
  const size = at.call("TensorListLength", [at.x]);
  const list = at.call("TensorListReserve", [elementShape(at, at.x), size], elements(at));
  return [at.call("TensorListSetItem", [list, at.input(1), at.g], elements(at)), undefined, undefined];
};

const setItem: GradientRule = (at) => {
  const { call, g } = at;
  const [index, item] = [at.input(1), at.input(2)];
  const others = call("TensorListSetItem", [g, index, call("ZerosLike", [item])], elements(at));
  const own = call("TensorListGetItem", [g, index, shapeAsElement(at, item)], elements(at));
  return [others, undefined, own];
};

/** The shape of the elements of a tensor that becomes a list. */
function rowShape(at: OpGradient, tensor: Output): Output {
  const sizes = at.call("Shape", [tensor], { out_type: "int32" });
  return at.call("StridedSlice", [sizes, [1], [0], [1]], { end_mask: 1 });
}

/** The elements of the gradient's list that rows of a tensor became. */
function gathered(at: OpGradient, tensor: Output, indices: Output): Output {
  return at.call("TensorListGather", [at.g, indices, rowShape(at, tensor)], elements(at));
}

function concatenated(at: OpGradient): Output {
  return at.call("TensorListSplit", [at.g, elementShape(at, at.x), at.op.outputAt(1)], elements(at));
}

export const LISTS: GradientRules = {
  TensorListPushBack: (at) => [
    ...at.graph.op("TensorListPopBack", [at.g, shapeAsElement(at, at.input(1))], elements(at)).outputs,
  ],
  TensorListPopBack: popBack,
  TensorListGetItem: getItem,
  TensorListSetItem: setItem,
  TensorListStack: (at) => [
    at.call("TensorListFromTensor", [at.g, rowShape(at, at.g)], elements(at)),
    undefined,
  ],
  TensorListFromTensor: (at) => [
    at.call("TensorListStack", [at.g, rowShape(at, at.x)], elements(at)),
    undefined,
  ],
  TensorListGather: (at) => {
    const size = at.call("TensorListLength", [at.x]);
    const shape = elementShape(at, at.x);
    return [at.call("TensorListScatterV2", [at.g, at.input(1), shape, size], elements(at)), undefined];
  },
  TensorListScatter: (at) => [gathered(at, at.x, at.input(1)), undefined, undefined],
  TensorListScatterV2: (at) => [gathered(at, at.x, at.input(1)), undefined, undefined, undefined],
  TensorListScatterIntoExistingList: (at) => {
    const [tensor, indices] = [at.input(1), at.input(2)];
    const zeros = at.call("ZerosLike", [tensor]);
    const others = at.call("TensorListScatterIntoExistingList", [at.g, zeros, indices], elements(at));
    return [others, gathered(at, tensor, indices), undefined];
  },
  TensorListConcat: (at) => [concatenated(at)],
  TensorListConcatV2: (at) => [concatenated(at), undefined, undefined],
  TensorListSplit: (at) => {
    const shape = at.call("ConcatV2", [[at.ints([-1]), rowShape(at, at.x)], 0]);
    const own = at.call("TensorListConcatV2", [at.g, shape, at.input(2)], elements(at));
    return [own, undefined, undefined];
  },
  TensorListResize: (at) => [
    at.call("TensorListResize", [at.g, at.call("TensorListLength", [at.x])]),
    undefined,
  ],
};
