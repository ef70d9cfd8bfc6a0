import type { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import type { DType } from "../../../protocol/dtype.js";
import { resourceExhausted } from "../../../protocol/status.js";
import { type DeviceKind, gpuKind } from "../device.js";
import { cppTypeName } from "../kernels/support/dtypes.js";
import { cppShapeText } from "../kernels/support/shapes.js";
import type { ChosenGpu } from "./choose-gpus.js";

/** The rest is for the driver, other programs, and ONNX Runtime's temporary memory during a run. */
const SHARE_OF_MEMORY = 0.9;

/** A task's GPU as TensorFlow's clients see it. Its memory is limited by `per_process_gpu_memory_fraction` if set. */
export function kindOfGpu(index: number, gpu: ChosenGpu, config: ConfigProto | undefined): DeviceKind {
  const fraction = config?.gpuOptions?.perProcessGpuMemoryFraction || SHARE_OF_MEMORY;
  const limit = Math.floor(gpu.adapter.memoryBytes * fraction);
  return gpuKind(index, gpu.adapter.name, gpu.provider.name, limit);
}

/**
 * Accounts for the GPU memory of a task's tensors that outlive the run of a model: outputs, and copies of inputs that
 * are kept for later runs while there is room.
 */
export class GpuMemory {
  /** "/device:GPU:0". */
  readonly device: string;
  readonly limitBytes: number;
  #usedBytes = 0;
  #reclaim: (() => void) | undefined;

  constructor(device: string, limitBytes: number) {
    this.device = device;
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @param reclaim gives back what nothing needs, for a tensor that does not fit. */
  onFull(reclaim: () => void): void {
    this.#reclaim = reclaim;
  }

  /** @throws TensorFlowError RESOURCE_EXHAUSTED, in TensorFlow's words, if there is no room for a tensor. */
  take(bytes: number, dtype: DType, shape: readonly number[]): void {
    if (!this.takeIfFree(bytes)) {
      this.#reclaim?.();
      if (!this.takeIfFree(bytes)) {
        throw this.#exhausted(dtype, shape);
      }
    }
  }

  /** @returns false if there is no room. */
  takeIfFree(bytes: number): boolean {
    const fits = this.#usedBytes + bytes <= this.limitBytes;
    this.#usedBytes += fits ? bytes : 0;
    return fits;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  #exhausted(dtype: DType, shape: readonly number[]) {
    return resourceExhausted(
      `OOM when allocating tensor with shape${cppShapeText(shape)} and type ${cppTypeName(dtype)} on ${this.device} by ` +
        `allocator GPU: ${this.#usedBytes} of ${this.limitBytes} bytes are in use.`,
    );
  }
}
