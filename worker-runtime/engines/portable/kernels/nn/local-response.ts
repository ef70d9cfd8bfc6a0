import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";

const NANOSECONDS_PER_PAIR = 8;

/** output = input / norm ^ beta, norm = bias + alpha * (the sum of the squares of the neighbouring channels). */
interface Normalization {
  /** Channels on either side. */
  readonly radius: number;
  readonly bias: number;
  readonly alpha: number;
  readonly beta: number;
}

function normalizationOf(node: KernelNode): Normalization {
  return {
    radius: node.int("depth_radius"),
    bias: node.float("bias"),
    alpha: node.float("alpha"),
    beta: node.float("beta"),
  };
}

/** The norm of each channel of the pixel whose channels begin at `start`. */
function normsOf(
  values: ArrayLike<number>,
  start: number,
  channels: number,
  { radius, bias, alpha }: Normalization,
): Float64Array {
  return Float64Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let k = Math.max(0, channel - radius); k <= Math.min(channels - 1, channel + radius); k += 1) {
      sum += (values[start + k] ?? 0) ** 2;
    }
    return bias + alpha * sum;
  });
}

function normalize(input: Tensor, normalization: Normalization): Tensor {
  const values = numbersOf(input);
  const out = newNumbers(input.dtype, input.shape);
  const channels = input.shape[3] ?? 0;
  for (let start = 0; start < values.length; start += channels) {
    const norms = normsOf(values, start, channels, normalization);
    for (let k = 0; k < channels; k += 1) {
      out[start + k] = (values[start + k] ?? 0) * (norms[k] ?? 1) ** -normalization.beta;
    }
  }
  return new Tensor(input.dtype, input.shape, out);
}

/** The gradient of the input: each channel's output depends on all channels within its radius. */
function gradient(gradients: Tensor, input: Tensor, output: Tensor, normalization: Normalization): Tensor {
  const { radius, alpha, beta } = normalization;
  const [dy, x, y] = [numbersOf(gradients), numbersOf(input), numbersOf(output)];
  const out = newNumbers(input.dtype, input.shape);
  const channels = input.shape[3] ?? 0;
  const sums = new Float64Array(channels);
  for (let start = 0; start < x.length; start += channels) {
    const norms = normsOf(x, start, channels, normalization);
    sums.fill(0);
    for (let j = 0; j < channels; j += 1) {
      const norm = norms[j] ?? 1;
      const gradient = dy[start + j] ?? 0;
      const shared = (-2 * alpha * beta * (y[start + j] ?? 0) * gradient) / norm;
      for (let k = Math.max(0, j - radius); k <= Math.min(channels - 1, j + radius); k += 1) {
        sums[k] = (sums[k] ?? 0) + shared * (x[start + k] ?? 0);
      }
      sums[j] = (sums[j] ?? 0) + gradient * norm ** -beta;
    }
    out.set(sums, start);
  }
  return new Tensor(input.dtype, input.shape, out);
}

function checkImages(images: Tensor): void {
  if (images.shape.length !== 4) {
    throw invalidArgument("in must be 4-dimensional");
  }
}

function cost(node: KernelNode, inputs: readonly Tensor[]): number {
  return inputAt(inputs, 0).size * (2 * node.int("depth_radius") + 1) * NANOSECONDS_PER_PAIR;
}

/** Local response normalization over channels, and its gradient. */
export const localResponseKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "LRN",
    (node) => {
      const normalization = normalizationOf(node);
      return withSmallFloats((inputs) => {
        checkImages(inputAt(inputs, 0));
        return [normalize(inputAt(inputs, 0), normalization)];
      });
    },
    { types: { T: ["float16", "float32"] }, cost },
  ),
  pureKernel(
    "LRNGrad",
    (node) => {
      const normalization = normalizationOf(node);
      return withSmallFloats((inputs) => {
        const [gradients, input, output] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
        checkImages(input);
        if (!sameShape(gradients.shape, input.shape) || !sameShape(output.shape, input.shape)) {
          throw invalidArgument(
            `input_grads, input_image, and out_image should have the same shape, not ${cppShapeText(gradients.shape)}, ` +
              `${cppShapeText(input.shape)} and ${cppShapeText(output.shape)}`,
          );
        }
        return [gradient(gradients, input, output, normalization)];
      });
    },
    { types: { T: ["float16", "float32"] }, cost },
  ),
];
