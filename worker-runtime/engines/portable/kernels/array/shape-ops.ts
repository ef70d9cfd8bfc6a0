import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { constantValue } from "../../resources/reference-variable.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode, PartialShape } from "../kernel-node.js";
import { type Compute, type KernelOptions, pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor } from "../support/elements.js";
import { axisOf, cppShapeText, productOf } from "../support/shapes.js";

/** These depend only on shapes. */
const noCost = () => 0;

const free = { types: { T: tensorTypes }, cost: noCost };

/** For ops whose output is derived from the input's shape. */
const ofShape: KernelOptions = {
  types: { T: tensorTypes, out_type: indexTypes },
  cost: noCost,
  facts: { readsShapeOnly: true, takesDeviceTensors: true },
};

const INT32_MAX = 2 ** 31 - 1;

/** Sizes as a tensor of the node's out_type. @throws TensorFlowError INVALID_ARGUMENT if int32 is too narrow. */
function sizesTensor(node: KernelNode, shape: readonly number[], sizes: readonly number[]): Tensor {
  const dtype = node.type("out_type");
  const large = sizes.find((size) => size > INT32_MAX);
  if (dtype === "int32" && large !== undefined) {
    throw invalidArgument(`${node.op} output type is 32-bit but dim size is too large: ${large}`);
  }
  return integerTensor(dtype, shape, sizes);
}

function shapeOf(node: KernelNode, input: Tensor): Tensor {
  return sizesTensor(node, [input.shape.length], input.shape);
}

/**
 * The shape requested of Reshape, with -1 replaced by the inferred size.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
function reshapedShape(input: Tensor, sizes: Tensor): number[] {
  if (sizes.shape.length !== 1) {
    throw invalidArgument(`sizes input must be 1-D, not ${cppShapeText(sizes.shape)}`);
  }
  const wanted = integersOf(sizes);
  const unknown = wanted.indexOf(-1);
  if (unknown !== -1 && unknown !== wanted.lastIndexOf(-1)) {
    throw invalidArgument(
      `Only one input size may be -1, not both ${unknown} and ${wanted.indexOf(-1, unknown + 1)}`,
    );
  }
  const negative = wanted.find((size) => size < -1);
  if (negative !== undefined) {
    throw invalidArgument(`Size ${wanted.indexOf(negative)} must be non-negative, not ${negative}`);
  }
  if (unknown !== -1) {
    // Zeros among the other sizes are ignored on both sides, so [2, 0, 3] reshaped to [0, -1] is [0, 6].
    const known = productOf(wanted.filter((size, i) => size !== 0 && i !== unknown));
    const hasZero = wanted.some((size, i) => size === 0 && i !== unknown);
    const had = hasZero ? productOf(input.shape.filter((size) => size !== 0)) : input.size;
    if (had % known !== 0 && !(hasZero && input.size === 0)) {
      throw invalidArgument(
        `Input to reshape is a tensor with ${input.size} values, but the requested shape requires a multiple of ${known}`,
      );
    }
    wanted[unknown] = Math.floor(had / known);
  }
  const count = productOf(wanted);
  if (count !== input.size) {
    throw invalidArgument(
      `Input to reshape is a tensor with ${input.size} values, but the requested shape has ${count}`,
    );
  }
  return wanted;
}

function squeezedShape(node: KernelNode, shape: readonly number[]): number[] {
  const axes = node
    .ints("squeeze_dims")
    .map((axis) =>
      axisOf(
        axis,
        shape.length,
        `Tried to squeeze dim index ${axis} for tensor with ${shape.length} dimensions.`,
      ),
    );
  for (const axis of axes) {
    if (shape[axis] !== 1) {
      throw invalidArgument(`Can not squeeze dim[${axis}], expected a dimension of 1, got ${shape[axis]}`);
    }
  }
  return shape.filter((size, i) => (axes.length > 0 ? !axes.includes(i) : size !== 1));
}

function expandedShape(shape: readonly number[], axisInput: Tensor): number[] {
  if (axisInput.size !== 1) {
    throw invalidArgument("'dim' must be a tensor with a single value");
  }
  const axis = integersOf(axisInput)[0] ?? 0;
  const rank = shape.length;
  if (axis < -1 - rank || axis > rank) {
    throw invalidArgument(`Tried to expand dim index ${axis} for tensor with ${rank} dimensions.`);
  }
  const at = axis < 0 ? axis + rank + 1 : axis;
  return [...shape.slice(0, at), 1, ...shape.slice(at)];
}

/** Whether a shape matches a partial shape. */
function isCompatible(shape: readonly number[], partial: PartialShape): boolean {
  return (
    partial === undefined ||
    (partial.length === shape.length && partial.every((size, i) => size === -1 || size === shape[i]))
  );
}

function partialShapeText(shape: PartialShape): string {
  return shape === undefined ? "<unknown>" : `[${shape.map((size) => (size === -1 ? "?" : size)).join(",")}]`;
}

const passOn: Compute = (inputs) => [inputAt(inputs, 0)];

/** Ops that return or change the shape without moving elements; none of them copies. */
export const shapeKernels: readonly KernelDefinition[] = [
  pureKernel("Shape", (node) => (inputs) => [shapeOf(node, inputAt(inputs, 0))], ofShape),
  pureKernel("ShapeN", (node) => (inputs) => inputs.map((input) => shapeOf(node, input)), ofShape),
  pureKernel("Size", (node) => (inputs) => [sizesTensor(node, [], [inputAt(inputs, 0).size])], ofShape),
  pureKernel("Rank", () => (inputs) => [integerTensor("int32", [], [inputAt(inputs, 0).shape.length])], {
    ...free,
    facts: { readsShapeOnly: true, takesDeviceTensors: true },
  }),
  pureKernel(
    "Reshape",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      return [input.reshape(reshapedShape(input, inputAt(inputs, 1)))];
    },
    { types: { T: tensorTypes, Tshape: indexTypes }, cost: noCost },
  ),
  pureKernel(
    "Squeeze",
    (node) => (inputs) => {
      const input = inputAt(inputs, 0);
      return [input.reshape(squeezedShape(node, input.shape))];
    },
    free,
  ),
  pureKernel(
    "ExpandDims",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      return [input.reshape(expandedShape(input.shape, inputAt(inputs, 1)))];
    },
    { types: { T: tensorTypes, Tdim: indexTypes }, cost: noCost },
  ),
  pureKernel(
    "EnsureShape",
    (node) => {
      const wanted = node.shape("shape");
      return (inputs) => {
        const input = inputAt(inputs, 0);
        if (!isCompatible(input.shape, wanted)) {
          throw invalidArgument(
            `Shape of tensor ${node.def.input[0] ?? "input"} ${cppShapeText(input.shape)} is not compatible with expected shape ${partialShapeText(wanted)}.`,
          );
        }
        return [input];
      };
    },
    free,
  ),
  pureKernel("GuaranteeConst", () => passOn, free),
  pureKernel("DeepCopy", () => (inputs) => [constantValue(inputAt(inputs, 0))], free),
];
