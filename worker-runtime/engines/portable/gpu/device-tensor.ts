import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { type DType, itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape, shapeText } from "../../../protocol/shape.js";
import { internalError } from "../../../protocol/status.js";
import { DistantData, Tensor } from "../../../protocol/tensor.js";
import { arrayOver } from "../../../protocol/tensor-data.js";
import type { Waiter } from "../exclusive-access.js";
import { HeldTensor, isAnyHeld } from "../memory/held-tensor.js";

/** The memory that holds a tensor. */
export interface DeviceMemory {
  /** "/device:GPU:0". */
  readonly name: string;
  /** Whether it is another memory than the host's, so that traces show copies. */
  readonly isGpu: boolean;
  /**
   * Copies a tensor's bytes to the host.
   * @throws TensorFlowError UNAVAILABLE if the adapter was lost; CANCELLED if the signal is aborted.
   */
  read(handle: number, signal: CancellationSignal): Promise<ArrayBuffer>;
  /** Frees a tensor. */
  free(handle: number): void;
}

/**
 * Frees tensors that were never released when they are garbage-collected: only a safety net, since that may take long.
 */
const forgotten = new FinalizationRegistry<{ readonly memory: DeviceMemory; handle: number }>(
  ({ memory, handle }) => {
    if (handle >= 0) {
      memory.free(handle);
    }
  },
);
const FREED = -1;

/**
 * A tensor whose elements are on a device. Readers use `toHost`: `data` throws, since this thread, which also serves
 * gRPC, never waits for a device.
 */
export class DeviceTensor extends HeldTensor {
  readonly memory: DeviceMemory;
  readonly #place: { readonly memory: DeviceMemory; handle: number; readonly bytes: number };
  #copy: WeakRef<Tensor> | undefined;
  #wasCopied = false;

  /** @param handle identifies it on the device. The tensor takes ownership. */
  constructor(dtype: DType, shape: readonly number[], memory: DeviceMemory, handle: number) {
    super(dtype, shape, new DistantData(() => notOnHost(this)));
    this.memory = memory;
    this.#place = { memory, handle, bytes: elementsOfShape(shape) * itemSize(dtype) };
    forgotten.register(this, this.#place, this.#place);
  }

  /** Identifies it on its device. @throws TensorFlowError INTERNAL if it has been freed. */
  get handle(): number {
    const { handle } = this.#place;
    if (handle === FREED) {
      throw internalError(`A tensor on ${this.memory.name} was used after it had been freed.`);
    }
    return handle;
  }

  /** Whether its elements were ever needed on the host. */
  get wasCopied(): boolean {
    return this.#wasCopied;
  }

  override get size(): number {
    return elementsOfShape(this.shape);
  }

  override get byteLength(): number {
    return this.#place.bytes;
  }

  /**
   * Copies it to the host, unless there is a copy.
   * @param waiter whose signal ends the wait for the device.
   * @throws TensorFlowError as `DeviceMemory.read`.
   */
  async toHost(waiter: Waiter): Promise<Tensor> {
    return this.#copy?.deref() ?? this.#copied(await this.memory.read(this.handle, waiter.signal));
  }

  /** As `toHost`, for a caller that may write to the copy. */
  async toOwnCopy(waiter: Waiter): Promise<Tensor> {
    const bytes = await this.memory.read(this.handle, waiter.signal);
    this.#wasCopied = true;
    return this.#tensorOf(bytes);
  }

  protected override free(): void {
    const { handle } = this.#place;
    if (handle !== FREED) {
      this.#place.handle = FREED;
      forgotten.unregister(this.#place);
      this.memory.free(handle);
    }
  }

  #copied(bytes: ArrayBuffer): Tensor {
    const copy = this.#tensorOf(bytes);
    this.#copy = new WeakRef(copy);
    this.#wasCopied = true;
    return copy;
  }

  #tensorOf(bytes: ArrayBuffer): Tensor {
    return new Tensor(this.dtype, this.shape, arrayOver(this.dtype, bytes));
  }
}

function notOnHost({ dtype, shape, memory }: DeviceTensor): never {
  throw internalError(
    `A ${dtype} tensor of shape ${shapeText(shape)} on ${memory.name} was read before it had been copied to the host.`,
  );
}

/** A value whose elements can be read: the value itself, or for a tensor on a device `DeviceTensor.toHost`. */
export async function toHost<T>(value: T, waiter: Waiter): Promise<T | Tensor> {
  return value instanceof DeviceTensor ? await value.toHost(waiter) : value;
}

/** Whether one of the values is on a device. */
export function isAnyOnDevice(values: readonly unknown[]): boolean {
  return isAnyHeld(values) && values.some((value) => value instanceof DeviceTensor);
}
