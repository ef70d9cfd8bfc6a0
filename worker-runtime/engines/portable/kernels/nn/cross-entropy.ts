import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { broadcastStrides, cppShapeText, tryBroadcast } from "../support/shapes.js";
import { exponentials, rowMaximum } from "./softmax.js";

const NANOSECONDS_PER_ELEMENT = 25;

/** Loss and gradient for labels given as probabilities. Both inputs broadcast to [batch, classes]. */
function crossEntropy(features: Tensor, labels: Tensor): readonly Tensor[] {
  const shape = tryBroadcast(features.shape, labels.shape);
  if (shape === undefined) {
    throw invalidArgument(
      `logits and labels must be broadcastable: logits_size=${cppShapeText(features.shape)} labels_size=${cppShapeText(labels.shape)}`,
    );
  }
  const [batch, classes] = shape;
  if (batch === undefined || classes === undefined || shape.length !== 2) {
    throw invalidArgument(
      "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional",
    );
  }
  const { dtype } = features;
  const logits = numbersOf(expand(features, shape));
  const truth = numbersOf(expand(labels, shape));
  const loss = newNumbers(dtype, [batch]);
  const backprop = newNumbers(dtype, shape);
  for (let row = 0; row < batch; row += 1) {
    const start = row * classes;
    const maximum = rowMaximum(logits, start, classes);
    const sum = exponentials(logits, start, classes, maximum, backprop);
    const logSum = Math.log(sum);
    let total = 0;
    for (let i = start; i < start + classes; i += 1) {
      const label = truth[i] as number;
      total += label * (logSum - ((logits[i] as number) - maximum));
      backprop[i] = (backprop[i] as number) / sum - label;
    }
    loss[row] = total;
  }
  return [new Tensor(dtype, [batch], loss), new Tensor(dtype, shape, backprop)];
}

/** Broadcasts a tensor to a shape of rank 2; returns the tensor itself if it has that shape. */
function expand(tensor: Tensor, shape: readonly number[]): Tensor {
  const [rows = 0, columns = 0] = shape;
  if (tensor.size === rows * columns) {
    return tensor;
  }
  const [rowStride = 0, columnStride = 0] = broadcastStrides(tensor.shape, shape);
  const source = numbersOf(tensor);
  const out = newNumbers(tensor.dtype, shape);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      out[i * columns + j] = source[i * rowStride + j * columnStride] as number;
    }
  }
  return new Tensor(tensor.dtype, shape, out);
}

/** Loss and gradient for labels given as class indices. */
function sparseCrossEntropy(features: Tensor, labels: Tensor): readonly Tensor[] {
  const [batch, classes] = checkSparse(features, labels);
  const { dtype, shape } = features;
  const logits = numbersOf(features);
  const truth = indicesOf(labels);
  checkLabels(truth, classes);
  const loss = newNumbers(dtype, [batch]);
  const backprop = newNumbers(dtype, shape);
  for (let row = 0; row < batch; row += 1) {
    const start = row * classes;
    const maximum = rowMaximum(logits, start, classes);
    const sum = exponentials(logits, start, classes, maximum, backprop);
    const at = start + (truth[row] as number);
    loss[row] = Math.log(sum) - ((logits[at] as number) - maximum);
    for (let i = start; i < start + classes; i += 1) {
      backprop[i] = (backprop[i] as number) / sum - (i === at ? 1 : 0);
    }
  }
  return [new Tensor(dtype, [batch], loss), new Tensor(dtype, shape, backprop)];
}

/** Batch size and number of classes. @throws TensorFlowError INVALID_ARGUMENT */
function checkSparse(features: Tensor, labels: Tensor): readonly [number, number] {
  const [batch, classes] = features.shape;
  if (batch === undefined || classes === undefined || features.shape.length !== 2) {
    throw invalidArgument(`logits must be 2-D, but got shape ${cppShapeText(features.shape)}`);
  }
  if (labels.shape.length !== 1) {
    throw invalidArgument(`labels must be 1-D, but got shape ${cppShapeText(labels.shape)}`);
  }
  if (labels.shape[0] !== batch) {
    throw invalidArgument(
      `logits and labels must have the same first dimension, got logits shape ${cppShapeText(features.shape)} and labels shape ${cppShapeText(labels.shape)}`,
    );
  }
  if (classes === 0) {
    throw invalidArgument(
      `Must have at least one class, but got logits shape ${cppShapeText(features.shape)}`,
    );
  }
  return [batch, classes];
}

function checkLabels(labels: ArrayLike<number>, classes: number): void {
  const wrong = Array.prototype.find.call(labels, (label: number) => label < 0 || label >= classes);
  if (wrong !== undefined) {
    throw invalidArgument(
      `Received a label value of ${wrong} which is outside the valid range of [0, ${classes}).  ` +
        `Label values: ${Array.prototype.join.call(labels, " ")}`,
    );
  }
}

export const crossEntropyKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "SoftmaxCrossEntropyWithLogits",
    () => withSmallFloats((inputs) => crossEntropy(inputAt(inputs, 0), inputAt(inputs, 1))),
    { types: { T: allFloatTypes }, cost: perElement(NANOSECONDS_PER_ELEMENT) },
  ),
  pureKernel(
    "SparseSoftmaxCrossEntropyWithLogits",
    () => withSmallFloats((inputs) => sparseCrossEntropy(inputAt(inputs, 0), inputAt(inputs, 1))),
    {
      types: { T: allFloatTypes, Tlabels: indexTypes },
      cost: perElement(NANOSECONDS_PER_ELEMENT),
    },
  ),
];
