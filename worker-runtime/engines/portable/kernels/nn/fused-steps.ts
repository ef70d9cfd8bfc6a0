import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelNode } from "../kernel-node.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { type Activation, fusedActivation } from "./activations.js";

/**
 * The steps that TensorFlow's optimizer has fused into a product or a convolution, in this order: a bias or a
 * normalization along the last dimension, an optional tensor to add, and an optional activation.
 */
export interface FusedSteps {
  readonly channels: "BiasAdd" | "FusedBatchNorm";
  readonly addsTensor: boolean;
  readonly activation: Activation | undefined;
  /** Added to the variance by FusedBatchNorm. */
  readonly epsilon: number;
}

/**
 * The steps of a node's attributes `fused_ops`, `num_args`, `epsilon` and `leakyrelu_alpha`.
 * @throws TensorFlowError INVALID_ARGUMENT for combinations that TensorFlow does not create.
 */
export function fusedStepsOf(node: KernelNode): FusedSteps {
  const names = node.strings("fused_ops");
  const [channels, ...more] = names;
  if (channels !== "BiasAdd" && channels !== "FusedBatchNorm") {
    throw invalidArgument(
      `The 1st post-argument of ${node.op} must be BiasAdd or FusedBatchNorm: [${names.join(", ")}]`,
    );
  }
  const addsTensor = more[0] === "Add";
  const [activation, ...surplus] = addsTensor ? more.slice(1) : more;
  if (surplus.length > 0) {
    throw invalidArgument(`Unsupported combination of fused operations: [${names.join(", ")}]`);
  }
  const expected = (channels === "BiasAdd" ? 1 : 4) + (addsTensor ? 1 : 0);
  if (node.int("num_args") !== expected) {
    throw invalidArgument(`${node.op} must have ${expected} extra arguments: ${node.int("num_args")}`);
  }
  return {
    channels,
    addsTensor,
    activation:
      activation === undefined ? undefined : fusedActivation(activation, node.float("leakyrelu_alpha")),
    epsilon: node.float("epsilon"),
  };
}

/**
 * Applies the steps to a product whose last dimension is the channels.
 * @param args the vectors of the first step, then the tensor to add.
 * @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit.
 */
export function applyFusedSteps(product: Tensor, args: readonly Tensor[], steps: FusedSteps): Tensor {
  const { dtype, shape } = product;
  const channels = shape.at(-1) ?? 0;
  const values = numbersOf(product);
  const out = newNumbers(dtype, shape);
  // Each step is rounded to the dtype, as if the ops were separate.
  const { factors, offsets } = channelFunction(args, steps, product);
  for (let start = 0; start < out.length; start += channels) {
    for (let j = 0; j < channels; j += 1) {
      out[start + j] = (values[start + j] as number) * (factors?.[j] ?? 1) + (offsets[j] as number);
    }
  }
  if (steps.addsTensor) {
    addTensor(out, inputAt(args, args.length - 1), shape);
  }
  if (steps.activation !== undefined) {
    for (let i = 0; i < out.length; i += 1) {
      out[i] = steps.activation(out[i] as number);
    }
  }
  return new Tensor(dtype, shape, out);
}

/** The first step as factors (none for a bias) and offsets by channel. */
function channelFunction(
  args: readonly Tensor[],
  { channels, epsilon }: FusedSteps,
  product: Tensor,
): { readonly factors?: Float64Array; readonly offsets: ArrayLike<number> } {
  const vectors = args.slice(0, channels === "BiasAdd" ? 1 : 4).map((arg) => channelVector(arg, product));
  const [first, offset, mean, variance] = vectors;
  if (first === undefined || offset === undefined || mean === undefined || variance === undefined) {
    return { offsets: first ?? [] };
  }
  const factors = Float64Array.from(first, (scale, i) => scale / Math.sqrt((variance[i] ?? 0) + epsilon));
  return {
    factors,
    offsets: Float64Array.from(offset, (value, i) => value - (mean[i] ?? 0) * (factors[i] ?? 0)),
  };
}

function channelVector(arg: Tensor, product: Tensor): NumberArray {
  if (arg.shape.length !== 1) {
    throw invalidArgument(`bias must be 1-dimensional, got shape ${cppShapeText(arg.shape)}`);
  }
  if (arg.shape[0] !== product.shape.at(-1)) {
    throw invalidArgument(
      `Must provide as many biases as the last dimension of the input tensor: ${cppShapeText(arg.shape)} vs. ${cppShapeText(product.shape)}`,
    );
  }
  return numbersOf(arg);
}

function addTensor(out: NumberArray, addend: Tensor, shape: readonly number[]): void {
  if (!sameShape(addend.shape, shape)) {
    throw invalidArgument(
      `The tensor to add has shape ${cppShapeText(addend.shape)}, the product ${cppShapeText(shape)}`,
    );
  }
  const added = numbersOf(addend);
  for (let i = 0; i < out.length; i += 1) {
    out[i] = (out[i] as number) + (added[i] as number);
  }
}
