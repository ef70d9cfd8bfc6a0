import type { KernelNode } from "../kernels/kernel-node.js";
import { fusedStepsOf } from "../kernels/nn/fused-steps.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { elu, geluApproximate, geluExact, leakyRelu, relu6 } from "./activations.js";
import { channelFactors } from "./batch-norm.js";
import { sigmoid } from "./elementwise.js";
import { alongAxis } from "./layout.js";
import { Writer } from "./writer.js";

/** A product of matrices or images; dimension `axis` holds the channels. */
interface Product {
  readonly model: ModelBuilder;
  readonly rank: number;
  readonly axis: number;
}

/**
 * The steps that TensorFlow's optimizer has fused into a product: a bias or a normalization, optionally a tensor to
 * add, optionally an activation. The node's attributes are those accepted by `fusedStepsOf`.
 */
export function lowerFusedSteps(
  node: KernelNode,
  product: OnnxValue,
  args: readonly OnnxValue[],
  { model, rank, axis }: Product,
): OnnxValue {
  const { dtype } = product;
  const { channels, addsTensor, epsilon } = fusedStepsOf(node);
  const vector = (value: OnnxValue) => alongAxis(model, value, rank, axis);
  const [first, offset, mean, variance] = args;
  let result = product;
  if (channels === "BiasAdd" && first !== undefined) {
    result = model.node("Add", [result, vector(first)], dtype);
  } else if (first !== undefined && offset !== undefined && mean !== undefined && variance !== undefined) {
    const { factors, offsets } = channelFactors(model, { scale: first, offset, mean, variance, epsilon });
    result = model.node("Mul", [result, vector(factors)], dtype);
    result = model.node("Add", [result, vector(offsets)], dtype);
  }
  const added = args[node.int("num_args") - 1];
  if (addsTensor && added !== undefined) {
    result = model.node("Add", [result, added], dtype);
  }
  return activate(node, model, result);
}

/** The activation at the end of `fused_ops`; the value itself if there is none. */
function activate(node: KernelNode, model: ModelBuilder, value: OnnxValue): OnnxValue {
  switch (node.strings("fused_ops").at(-1)) {
    case "Relu":
      return model.node("Relu", [value], value.dtype);
    case "Relu6":
      return relu6(model, value);
    case "Elu":
      return elu(model, value);
    case "LeakyRelu":
      return leakyRelu(model, value, node.float("leakyrelu_alpha"));
    case "Tanh":
      return model.node("Tanh", [value], value.dtype);
    case "Sigmoid":
      return sigmoid(new Writer({ model }), value);
    case "GeluApproximate":
      return geluApproximate(model, value);
    case "GeluExact":
      return geluExact(model, value);
    default:
      return value;
  }
}
