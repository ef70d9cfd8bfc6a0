import type { KernelDefinition } from "../kernel.js";
import { binaryKernel, binaryLoop } from "../support/elementwise.js";

/** A gradient of 0 stays 0 even where the derivative of the function is infinite, as in TensorFlow. */
const unlessZero = (f: (y: number, dy: number) => number) => binaryLoop((y, dy) => (dy === 0 ? 0 : f(y, dy)));

const minusProductWithSquare = unlessZero((y, dy) => -dy * y * y);

/** Gradients of functions of one number. All except softplus and softsign have the function's result y as input 0. */
export const functionGradientKernels: readonly KernelDefinition[] = [
  binaryKernel("TanhGrad", { floats: binaryLoop((y, dy) => dy * (1 - y * y)) }),
  binaryKernel("SigmoidGrad", { floats: binaryLoop((y, dy) => dy * y * (1 - y)) }),
  binaryKernel("SqrtGrad", { floats: unlessZero((y, dy) => (0.5 * dy) / y) }),
  binaryKernel("RsqrtGrad", { floats: unlessZero((y, dy) => -0.5 * dy * y * y * y) }),
  binaryKernel("ReciprocalGrad", { floats: minusProductWithSquare }),
  binaryKernel("InvGrad", { floats: minusProductWithSquare }),
  binaryKernel("SoftplusGrad", { floats: binaryLoop((dy, x) => dy / (Math.exp(-x) + 1)), cost: 50 }),
  binaryKernel("SoftsignGrad", { floats: binaryLoop((dy, x) => dy / (1 + Math.abs(x)) ** 2), cost: 30 }),
];
