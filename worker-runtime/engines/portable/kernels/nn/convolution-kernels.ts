import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { hasTfjs, initTfjs } from "../tfjs/backend.js";
import { SingleNodeModel } from "../tfjs/single-node-model.js";
import { convolutionFilterGradient, convolutionInputGradient, convolve } from "./convolution.js";
import { type Convolution, filterGradientForm, forwardForm, inputGradientForm } from "./convolution-forms.js";
import { applyFusedSteps, fusedStepsOf } from "./fused-steps.js";
import {
  fromChannelsLast,
  toChannelsLast,
  type WindowAttributes,
  wasmConvolves,
  windowAttributes,
  windowGeometry,
} from "./windows.js";

/** Nanoseconds per multiplication on a slow core, including the copies that go with it. */
const MULTIPLICATION_NANOSECONDS = 0.5;

/** The cost of applying `filterSize` weights to every position of the larger of the two tensors of images. */
function cost(filterSize: number, images: Tensor | undefined): number {
  const channels = Math.max(1, images?.shape.at(-1) ?? 1);
  return ((images?.size ?? 0) / channels) * filterSize * MULTIPLICATION_NANOSECONDS;
}

/** Whether TensorFlow.js's own convolution, which is up to four times as fast, supports these attributes. */
function fitsTfjs(
  node: KernelNode,
  { channelsFirst, padding, strides, dilations }: WindowAttributes,
): boolean {
  const allOnes = (sizes: readonly number[]) => sizes.every((size) => size === 1);
  return (
    node.type("T") === "float32" &&
    !channelsFirst &&
    padding !== "EXPLICIT" &&
    (allOnes(strides) || allOnes(dilations))
  );
}

/** The most bytes of images or results that are passed to wasm at once: its heap never shrinks. */
const MAX_WASM_BYTES = 64 * 1024 * 1024;

/** Whether TensorFlow.js supports these shapes: not empty, without groups, and valid. */
function fitsWasm(attributes: WindowAttributes, [images, filter]: readonly Tensor[]): boolean {
  if (images?.shape.length !== 4 || filter?.shape.length !== 4 || !hasTfjs()) {
    return false;
  }
  const [rows = 0, columns = 0, channelsIn, channelsOut = 0] = filter.shape;
  const largest =
    (images.size / Math.max(1, images.shape[3] ?? 0)) * Math.max(images.shape[3] ?? 0, channelsOut);
  if (
    images.size === 0 ||
    filter.size === 0 ||
    channelsIn !== images.shape[3] ||
    !wasmConvolves(attributes, [rows, columns]) ||
    largest * Float32Array.BYTES_PER_ELEMENT > MAX_WASM_BYTES
  ) {
    return false;
  }
  const geometry = windowGeometry(attributes, images.shape, [rows, columns]);
  return geometry.rows.output > 0 && geometry.columns.output > 0;
}

const types = { T: allFloatTypes };

const crossChannel: Convolution = {
  convolve,
  filterGradient: convolutionFilterGradient,
  inputGradient: convolutionInputGradient,
};

export const convolutionKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "Conv2D",
    (node) => {
      const attributes = windowAttributes(node);
      const compute = forwardForm(node, crossChannel);
      const model = fitsTfjs(node, attributes) ? new SingleNodeModel(node) : undefined;
      return (inputs) =>
        model !== undefined && fitsWasm(attributes, inputs) ? model.execute(inputs) : compute(inputs);
    },
    {
      types,
      prepare: initTfjs,
      cost: (_, [images, filter]) => cost(filter?.size ?? 0, images),
    },
  ),
  pureKernel(
    // TensorFlow's optimizer fuses Conv2D, BiasAdd (or FusedBatchNorm) and an activation into it.
    "_FusedConv2D",
    (node) => {
      const attributes = windowAttributes(node);
      const { channelsFirst } = attributes;
      const steps = fusedStepsOf(node);
      const end = 2 + node.int("num_args");
      return withSmallFloats((inputs) => {
        const images = toChannelsLast(inputAt(inputs, 0), channelsFirst);
        const args = inputs
          .slice(2, end)
          .map((arg) => (arg.shape.length === 4 ? toChannelsLast(arg, channelsFirst) : arg));
        const product = convolve(attributes, images, inputAt(inputs, 1));
        return [fromChannelsLast(applyFusedSteps(product, args, steps), channelsFirst)];
      });
    },
    {
      types: { ...types, TArgs: tensorTypes },
      fits: (node) => node.string("filter_format") === "HWIO",
      prepare: initTfjs,
      cost: (_, [images, filter]) => cost(filter?.size ?? 0, images),
    },
  ),
  pureKernel("Conv2DBackpropFilter", (node) => filterGradientForm(node, crossChannel), {
    types,
    prepare: initTfjs,
    cost: (_, [images, sizes]) => {
      const filterSize = sizes === undefined ? 0 : integersOf(sizes).reduce((size, dim) => size * dim, 1);
      return cost(filterSize, images);
    },
  }),
  pureKernel("Conv2DBackpropInput", (node) => inputGradientForm(node, crossChannel), {
    types,
    prepare: initTfjs,
    cost: (_, [, filter, gradient]) => cost(filter?.size ?? 0, gradient),
  }),
];
