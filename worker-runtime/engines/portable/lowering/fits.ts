import { TensorFlowError } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";

/** The result of `read`; undefined if it rejects its arguments, about which the op's kernel reports. */
export function accepted<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TensorFlowError) {
      return undefined;
    }
    throw error;
  }
}

/** Whether `read` accepts a node's attributes; the op's kernel reports what is wrong with others. */
export function accepts(read: (node: KernelNode) => unknown): (node: KernelNode) => boolean {
  return (node) =>
    accepted(() => {
      read(node);
      return true;
    }) === true;
}
