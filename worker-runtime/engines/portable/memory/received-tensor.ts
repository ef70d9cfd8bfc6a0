import { itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import { internalError } from "../../../protocol/status.js";
import { DistantData, Tensor } from "../../../protocol/tensor.js";
import { isByteList, type NumericArray } from "../../../protocol/tensor-data.js";
import type { Value } from "../values.js";
import { HeldTensor } from "./held-tensor.js";
import { type ReceivePool, receivePool } from "./receive-pool.js";

/** The number of callers of `borrowing`. */
let borrowers = 0;

/**
 * A tensor in the memory of the message that brought it, which is used for another message once the last holder has let
 * it go. Code that reads `data` may keep the array or part of it, so the memory is then left to the garbage collector;
 * only code within `borrowing` promises to keep none of it.
 */
export class ReceivedTensor extends HeldTensor {
  readonly #array: NumericArray;
  readonly #pool: ReceivePool;
  #state: "lent" | "kept" | "given back" = "lent";

  private constructor({ dtype, shape }: Tensor, array: NumericArray, pool: ReceivePool) {
    super(dtype, shape, new DistantData(() => this.#read()));
    this.#array = array;
    this.#pool = pool;
  }

  /**
   * A tensor that fills most of a message; the tensor itself if its memory cannot be used again. Nothing else may refer
   * to the message.
   */
  static lend(tensor: Value, pool = receivePool): Value {
    if (!(tensor instanceof Tensor)) {
      return tensor;
    }
    const { data } = tensor;
    const isLendable =
      !isByteList(data) &&
      pool.owns(data.buffer) &&
      // No other tensor of the message can pass this test.
      data.byteLength > data.buffer.byteLength / 2;
    return isLendable ? new ReceivedTensor(tensor, data, pool) : tensor;
  }

  override get size(): number {
    return elementsOfShape(this.shape);
  }

  override get byteLength(): number {
    return this.size * itemSize(this.dtype);
  }

  /** Leaves the memory to the garbage collector if one of the tensors, other than this one, is in it. */
  keepIfShared(tensors: readonly (Value | undefined)[]): void {
    const { buffer } = this.#array;
    const isShared = tensors.some(
      (one) =>
        one instanceof Tensor &&
        !(one instanceof HeldTensor) &&
        !isByteList(one.data) &&
        one.data.buffer === buffer,
    );
    if (isShared && this.#state === "lent") {
      this.#state = "kept";
    }
  }

  protected override free(): void {
    const { buffer } = this.#array;
    if (this.#state === "lent" && this.#pool.owns(buffer)) {
      this.#state = "given back";
      this.#pool.giveBack(buffer);
    }
  }

  #read(): NumericArray {
    if (this.#state === "given back") {
      throw internalError("A received tensor was used after its memory had been given back.");
    }
    if (borrowers === 0) {
      this.#state = "kept";
    }
    return this.#array;
  }
}

/**
 * Runs code that reads received tensors and keeps no reference to their memory, except in the tensors that it returns
 * at once: memory that one of those is in is left to the garbage collector.
 */
export function borrowing<T>(work: () => T, inputs: readonly Tensor[] = []): T {
  borrowers += 1;
  try {
    const result = work();
    if (Array.isArray(result)) {
      for (const input of inputs) {
        if (input instanceof ReceivedTensor) {
          input.keepIfShared(result);
        }
      }
    }
    return result;
  } finally {
    borrowers -= 1;
  }
}

/** The value for code that may keep it without calling `hold`: the memory of a received tensor is then not reused. */
export function lastingTensor(value: Value | undefined): Value | undefined {
  return value instanceof ReceivedTensor ? new Tensor(value.dtype, value.shape, value.data) : value;
}
