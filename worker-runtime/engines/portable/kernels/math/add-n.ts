import { dtypeKind } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { accumulator, joinedBytes } from "../support/accumulate.js";
import { copyOfData } from "../support/allocation.js";
import { forEachRun } from "../support/broadcast-runs.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { numberTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { applyBinary, type BinaryOp, binaryLoop, longLoop } from "../support/elementwise.js";
import { broadcastShape, cppShapeText, sameShape } from "../support/shapes.js";

function sum(name: string, op: string, inputs: readonly Tensor[]): Tensor {
  const first = inputAt(inputs, 0);
  for (const [i, input] of inputs.entries()) {
    if (!sameShape(input.shape, first.shape)) {
      throw invalidArgument(
        `Inputs to operation ${name} of type ${op} must have the same size and shape.  Input 0: ${cppShapeText(first.shape)} != input ${i}: ${cppShapeText(input.shape)}`,
      );
    }
  }
  if (inputs.length === 1) {
    return first;
  }
  const data = copyOfData(first);
  for (const input of inputs.slice(1)) {
    accumulator("add", first.dtype, data, input.data)(0, 0, data.length);
  }
  return new Tensor(first.dtype, first.shape, data);
}

/** The sum of two strings is their concatenation. */
function addStrings(x: Tensor, y: Tensor): Tensor {
  const shape = broadcastShape(x.shape, y.shape);
  const [a, b] = [stringsOf(x), stringsOf(y)];
  const out: Uint8Array[] = [];
  forEachRun(x.shape, y.shape, shape, (_, xo, xs, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      out.push(joinedBytes(a[xo + i * xs] as Uint8Array, b[yo + i * ys] as Uint8Array));
    }
  });
  return new Tensor("string", shape, out);
}

// Comparisons, not Math.max: a NaN bound is ignored, and 0 and -0 are equal.
const raise: BinaryOp = {
  floats: binaryLoop((x, low) => (x < low ? low : x)),
  ints: binaryLoop((x, low) => (x < low ? low : x)),
  longs: longLoop((x, low) => (x < low ? low : x)),
};

const lower: BinaryOp = {
  floats: binaryLoop((x, high) => (x > high ? high : x)),
  ints: binaryLoop((x, high) => (x > high ? high : x)),
  longs: longLoop((x, high) => (x > high ? high : x)),
};

function clip(input: Tensor, low: Tensor, high: Tensor): Tensor {
  for (const bound of [low, high]) {
    if (bound.shape.length !== 0 && !sameShape(bound.shape, input.shape)) {
      throw invalidArgument(
        `clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: ${cppShapeText(input.shape)}clip_value_min shape: ${cppShapeText(low.shape)}clip_value_max shape: ${cppShapeText(high.shape)}`,
      );
    }
  }
  // TensorFlow clips the real and the imaginary parts of complex numbers separately.
  const parts = dtypeKind(input.dtype) === "complex" ? partsOf : (tensor: Tensor) => tensor;
  // The order matters if the lower bound is above the upper one.
  const { data } = applyBinary(raise, applyBinary(lower, parts(input), parts(high)), parts(low));
  return new Tensor(input.dtype, input.shape, data);
}

/** A tensor of real numbers: the two parts of each complex number become a last dimension. */
function partsOf({ dtype, shape, data }: Tensor): Tensor {
  return new Tensor(dtype === "complex64" ? "float32" : "float64", [...shape, 2], data);
}

/** Sums of several tensors or of strings, and clipping. */
export const addNKernels: readonly KernelDefinition[] = [
  pureKernel("AddN", (node) => withSmallFloats((inputs) => [sum(node.name, "AddN", inputs)]), {
    types: { T: numberTypes },
  }),
  pureKernel(
    "AccumulateNV2",
    (node) => withSmallFloats((inputs) => [sum(node.name, "AccumulateNV2", inputs)]),
    {
      types: { T: numberTypes },
    },
  ),
  pureKernel("Add", () => (inputs) => [addStrings(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: { T: ["string"] },
  }),
  pureKernel(
    "ClipByValue",
    () => withSmallFloats((inputs) => [clip(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))]),
    { types: { T: numberTypes } },
  ),
];
