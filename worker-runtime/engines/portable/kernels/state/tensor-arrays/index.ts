import { invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { eachOf, mapped, type PausingWork } from "../../../pauses.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode, PartialShape } from "../../kernel-node.js";
import type { OpFacts } from "../../op-facts.js";
import { anyType, cppTypeName, noTypes } from "../../support/dtypes.js";
import { indicesOf, scalarOf } from "../../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { atPauses } from "../../support/turns.js";
import { largestOf, sumOf } from "../index-lists.js";
import { fullShape, mergedShape, partialText } from "../partial-shapes.js";
import { handleInput, makeHandle, resourceInput, STEP_CONTAINER } from "../resource-access.js";
import { statefulKernel } from "../stateful-kernel.js";
import { joining, runAt, stack, unstacking } from "../tensor-batches.js";
import { TENSOR_ARRAY, TensorArray } from "./tensor-array.js";

/** The flow value that orders the ops on one array; the number has no meaning. */
const FLOW = new Tensor("float32", [], Float32Array.of(0));

function createTensorArray(node: KernelNode): (context: OpContext) => Outputs {
  const arrayName = node.string("tensor_array_name") || node.name;
  const options = {
    dtype: node.type("dtype"),
    elementShape: node.shape("element_shape"),
    identicalElementShapes: node.bool("identical_element_shapes"),
    dynamicSize: node.bool("dynamic_size"),
    clearAfterRead: node.bool("clear_after_read"),
    aggregate: false,
  };
  return (context) => {
    const sizeInput = tensorAt(context.inputs, 0);
    if (sizeInput.shape.length > 0) {
      throw invalidArgument(
        `TensorArray size must be scalar, but had shape: ${cppShapeText(sizeInput.shape)}`,
      );
    }
    const size = scalarOf(sizeInput, "size");
    if (size < 0) {
      throw invalidArgument("Size should be >= 0.");
    }
    const { stepResources } = context.step;
    const name = stepResources.uniqueName(arrayName);
    stepResources.create(STEP_CONTAINER, name, new TensorArray({ ...options, name, size }));
    return [makeHandle(node, STEP_CONTAINER, name, TENSOR_ARRAY), FLOW];
  };
}

function createGradient(node: KernelNode): (context: OpContext) => Outputs {
  const source = node.string("source");
  return (context) => {
    const { name: arrayName } = handleInput(context, 0);
    const array = arrayInput(node, context);
    const name = `${arrayName}@${source}`;
    context.step.stepResources.lookupOrCreate(STEP_CONTAINER, TENSOR_ARRAY, name, () =>
      array.makeGradient(name),
    );
    return [makeHandle(node, STEP_CONTAINER, name, TENSOR_ARRAY), FLOW];
  };
}

function arrayInput(node: KernelNode, context: OpContext): TensorArray {
  return resourceInput<TensorArray>(node, context, 0, TENSOR_ARRAY);
}

function checkType({ options }: TensorArray, node: KernelNode, attr: string): void {
  const dtype = node.type(attr);
  if (dtype !== options.dtype) {
    throw invalidArgument(
      `TensorArray dtype is ${cppTypeName(options.dtype)} but Op requested dtype ${cppTypeName(dtype)}.`,
    );
  }
}

function indexInput(context: OpContext): number {
  const tensor = tensorAt(context.inputs, 1);
  if (tensor.shape.length > 0) {
    throw invalidArgument(`TensorArray index must be scalar, but had shape: ${cppShapeText(tensor.shape)}`);
  }
  return scalarOf(tensor, "index");
}

type Act = (array: TensorArray, context: OpContext, node: KernelNode) => Outputs;

/** The action of an op on all elements of an array. */
type LongAct = (array: TensorArray, context: OpContext, node: KernelNode) => PausingWork<Outputs>;

const write: Act = (array, context) => {
  array.write(indexInput(context), tensorAt(context.inputs, 2));
  return [FLOW];
};

const read: Act = (array, context, node) => {
  checkType(array, node, "dtype");
  return [array.read(indexInput(context))];
};

function emptyShape(shape: PartialShape, what: "" | " except dimension 0"): readonly number[] {
  const full = fullShape(shape);
  if (full === undefined) {
    throw unimplemented(
      `TensorArray has size zero, but element shape${what} ${partialText(shape)} is not fully defined. Currently only ` +
        `static shapes are supported when ${what === "" ? "packing" : "concatenating"} zero-size TensorArrays.`,
    );
  }
  return full;
}

const gather: LongAct = function* (array, context, node) {
  checkType(array, node, "dtype");
  const indices = tensorAt(context.inputs, 1);
  if (indices.shape.length !== 1) {
    throw invalidArgument(
      `Expected indices to be a vector, but received shape: ${cppShapeText(indices.shape)}`,
    );
  }
  const { dtype } = array.options;
  const values = yield* mapped(indicesOf(indices), (index) => array.read(index));
  const [first] = values;
  if (first === undefined) {
    const shape = mergedShape(array.elementShape, node.shape("element_shape"));
    return [stack(dtype, emptyShape(shape, ""), [])];
  }
  yield* eachOf(values, ({ shape }, i) => {
    if (!sameShape(shape, first.shape)) {
      throw invalidArgument(
        `TensorArray has inconsistent shapes.  Index 0 has shape: ${cppShapeText(first.shape)} but index ${i} has ` +
          `shape: ${cppShapeText(shape)}`,
      );
    }
  });
  return [yield* joining(dtype, [values.length, ...first.shape], values)];
};

const concat: LongAct = function* (array, _, node) {
  checkType(array, node, "dtype");
  const { dtype } = array.options;
  const values: Tensor[] = [];
  const lengths = new BigInt64Array(array.size);
  yield* eachOf(lengths, (__, i) => {
    const value = array.read(i);
    values.push(value);
    lengths[i] = BigInt(value.shape[0] ?? 0);
  });
  const [first] = values;
  if (first === undefined) {
    const shape = emptyShape(node.shape("element_shape_except0"), " except dimension 0");
    return [stack(dtype, shape, []), new Tensor("int64", [0], lengths)];
  }
  let rows = 0;
  yield* eachOf(values, ({ shape }, i) => {
    if (shape.length === 0) {
      throw invalidArgument(
        `Concat saw a scalar shape at index ${i} but requires at least vectors.  Did you mean to call pack?`,
      );
    }
    if (!sameShape(shape.slice(1), first.shape.slice(1))) {
      throw invalidArgument(
        "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: " +
          `${cppShapeText(first.shape.slice(1))} but index ${i} has (excepting dimension 0) shape: ` +
          cppShapeText(shape.slice(1)),
      );
    }
    rows += shape[0] ?? 0;
  });
  return [
    yield* joining(dtype, [rows, ...first.shape.slice(1)], values),
    new Tensor("int64", [values.length], lengths),
  ];
};

const scatter: LongAct = function* (array, context) {
  const indices = tensorAt(context.inputs, 1);
  const value = tensorAt(context.inputs, 2);
  if (indices.shape.length !== 1) {
    throw invalidArgument(
      `Expected indices to be a vector, but received shape: ${cppShapeText(indices.shape)}`,
    );
  }
  if (value.shape.length === 0) {
    throw invalidArgument("Input value for unpack must be at least a vector but received shape: []");
  }
  if (indices.size !== value.shape[0]) {
    throw invalidArgument(
      `Expected len(indices) == values.shape[0], but saw: ${indices.size} vs. ${value.shape[0]}`,
    );
  }
  const list = indicesOf(indices);
  const largest = yield* largestOf(list);
  if (!array.dynamicSize && largest >= array.size) {
    throw invalidArgument(`Max scatter index must be < array size (${largest} vs. ${array.size})`);
  }
  const slices = yield* unstacking(value);
  yield* eachOf(list, (index, i) => array.write(index, slices[i] ?? value));
  return [FLOW];
};

const split: LongAct = function* (array, context) {
  const value = tensorAt(context.inputs, 1);
  const lengths = tensorAt(context.inputs, 2);
  if (lengths.shape.length !== 1) {
    throw invalidArgument(`Expected lengths to be a vector, received shape: ${cppShapeText(lengths.shape)}`);
  }
  if (value.shape.length === 0) {
    throw invalidArgument("Expected value to be at least a vector, but received shape: []");
  }
  const list = indicesOf(lengths);
  const total = yield* sumOf(list);
  if (total !== value.shape[0]) {
    throw invalidArgument(
      `Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ${total} and value's shape is: ` +
        cppShapeText(value.shape),
    );
  }
  if (!array.dynamicSize && array.size !== list.length) {
    throw invalidArgument(
      `TensorArray's size is not equal to the size of lengths (${array.size} vs. ${list.length}), and the TensorArray ` +
        "is not marked as dynamically resizeable",
    );
  }
  const rowShape = value.shape.slice(1);
  let row = 0;
  yield* eachOf(list, (length, i) => {
    array.write(i, runAt(value, row * productOf(rowShape), [length, ...rowShape]));
    row += length;
  });
  return [FLOW];
};

const close: Act = (array) => {
  array.close();
  return [];
};

const size: Act = (array) => [new Tensor("int32", [], Int32Array.of(array.size))];

/** An element that is not there is an error; nothing waits for it. */
const facts: OpFacts = { neverWaits: true };

function arrayKernel(op: string, types: KernelTypes, act: Act): StatefulKernelDefinition {
  return statefulKernel(op, (node) => (context) => act(arrayInput(node, context), context, node), {
    types,
    facts,
  });
}

function longArrayKernel(op: string, types: KernelTypes, act: LongAct): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => (context) => atPauses(act(arrayInput(node, context), context, node), context.step.signal),
    { types, facts },
  );
}

/** TensorArrays, accessed by resource handles. */
export const tensorArrayKernels: readonly KernelDefinition[] = [
  statefulKernel("TensorArrayV3", createTensorArray, { types: { dtype: anyType }, facts }),
  statefulKernel("TensorArrayGradV3", createGradient, { types: noTypes, facts }),
  arrayKernel("TensorArrayWriteV3", { T: anyType }, write),
  arrayKernel("TensorArrayReadV3", { dtype: anyType }, read),
  longArrayKernel("TensorArrayGatherV3", { dtype: anyType }, gather),
  longArrayKernel("TensorArrayConcatV3", { dtype: anyType }, concat),
  longArrayKernel("TensorArrayScatterV3", { T: anyType }, scatter),
  longArrayKernel("TensorArraySplitV3", { T: anyType }, split),
  arrayKernel("TensorArraySizeV3", noTypes, size),
  arrayKernel("TensorArrayCloseV3", noTypes, close),
];
