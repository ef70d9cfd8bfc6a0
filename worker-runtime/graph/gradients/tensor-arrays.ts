/**
 * Gradients of TensorArrays: another array takes the gradients of the elements. The scalars called flow, which order the
 * uses of an array, order those of its gradient in the same way. Facts from tensorflow/python/ops/tensor_array_grad.py.
 */
import type { Output } from "../operation.js";
import type { GradientRules, OpGradient } from "./gradient.js";

/** The array of the gradients of an array. @param flow what has to be done with it before */
function gradientArray(at: OpGradient, flow: Output): { readonly handle: Output; readonly flow: Output } {
  const { outputs } = at.graph.op("TensorArrayGradV3", [at.x, flow], { source: at.context.source });
  const [handle, ready] = outputs;
  if (!handle || !ready) throw at.needs("an array of gradients");
  return { handle, flow: at.graph.withControlDependencies([handle], () => at.call("Identity", [flow])) };
}

export const TENSOR_ARRAYS: GradientRules = {
  TensorArrayReadV3: (at) => {
    const { handle, flow } = gradientArray(at, at.input(2));
    return [undefined, undefined, at.call("TensorArrayWriteV3", [handle, at.input(1), at.g, flow])];
  },
  TensorArrayWriteV3: (at) => {
    const { handle, flow } = gradientArray(at, at.g);
    const attrs = { dtype: at.input(2).dtype };
    const own = at.call("TensorArrayReadV3", [handle, at.input(1), flow], attrs);
    return [undefined, undefined, own, at.g];
  },
  TensorArrayGatherV3: (at) => {
    const { handle, flow } = gradientArray(at, at.input(2));
    return [undefined, undefined, at.call("TensorArrayScatterV3", [handle, at.input(1), at.g, flow])];
  },
  TensorArrayScatterV3: (at) => {
    const { handle, flow } = gradientArray(at, at.g);
    const attrs = { dtype: at.input(2).dtype };
    const own = at.call("TensorArrayGatherV3", [handle, at.input(1), flow], attrs);
    return [undefined, undefined, own, at.g];
  },
  TensorArrayConcatV3: (at) => {
    const { handle, flow } = gradientArray(at, at.input(1));
    const lengths = at.op.outputAt(1);
    return [undefined, at.call("TensorArraySplitV3", [handle, at.g, lengths, flow])];
  },
  TensorArraySplitV3: (at) => {
    const { handle, flow } = gradientArray(at, at.g);
    const attrs = { dtype: at.input(1).dtype };
    return [undefined, at.call("TensorArrayConcatV3", [handle, flow], attrs), undefined, at.g];
  },
};
