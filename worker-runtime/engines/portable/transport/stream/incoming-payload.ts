import type { StreamPayload } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import { internalError, resourceExhausted } from "../../../../protocol/status.js";
import { memoryBudget } from "../../kernels/support/memory-budget.js";

/** Numbers of every dtype can be read where they are from a multiple of this many bytes on. */
const ALIGNMENT_BYTES = 16;

/**
 * A message on its way in. One that comes in parts is put together in a buffer that has its size from the beginning, so
 * placed in it that the content of its tensor is aligned and need not be moved.
 */
export class IncomingPayload {
  readonly byteLength: number;
  readonly #bytes: Uint8Array;
  #filled: number;

  /** @throws TensorFlowError RESOURCE_EXHAUSTED where there is no memory for it, INTERNAL for more bytes than announced. */
  constructor({ size, alignedOffset, data }: StreamPayload) {
    this.byteLength = size;
    this.#filled = data.byteLength;
    if (this.#filled === size) {
      this.#bytes = data;
      return;
    }
    this.#bytes = allocate(size, alignedOffset);
    this.#filled = 0;
    this.add(data);
  }

  /** @throws TensorFlowError INTERNAL for more bytes than were announced. */
  add(part: Uint8Array): void {
    if (this.#filled + part.byteLength > this.byteLength) {
      throw internalError(`More than the ${this.byteLength} bytes came that were announced.`);
    }
    this.#bytes.set(part, this.#filled);
    this.#filled += part.byteLength;
  }

  /** The whole message, once all of it has come. */
  get complete(): Uint8Array | undefined {
    return this.#filled === this.byteLength ? this.#bytes : undefined;
  }
}

function allocate(size: number, alignedOffset: number): Uint8Array {
  const before = (ALIGNMENT_BYTES - (alignedOffset % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES;
  if (!memoryBudget.hasRoomFor(size)) {
    throw resourceExhausted(`There is no memory for a message of ${size} bytes${memoryBudget.refusal(size)}`);
  }
  try {
    // Every byte of it is written before it is read.
    return Buffer.allocUnsafeSlow(before + size).subarray(before);
  } catch (cause) {
    throw resourceExhausted(`There is no memory for a message of ${size} bytes.`, { cause });
  }
}
