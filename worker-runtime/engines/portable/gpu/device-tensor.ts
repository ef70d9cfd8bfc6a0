import { type DType, itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import { internalError } from "../../../protocol/status.js";
import { DistantData, Tensor } from "../../../protocol/tensor.js";
import { arrayOver, type TensorData } from "../../../protocol/tensor-data.js";
import { HeldTensor, isAnyHeld } from "../memory/held-tensor.js";

/** The memory that holds a tensor. */
export interface DeviceMemory {
  /** "/device:GPU:0". */
  readonly name: string;
  /** Whether it is another memory than the host's, so that traces show copies. */
  readonly isGpu: boolean;
  /** Copies a tensor's bytes to the host. @throws TensorFlowError UNAVAILABLE if the adapter was lost. */
  read(handle: number, byteLength: number): Promise<ArrayBuffer>;
  /** As `read`, but blocks this thread. */
  readNow(handle: number, byteLength: number): ArrayBuffer;
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
 * A tensor whose elements are on a device. Readers use `toHost`; `data` is for code that is unaware of devices, and
 * blocks this thread until the elements are copied.
 */
export class DeviceTensor extends HeldTensor {
  readonly memory: DeviceMemory;
  readonly #place: { readonly memory: DeviceMemory; handle: number; readonly bytes: number };
  #copy: WeakRef<Tensor> | undefined;
  #wasCopied = false;

  /** @param handle identifies it on the device. The tensor takes ownership. */
  constructor(dtype: DType, shape: readonly number[], memory: DeviceMemory, handle: number) {
    super(dtype, shape, new DistantData(() => this.#now()));
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

  /** Copies it to the host. Concurrent calls share the copy. */
  async toHost(): Promise<Tensor> {
    return this.#copy?.deref() ?? this.#copied(await this.memory.read(this.handle, this.byteLength));
  }

  /** Copies it to the host for a caller that may write to the copy. */
  async toOwnCopy(): Promise<Tensor> {
    this.#wasCopied = true;
    const bytes = await this.memory.read(this.handle, this.byteLength);
    return new Tensor(this.dtype, this.shape, arrayOver(this.dtype, bytes));
  }

  protected override free(): void {
    const { handle } = this.#place;
    if (handle !== FREED) {
      this.#place.handle = FREED;
      forgotten.unregister(this.#place);
      this.memory.free(handle);
    }
  }

  #now(): TensorData {
    const copy = this.#copy?.deref() ?? this.#copied(this.memory.readNow(this.handle, this.byteLength));
    return copy.data;
  }

  #copied(bytes: ArrayBuffer): Tensor {
    const copy = new Tensor(this.dtype, this.shape, arrayOver(this.dtype, bytes));
    this.#copy = new WeakRef(copy);
    this.#wasCopied = true;
    return copy;
  }
}

/** Whether one of the values is on a device. */
export function isAnyOnDevice(values: readonly unknown[]): boolean {
  return isAnyHeld(values) && values.some((value) => value instanceof DeviceTensor);
}
