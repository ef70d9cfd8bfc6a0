import { invalidArgument } from "../../../../../protocol/status.js";
import { mapped } from "../../../pauses.js";
import { ObjectTensor } from "../../../values.js";
import type { KernelDefinition } from "../../kernel.js";
import { indexTypes } from "../../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { fitsPartial, partialShapeOf, partialText } from "../partial-shapes.js";
import { type LongAct, listOutput, longListKernel } from "./element-ops.js";
import { knownElementShape, typedListInput } from "./list-access.js";
import { TensorList } from "./tensor-list.js";

/** Stacks objects along a new first dimension. There is no substitute for a missing object. */
const stackObjects: LongAct = function* (context, node) {
  const list = typedListInput(node, context);
  const expected = node.int("num_elements");
  if (expected !== -1 && expected !== list.length) {
    throw invalidArgument(
      `Operation expected a list with ${expected} elements but got a list with ${list.length} elements.`,
    );
  }
  const known = yield* knownElementShape(list, context, 1);
  const shape = list.at(0)?.shape ?? known;
  if (shape === undefined || shape.some((size) => size < 0)) {
    throw invalidArgument(
      `Tried to stack elements of an empty list with non-fully-defined element_shape: ${partialText(shape)}`,
    );
  }
  const elements = yield* mapped(list.items, (item) => {
    if (!(item instanceof ObjectTensor)) {
      throw invalidArgument("Trying to stack a list of variants of which some were never set.");
    }
    if (!sameShape(item.shape, shape)) {
      throw invalidArgument(
        `PartialTensorShape: Incompatible shapes during merge: ${partialText(shape)} vs. ${partialText(item.shape)}`,
      );
    }
    return item.elements;
  });
  return [new ObjectTensor("variant", [list.length, ...shape], elements.flat())];
};

/** The rows of objects as a list. */
const fromObjects: LongAct = function* (context, node) {
  const [tensor] = context.inputs;
  if (!(tensor instanceof ObjectTensor) || tensor.shape.length === 0) {
    throw invalidArgument("Tensor must be at least a vector, but saw shape: []");
  }
  const type = {
    elementType: node.type("element_dtype"),
    elementShape: partialShapeOf(tensorAt(context.inputs, 1)),
  };
  const [count = 0, ...shape] = tensor.shape;
  if (!fitsPartial(shape, type.elementShape)) {
    throw invalidArgument(
      `Specified a list with shape ${partialText(type.elementShape)} from a tensor with shape ${cppShapeText(shape)}`,
    );
  }
  const size = productOf(shape);
  const rows = yield* mapped(
    Array.from({ length: count }, (_, row) => row * size),
    (start) => new ObjectTensor("variant", shape, tensor.elements.slice(start, start + size)),
  );
  return [listOutput(new TensorList(type, rows))];
};

/** Conversions between lists of variants, such as the ragged rows of a map_fn, and single tensors. */
export const objectListKernels: readonly KernelDefinition[] = [
  longListKernel("TensorListStack", { element_dtype: ["variant"] }, stackObjects),
  longListKernel("TensorListFromTensor", { element_dtype: ["variant"], shape_type: indexTypes }, fromObjects),
];
