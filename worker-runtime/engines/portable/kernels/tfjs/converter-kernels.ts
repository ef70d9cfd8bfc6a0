import {
  invalidArgument,
  outOfRange,
  resourceExhausted,
  unimplemented,
} from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { depthwiseForm } from "../nn/depthwise-convolution.js";
import { wasmConvolves, windowDimension } from "../nn/windows.js";
import { zeroTensor } from "../support/allocation.js";
import { type Compute, KernelPriority, pureKernel } from "../support/define.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { initTfjs } from "./backend.js";
import { SingleNodeModel } from "./single-node-model.js";

/** An op that TensorFlow.js computes like TensorFlow, for nodes that `fits` accepts. */
interface ConvertedOp {
  readonly op: string;
  /** Conditions beyond the attribute T being float32, which applies to every op here. */
  fits?(node: KernelNode): boolean;
  /** The rank of the first input. TensorFlow.js also accepts one less, for a single image. */
  readonly rank: 4 | 5;
  /** Whether the output has the batch of the first input; TensorFlow.js does not support empty batches. */
  readonly keepsBatch: boolean;
  /** A kernel of our own for inputs that TensorFlow.js gets wrong; undefined for all others. */
  instead?(node: KernelNode, inputs: readonly Tensor[]): Compute | undefined;
  /** Checks for inputs that TensorFlow rejects but TensorFlow.js accepts. @throws TensorFlowError */
  check?(inputs: readonly Tensor[]): void;
  /** The maximum size of the output. Defaults to the size of the first input. */
  outputSize?(inputs: readonly Tensor[]): number;
  /** Nanoseconds for these inputs, based on measurements of the wasm kernels. */
  cost(inputs: readonly Tensor[]): number;
}

/** Nanoseconds per multiplication of a convolution in wasm on a slow core. */
const MULTIPLICATION_NANOSECONDS = 0.5;

/** Assumes that every element of the image meets the whole filter: an upper bound, exact for strides of 1. */
function convolutionCost([image, filter]: readonly Tensor[]): number {
  if (image === undefined || filter === undefined) {
    return 0;
  }
  const channels = Math.max(1, image.shape.at(-1) ?? 1);
  return (image.size / channels) * filter.size * MULTIPLICATION_NANOSECONDS;
}

/** Nanoseconds per element in wasm or a plain loop. */
function elementCost(nanoseconds: number): (inputs: readonly Tensor[]) => number {
  return (inputs) => (inputs[0]?.size ?? 0) * nanoseconds;
}

function channelsLast(node: KernelNode): boolean {
  return node.string("data_format") === "NHWC" || node.string("data_format") === "NDHWC";
}

function allOnes(sizes: readonly number[]): boolean {
  return sizes.every((size) => size === 1);
}

/** TensorFlow.js does not support strides and dilations at the same time. */
function convolves(node: KernelNode): boolean {
  return channelsLast(node) && (allOnes(node.ints("strides")) || allOnes(node.ints("dilations")));
}

/** Whether it pools neither batches nor channels. */
function poolsImages(node: KernelNode): boolean {
  const ends = [node.ints("ksize"), node.ints("strides")].flatMap((sizes) => [
    sizes.at(0) ?? 1,
    sizes.at(-1) ?? 1,
  ]);
  return channelsLast(node) && allOnes(ends);
}

/**
 * The pixels of the result in each dimension but the first and the last. For windows that are larger than the images,
 * TensorFlow.js would read and write beyond its memory, and nothing else could be computed in it any more.
 * @param window sizes of all dimensions
 * @throws TensorFlowError INVALID_ARGUMENT for windows that are too large
 */
function resultSizes(node: KernelNode, { shape }: Tensor, window: readonly number[]): readonly number[] {
  const at = (sizes: readonly number[], axis: number) => sizes[axis] ?? 1;
  const dilations = node.has("dilations") ? node.ints("dilations") : [];
  return shape.slice(1, -1).map(
    (input, i) =>
      windowDimension({
        input,
        window: at(window, i + 1),
        stride: at(node.ints("strides"), i + 1),
        dilation: at(dilations, i + 1),
        scheme: node.string("padding"),
      }).output,
  );
}

