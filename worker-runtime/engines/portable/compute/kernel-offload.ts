import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";

/** Runs pure kernels on other threads, so that they never block the thread that answers gRPC. */
export interface KernelOffload {
  /** Kernels that can run at the same time. */
  readonly parallelism: number;
  /**
   * Runs the kernel of a node on an idle thread, or the next one to become idle. The inputs are copied.
   * @param onRan called before it resolves with how long the thread took, without the wait for it.
   * @throws TensorFlowError what the kernel throws; CANCELLED when the signal is aborted before it ran.
   */
  run(
    node: KernelNode,
    deviceType: string,
    inputs: readonly Tensor[],
    signal: CancellationSignal,
    onRan?: (millis: number) => void,
  ): Promise<readonly Tensor[]>;
}
