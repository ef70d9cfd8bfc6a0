import { gpuHostTypes } from "../kernels/gpu-host-types.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { typesFit } from "../kernels/type-constraints.js";
import type { UpdateLowering } from "../lowering/lowering.js";
import type { LoweringRegistry } from "../lowering/registry.js";

/**
 * The kernels that TensorFlow's placer would find registered for GPUs, as far as this engine has them: nodes that can
 * be expressed in ONNX, and those that TensorFlow's GPUs run on the host or that pass values through. From TensorFlow's
 * registrations for DEVICE_GPU and DEVICE_DEFAULT.
 */
export class GpuKernels {
  readonly #lowerings: LoweringRegistry;
  readonly #updates: LoweringRegistry<UpdateLowering>;

  constructor(lowerings: LoweringRegistry, updates: LoweringRegistry<UpdateLowering>) {
    this.#lowerings = lowerings;
    this.#updates = updates;
  }

  has(node: KernelNode): boolean {
    return (
      this.runsOnHost(node) ||
      this.#lowerings.find(node) !== undefined ||
      this.#updates.find(node) !== undefined
    );
  }

  /**
   * Whether a node placed on a GPU computes on the host or only passes values through; such nodes are not in regions
   * there.
   */
  runsOnHost(node: KernelNode): boolean {
    return gpuHostTypes(node.op).some((types) => typesFit(types, node));
  }
}
