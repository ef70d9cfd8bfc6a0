import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { longUnaryLoop, type UnaryLoop, unaryKernel, unaryLoop } from "../support/elementwise.js";
import { nanosPerElement } from "../support/elementwise-cost.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { elu, eluGradient, relu, relu6, selu, seluGradient } from "./activations.js";

/** Nanoseconds per element that needs an exponential. */
const EXPONENTIAL_NANOSECONDS = 15;

/** Nanoseconds per element of LeakyRelu or of a gradient, including mispredicted branches. */
const NANOS_PER_SLOPE = 8;

const SIGN_SHIFT = 31;
const WITHOUT_SIGN = 0x7fffffff;
/** The bits of infinity. The bits of every NaN are larger. */
const INFINITY_BITS = 0x7f800000;

/**
 * Relu of float32 by bits. With values of both signs, the processor mispredicts every second branch, which makes the
 * loop four times as slow. Values with the sign bit set become 0, unless they are NaN.
 */
function reluByBits(out: Float32Array, x: Float32Array): void {
  const from = new Int32Array(x.buffer, x.byteOffset, x.length);
  const to = new Int32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < from.length; i += 1) {
    const bits = from[i] as number;
    const isNumber = Number((bits & WITHOUT_SIGN) <= INFINITY_BITS);
    to[i] = bits & ~((bits >> SIGN_SHIFT) & -isNumber);
  }
}

const reluLoop: UnaryLoop = (out, x) => {
  if (x instanceof Float32Array && out instanceof Float32Array) {
    reluByBits(out, x);
    return;
  }
  for (let i = 0; i < x.length; i += 1) {
    out[i] = relu(x[i] as number);
  }
};

const relu6Loop: UnaryLoop = (out, x) => {
  for (let i = 0; i < x.length; i += 1) {
    out[i] = relu6(x[i] as number);
  }
};

/** Computes out[i] from the gradient of the result and a value of the forward pass. */
type GradientLoop = (out: NumberArray, gradients: NumberArray, values: NumberArray, alpha: number) => void;

// Multiplies by 0 rather than returning 0, because NaN and infinite gradients become NaN in TensorFlow. Number() avoids
// a branch that would be mispredicted every second time.
const reluGradLoop: GradientLoop = (out, gradients, values) => {
  for (let i = 0; i < out.length; i += 1) {
    out[i] = (gradients[i] as number) * Number((values[i] as number) > 0);
  }
};

const relu6GradLoop: GradientLoop = (out, gradients, values) => {
  for (let i = 0; i < out.length; i += 1) {
    const value = values[i] as number;
    out[i] = (gradients[i] as number) * Number(value > 0 && value < 6);
  }
};

const leakyReluGradLoop: GradientLoop = (out, gradients, values, alpha) => {
  for (let i = 0; i < out.length; i += 1) {
    const gradient = gradients[i] as number;
    out[i] = (values[i] as number) > 0 ? gradient : gradient * alpha;
  }
};

const eluGradLoop: GradientLoop = (out, gradients, values) => {
  for (let i = 0; i < out.length; i += 1) {
    out[i] = (gradients[i] as number) * eluGradient(values[i] as number);
  }
};

const seluGradLoop: GradientLoop = (out, gradients, values) => {
  const single = out instanceof Float32Array;
  for (let i = 0; i < out.length; i += 1) {
    out[i] = (gradients[i] as number) * seluGradient(values[i] as number, single);
  }
};

function checkSameShape(node: KernelNode, a: Tensor, b: Tensor): void {
  if (!sameShape(a.shape, b.shape)) {
    throw invalidArgument(
      `Inputs to operation ${node.name} of type ${node.op} must have the same size and shape.  ` +
        `Input 0: ${cppShapeText(a.shape)} != input 1: ${cppShapeText(b.shape)}`,
    );
  }
}

/** The cost of a plain loop over the elements, some of which need an exponential. */
function gradientsCost(_: KernelNode, inputs: readonly Tensor[]): number {
  const { dtype, size } = inputAt(inputs, 0);
  return size * nanosPerElement(dtype, undefined, NANOS_PER_SLOPE);
}

/** A kernel of the gradients of the result and the features (or, for Elu and Selu, the outputs). */
function gradientKernel(op: string, loop: GradientLoop, withInts: boolean): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const alpha = node.has("alpha") ? node.float("alpha") : 0;
      return withSmallFloats((inputs) => {
        const [gradients, values] = [inputAt(inputs, 0), inputAt(inputs, 1)];
        checkSameShape(node, gradients, values);
        const out = newNumbers(gradients.dtype, gradients.shape);
        loop(out, numbersOf(gradients), numbersOf(values), alpha);
        return [new Tensor(gradients.dtype, gradients.shape, out)];
      });
    },
    { types: { T: withInts ? [...allFloatTypes, ...shortIntTypes] : allFloatTypes }, cost: gradientsCost },
  );
}

const leakyReluKernel = pureKernel(
  "LeakyRelu",
  (node) => {
    const alpha = node.float("alpha");
    return withSmallFloats((inputs) => {
      const features = inputAt(inputs, 0);
      const x = numbersOf(features);
      const out = newNumbers(features.dtype, features.shape);
      for (let i = 0; i < x.length; i += 1) {
        const value = x[i] as number;
        out[i] = value > 0 ? value : value * alpha;
      }
      return [new Tensor(features.dtype, features.shape, out)];
    });
  },
  { types: { T: allFloatTypes }, cost: gradientsCost },
);

export const activationKernels: readonly PureKernelDefinition[] = [
  unaryKernel("Relu", { floats: reluLoop, ints: reluLoop, longs: longUnaryLoop((x) => (x < 0n ? 0n : x)) }),
  unaryKernel("Relu6", {
    floats: relu6Loop,
    ints: relu6Loop,
    longs: longUnaryLoop((x) => (x < 0n ? 0n : x > 6n ? 6n : x)),
  }),
  unaryKernel("Elu", { floats: unaryLoop(elu), cost: EXPONENTIAL_NANOSECONDS }),
  unaryKernel("Selu", { floats: unaryLoop(selu), cost: EXPONENTIAL_NANOSECONDS }),
  leakyReluKernel,
  gradientKernel("ReluGrad", reluGradLoop, true),
  gradientKernel("Relu6Grad", relu6GradLoop, true),
  gradientKernel("LeakyReluGrad", leakyReluGradLoop, false),
  gradientKernel("EluGrad", eluGradLoop, false),
  gradientKernel("SeluGrad", seluGradLoop, false),
];
