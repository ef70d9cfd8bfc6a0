import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { complexTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { channelLayout, checkBias, isChannelsFirst } from "./bias.js";

/** Calls `visit` for each complex number of a tensor with the indices of its real part and of its channel's. */
function forEachNumber(
  { shape, size }: Tensor,
  channelsFirst: boolean,
  visit: (at: number, channelAt: number) => void,
): void {
  const { channels, inner } = channelLayout(shape, channelsFirst);
  for (let i = 0; i < size; i += 1) {
    visit(i * 2, (Math.floor(i / inner) % channels) * 2);
  }
}

function biasAdd(value: Tensor, bias: Tensor, channelsFirst: boolean): Tensor {
  const { dtype, shape } = value;
  checkBias(value, bias, channelLayout(shape, channelsFirst).channels);
  const [x, b] = [numbersOf(value), numbersOf(bias)];
  const out = newNumbers(dtype, shape);
  forEachNumber(value, channelsFirst, (at, channelAt) => {
    out[at] = (x[at] ?? 0) + (b[channelAt] ?? 0);
    out[at + 1] = (x[at + 1] ?? 0) + (b[channelAt + 1] ?? 0);
  });
  return new Tensor(dtype, shape, out);
}

/** The sum over all dimensions except the channels, in double precision. */
function biasAddGrad(gradient: Tensor, channelsFirst: boolean): Tensor {
  const { dtype, shape } = gradient;
  const { channels } = channelLayout(shape, channelsFirst);
  const x = numbersOf(gradient);
  const out = newNumbers(dtype, [channels]);
  const sums = new Float64Array(out.length);
  forEachNumber(gradient, channelsFirst, (at, channelAt) => {
    sums[channelAt] = (sums[channelAt] ?? 0) + (x[at] ?? 0);
    sums[channelAt + 1] = (sums[channelAt + 1] ?? 0) + (x[at + 1] ?? 0);
  });
  out.set(sums);
  return new Tensor(dtype, [channels], out);
}

const options = { types: { T: complexTypes }, cost: perElement(30) };

/** Biases of complex numbers and their gradients. */
export const complexBiasKernels: readonly PureKernelDefinition[] = [
  ...["BiasAdd", "BiasAddV1"].map((op) =>
    pureKernel(
      op,
      (node) => {
        const channelsFirst = isChannelsFirst(node);
        return (inputs) => [biasAdd(inputAt(inputs, 0), inputAt(inputs, 1), channelsFirst)];
      },
      options,
    ),
  ),
  pureKernel(
    "BiasAddGrad",
    (node) => {
      const channelsFirst = isChannelsFirst(node);
      return (inputs) => [biasAddGrad(inputAt(inputs, 0), channelsFirst)];
    },
    options,
  ),
];
