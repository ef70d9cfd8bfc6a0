import { invalidArgument } from "../../../../protocol/status.js";
import { erf } from "../math/special-functions.js";

/** A function of one number, computed in double precision. NaN gives NaN. */
export type Activation = (x: number) => number;

/** max(x, 0); also 0 for -0, as in TensorFlow. */
export const relu: Activation = (x) => (x <= 0 ? 0 : x);

export const relu6: Activation = (x) => (x <= 0 ? 0 : x > 6 ? 6 : x);

export const elu: Activation = (x) => (x < 0 ? Math.expm1(x) : x);

/** Constants of Klambauer et al., "Self-Normalizing Neural Networks" (2017), as TensorFlow writes them. */
export const SELU_SCALE = 1.0507009873554805;
export const SELU_SCALE_ALPHA = 1.7580993408473768;

export const selu: Activation = (x) => (x < 0 ? SELU_SCALE_ALPHA * Math.expm1(x) : SELU_SCALE * x);

function leakyRelu(alpha: number): Activation {
  return (x) => (x > 0 ? x : x * alpha);
}

const sigmoid: Activation = (x) => 1 / (1 + Math.exp(-x));

const GELU_TANH_FACTOR = Math.sqrt(2 / Math.PI);
const GELU_CUBIC_FACTOR = 0.044715;

/** Gaussian error linear unit by tanh: Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016). */
const geluApproximate: Activation = (x) =>
  0.5 * x * (1 + Math.tanh(GELU_TANH_FACTOR * (x + GELU_CUBIC_FACTOR * x * x * x)));

/** The derivative of elu in terms of its output. */
export function eluGradient(output: number): number {
  return output < 0 ? output + 1 : 1;
}

/** The derivative of selu in terms of its output, with its constants in single precision or in double. */
export function seluGradient(output: number, single: boolean): number {
  if (output < 0) {
    // Near the lowest output, the two terms nearly cancel, so the precision of the constant matters.
    return output + (single ? Math.fround(SELU_SCALE_ALPHA) : SELU_SCALE_ALPHA);
  }
  return single ? Math.fround(SELU_SCALE) : SELU_SCALE;
}

/** Gaussian error linear unit. */
const geluExact: Activation = (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2));

/**
 * The activations that TensorFlow's optimizer fuses into a product or a convolution, by their names in `fused_ops`.
 * @throws TensorFlowError INVALID_ARGUMENT for any other name.
 */
export function fusedActivation(name: string, leakyReluAlpha: number): Activation {
  switch (name) {
    case "Relu":
      return relu;
    case "Relu6":
      return relu6;
    case "Elu":
      return elu;
    case "LeakyRelu":
      return leakyRelu(leakyReluAlpha);
    case "Tanh":
      return Math.tanh;
    case "Sigmoid":
      return sigmoid;
    case "GeluApproximate":
      return geluApproximate;
    case "GeluExact":
      return geluExact;
    default:
      throw invalidArgument(`Unsupported fused operation: ${name}`);
  }
}