/** The result of a pool that has no pixels; undefined for any other. */
function emptyPool(node: KernelNode, [images]: readonly Tensor[]): Compute | undefined {
  const window = node.ints("ksize");
  if (images === undefined || images.shape.length !== window.length) {
    return undefined;
  }
  const sizes = resultSizes(node, images, window);
  const [batch = 0, channels = 0] = [images.shape[0], images.shape.at(-1)];
  return sizes.includes(0) ? () => [zeroTensor(images.dtype, [batch, ...sizes, channels])] : undefined;
}

/** Assumes that no pixel is skipped; the filter's last dimension is the number of output channels per input channel. */
function depthwiseSize([image, filter]: readonly Tensor[]): number {
  return (image?.size ?? 0) * (filter?.shape.at(-1) ?? 0);
}

/** The last input is the new size. */
function checkNewSize(inputs: readonly Tensor[]): void {
  const size = inputs.at(-1);
  if (size?.shape.length !== 1 || size.size !== 2) {
    throw invalidArgument(
      `size must be 1-dimensional with 2 elements, got shape ${cppShapeText(size?.shape ?? [])}`,
    );
  }
  if (integersOf(size).some((pixels) => pixels <= 0)) {
    throw invalidArgument("output dimensions must be positive");
  }
}

function resizedSize([images, size]: readonly Tensor[]): number {
  const [batch = 0, , , channels = 0] = images?.shape ?? [];
  return batch * channels * (size === undefined ? 0 : productOf(integersOf(size)));
}

/** TensorFlow.js would read beyond the data for invalid crops. */
function checkCrops(inputs: readonly Tensor[]): void {
  checkNewSize(inputs);
  const [images, boxes, boxIndex] = inputs;
  const batch = images?.shape[0] ?? 0;
  if (boxes?.shape.length !== 2 || boxes.shape[1] !== 4) {
    throw invalidArgument(`boxes must be 2-D with 4 columns: ${cppShapeText(boxes?.shape ?? [])}`);
  }
  if (boxIndex?.shape.length !== 1 || boxIndex.shape[0] !== boxes.shape[0]) {
    throw invalidArgument(`box_index has incompatible shape: ${cppShapeText(boxIndex?.shape ?? [])}`);
  }
  if (integersOf(boxIndex).some((index) => index < 0 || index >= batch)) {
    throw outOfRange("box_index has values outside [0, batch_size)");
  }
}

function croppedSize([images, boxes, , size]: readonly Tensor[]): number {
  return (
    (images?.shape.at(-1) ?? 0) *
    (boxes?.shape[0] ?? 0) *
    (size === undefined ? 0 : productOf(integersOf(size)))
  );
}

function notExplicit(node: KernelNode): boolean {
  return node.string("padding") !== "EXPLICIT";
}

const resizing = {
  rank: 4,
  keepsBatch: true,
  check: checkNewSize,
  outputSize: resizedSize,
  cost: (inputs: readonly Tensor[]) => 50 * resizedSize(inputs),
} as const;

const pooling = { rank: 4, keepsBatch: true, instead: emptyPool, cost: elementCost(2) } as const;

