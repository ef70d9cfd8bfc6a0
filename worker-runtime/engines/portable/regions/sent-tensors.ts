import type { DType } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { isByteList, type NumericArray } from "../../../protocol/tensor-data.js";
import { copyOf } from "../compute/tensor-transfer.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import type { GpuMemory } from "../gpu/gpu-memory.js";
import { borrowing } from "../memory/received-tensor.js";
import type { PausingWork } from "../pauses.js";
import { isOfVariable } from "../resources/reference-variable.js";
import type { SentInput } from "./device-messages.js";
import { staysOnDevice } from "./resident-tensors.js";
import { runtimeMemory } from "./runtime-memory.js";

/** Copying less than this takes no longer than looking up a copy on the thread. */
export const MIN_KEPT_BYTES = 16 * 1024;
/** The memory of one thread for inputs that may be used again. */
const MAX_KEPT_BYTES = 256 * 2 ** 20;

function mostKeptBytes(): number {
  return Math.min(MAX_KEPT_BYTES, runtimeMemory.mostKeptBytes);
}

interface Kept {
  readonly key: number;
  readonly byteLength: number;
  /** How much of it counts as memory of the GPU. */
  readonly gpuBytes: number;
}

/**
 * The inputs sent to a device thread. Numbers are copied, since others hold them here. An input that is sent a second
 * time, such as the weights of a model that is not being trained, stays there: tensors never change, except those in
 * the memory of a reference variable.
 */
export class SentTensors {
  readonly #gpu: GpuMemory | undefined;
  /** By array, which several tensors may share: false if it was sent once, otherwise the copy on the thread. */
  readonly #known = new WeakMap<NumericArray, Kept | false>();
  /** The copies on the thread, least recently used first. */
  readonly #kept = new Map<number, { readonly kept: Kept; readonly array: WeakRef<NumericArray> }>();
  #keptBytes = 0;
  #keys = 0;
  #forgotten: number[] = [];
  readonly #collected = new FinalizationRegistry<Kept>((kept) => this.#forget(kept));

  /** @param gpu where copies of floats are kept, while there is room. */
  constructor(gpu?: GpuMemory) {
    this.#gpu = gpu;
  }

  /**
   * Copies the tensors that the thread does not have.
   * @returns the copies for `send`; undefined for tensors that the thread has.
   * @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory for a copy.
   */
  *copy(tensors: readonly Tensor[]): PausingWork<readonly (NumericArray | undefined)[]> {
    const copies: (NumericArray | undefined)[] = [];
    for (const tensor of tensors) {
      copies.push(
        tensor instanceof DeviceTensor || this.#known.get(numbersOf(tensor))
          ? undefined
          : yield* copyOf(tensor, numbersOf(tensor)),
      );
    }
    return copies;
  }

  /**
   * The inputs of a run that is posted now. Must be called in the order of the runs: a run may use inputs sent by an
   * earlier one.
   */
  send(
    tensors: readonly Tensor[],
    copies: readonly (NumericArray | undefined)[],
  ): { readonly inputs: readonly SentInput[]; readonly transfer: readonly ArrayBuffer[] } {
    const transfer: ArrayBuffer[] = [];
    const inputs = tensors.map((tensor, index): SentInput => {
      const { dtype, shape } = tensor;
      if (tensor instanceof DeviceTensor) {
        return { dtype, shape, handle: tensor.handle };
      }
      const array = numbersOf(tensor);
      const known = this.#known.get(array);
      if (known) {
        this.#use(known);
        return { dtype, shape, kept: known.key };
      }
      const data = (copies[index] ?? array.slice()).buffer as ArrayBuffer;
      transfer.push(data);
      if (known === false) {
        return { dtype, shape, data, keepAs: this.#keep(array, dtype) };
      }
      if (
        array.byteLength >= MIN_KEPT_BYTES &&
        array.byteLength <= mostKeptBytes() / 2 &&
        !isOfVariable(tensor)
      ) {
        this.#known.set(array, false);
      }
      return { dtype, shape, data, keepAs: undefined };
    });
    return { inputs, transfer };
  }

  /** The inputs that the thread need no longer keep; each is returned once. */
  takeForgotten(): readonly number[] {
    const forgotten = this.#forgotten;
    this.#forgotten = [];
    return forgotten;
  }

  /** The thread need not keep any input: from now on each is sent again. */
  forgetAll(): void {
    for (const { kept, array } of this.#kept.values()) {
      this.#forgetKept(kept, array);
    }
  }

  /** @returns undefined if there is no room on the GPU. */
  #keep(array: NumericArray, dtype: DType): number | undefined {
    const { byteLength } = array;
    const gpuBytes = this.#gpu !== undefined && staysOnDevice(dtype) ? byteLength : 0;
    if (this.#gpu?.takeIfFree(gpuBytes) === false) {
      return undefined;
    }
    this.#keys += 1;
    const kept = { key: this.#keys, byteLength, gpuBytes };
    this.#known.set(array, kept);
    this.#kept.set(kept.key, { kept, array: new WeakRef(array) });
    this.#keptBytes += kept.byteLength;
    runtimeMemory.take(kept.byteLength);
    this.#collected.register(array, kept);
    for (const oldest of this.#kept.values()) {
      if (this.#keptBytes <= mostKeptBytes()) {
        break;
      }
      this.#forgetKept(oldest.kept, oldest.array);
    }
    return kept.key;
  }

  #forgetKept(kept: Kept, array: WeakRef<NumericArray>): void {
    const held = array.deref();
    if (held !== undefined) {
      this.#known.set(held, false);
    }
    this.#forget(kept);
  }

  #use({ key }: Kept): void {
    const entry = this.#kept.get(key);
    if (entry !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, entry);
    }
  }

  #forget({ key, byteLength, gpuBytes }: Kept): void {
    if (this.#kept.delete(key)) {
      this.#keptBytes -= byteLength;
      runtimeMemory.give(byteLength);
      this.#gpu?.give(gpuBytes);
      this.#forgotten.push(key);
    }
  }
}

/**
 * A tensor's elements, in memory that may be given back once the tensor is no longer held.
 * @throws TensorFlowError INTERNAL for strings, which are never in a region.
 */
export function numbersOf(tensor: Tensor): NumericArray {
  const data = borrowing(() => tensor.data);
  if (isByteList(data)) {
    throw internalError(`A tensor of ${tensor.dtype} does not go to a device.`);
  }
  return data;
}
