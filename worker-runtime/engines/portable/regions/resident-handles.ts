import type { DType } from "../../../protocol/dtype.js";
import { itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import type { GpuMemory } from "../gpu/gpu-memory.js";
import { checkRoomWith } from "../kernels/support/allocation.js";
import { residentLedger } from "../kernels/support/memory-budget.js";
import { type LedgerShare, ResidentLedger } from "../kernels/support/resident-ledger.js";

/**
 * The tensors that one device thread holds, by handle, as this thread sees them. Their bytes count against the memory of
 * the GPU, or without one against that of the process.
 */
export class ResidentHandles {
  readonly #gpu: GpuMemory | undefined;
  readonly #release: (handles: readonly number[]) => void;
  readonly #share: LedgerShare | undefined;
  readonly #ledger: ResidentLedger | undefined;
  readonly #bytes = new Map<number, number>();
  #usedBytes = 0;

  /** @param release frees the tensors with these handles. */
  constructor(gpu: GpuMemory | undefined, release: (handles: readonly number[]) => void) {
    this.#gpu = gpu;
    this.#release = release;
    this.#share = gpu === undefined ? residentLedger.open() : undefined;
    this.#ledger = this.#share && new ResidentLedger(this.#share);
  }

  get isEmpty(): boolean {
    return this.#bytes.size === 0;
  }

  /** @throws TensorFlowError RESOURCE_EXHAUSTED if there is no room for the tensor, which is then freed. */
  add(handle: number, dtype: DType, shape: readonly number[]): void {
    const byteLength = elementsOfShape(shape) * itemSize(dtype);
    try {
      if (this.#gpu === undefined) {
        checkRoomWith({ dtype, shape, byteLength });
      } else {
        this.#gpu.take(byteLength, dtype, shape);
      }
    } catch (error) {
      this.#release([handle]);
      throw error;
    }
    this.#bytes.set(handle, byteLength);
    this.#count(byteLength);
  }

  /** Frees a tensor. */
  free(handle: number): void {
    const byteLength = this.#bytes.get(handle);
    if (byteLength === undefined) {
      return;
    }
    this.#bytes.delete(handle);
    this.#gpu?.give(byteLength);
    this.#count(-byteLength);
    this.#release([handle]);
  }

  /** The thread has ended, and its tensors with it. */
  clear(): void {
    for (const byteLength of this.#bytes.values()) {
      this.#gpu?.give(byteLength);
    }
    this.#bytes.clear();
    if (this.#share !== undefined) {
      residentLedger.close(this.#share);
    }
  }

  #count(bytes: number): void {
    this.#usedBytes += bytes;
    this.#ledger?.publish(this.#usedBytes);
  }
}