const convertedOps: readonly ConvertedOp[] = [
  {
    op: "DepthwiseConv2dNative",
    fits: (node) => convolves(node) && notExplicit(node),
    instead: (node, [images, filter]) => {
      const [rows = 1, columns = 1] = filter?.shape ?? [];
      const window = { padding: node.string("padding"), strides: node.ints("strides") };
      const isEmpty =
        images?.shape.length === 4 && resultSizes(node, images, [1, rows, columns, 1]).includes(0);
      return wasmConvolves(window, [rows, columns]) && !isEmpty ? undefined : depthwiseForm(node);
    },
    rank: 4,
    keepsBatch: true,
    outputSize: depthwiseSize,
    cost: convolutionCost,
  },
  { op: "MaxPool", fits: (node) => poolsImages(node) && notExplicit(node), ...pooling },
  { op: "AvgPool", fits: poolsImages, ...pooling },
  { op: "AvgPool3D", fits: poolsImages, ...pooling, rank: 5, cost: elementCost(100) },
  { op: "LRN", rank: 4, keepsBatch: true, cost: elementCost(100) },
  { op: "ResizeBilinear", ...resizing },
  { op: "ResizeNearestNeighbor", ...resizing },
  {
    op: "CropAndResize",
    fits: (node) => node.string("method") === "bilinear",
    rank: 4,
    keepsBatch: false,
    check: checkCrops,
    outputSize: croppedSize,
    cost: (inputs) => 50 * croppedSize(inputs),
  },
];

/** The maximum output of one call in bytes; wasm's heap ends at 2 GB, and running out of it would end the process. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

function checkInputs(converted: ConvertedOp, inputs: readonly Tensor[]): void {
  const { op, rank, check, outputSize } = converted;
  const first = inputAt(inputs, 0);
  if (first.shape.length !== rank) {
    throw invalidArgument(`input must be ${rank}-dimensional: ${cppShapeText(first.shape)}`);
  }
  check?.(inputs);
  const bytes = Float32Array.BYTES_PER_ELEMENT * (outputSize?.(inputs) ?? first.size);
  if (bytes > MAX_OUTPUT_BYTES) {
    throw resourceExhausted(
      `The output of ${op} takes ${bytes} bytes; this engine's kernel for it gives at most ${MAX_OUTPUT_BYTES}.`,
    );
  }
}

function execute(
  model: SingleNodeModel,
  converted: ConvertedOp,
  inputs: readonly Tensor[],
): readonly Tensor[] {
  checkInputs(converted, inputs);
  const [first, ...others] = [inputAt(inputs, 0), ...inputs.slice(1)];
  const isEmpty = converted.keepsBatch && first.shape[0] === 0;
  // An empty batch is replaced by one image of zeros, whose result has the other dimensions.
  const images = isEmpty ? zeroTensor(first.dtype, [1, ...first.shape.slice(1)]) : first;
  const given = [images, ...others];
  // For empty operands, wasm writes to the console and continues.
  const empty = given.find(({ shape }) => productOf(shape) === 0);
  if (empty !== undefined) {
    throw unimplemented(
      `${converted.op} of an empty tensor of shape ${cppShapeText(empty.shape)} is not supported.`,
    );
  }
  const outputs = model.execute(given);
  return isEmpty ? outputs.map(({ dtype, shape }) => zeroTensor(dtype, [0, ...shape.slice(1)])) : outputs;
}

/** With a negative stride, TensorFlow.js would walk backwards forever. */
function checkWindows(node: KernelNode): void {
  for (const attr of ["ksize", "strides", "dilations"]) {
    if (node.has(attr) && node.ints(attr).some((size) => size < 1)) {
      throw invalidArgument(
        `Sliding window ${attr} field must be positive, got [${node.ints(attr).join(", ")}]`,
      );
    }
  }
}

function convertedKernel(converted: ConvertedOp): PureKernelDefinition {
  const { op, fits, instead, cost } = converted;
  return pureKernel(
    op,
    (node) => {
      checkWindows(node);
      const model = new SingleNodeModel(node);
      return (inputs) => instead?.(node, inputs)?.(inputs) ?? execute(model, converted, inputs);
    },
    {
      types: { T: ["float32"] },
      priority: KernelPriority.converted,
      ...(fits === undefined ? {} : { fits }),
      // Without it, the first execution fails: kernels of lower priority are for nodes that these do not accept.
      prepare: initTfjs,
      cost: (_, inputs) => cost(inputs),
    },
  );
}

/** Ops run by TensorFlow.js's converter; each was compared with TensorFlow. */
export const tfjsKernels: readonly PureKernelDefinition[] = convertedOps.map(convertedKernel);
