import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { isByteList, type NumericArray, type TensorData } from "../../../protocol/tensor-data.js";

/** A tensor as it travels between threads: classes do not. */
export interface PackedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface Packed {
  readonly tensors: readonly PackedTensor[];
  /** Memory that moves to the other thread instead of being copied; it is gone here. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Tensors for another thread: their numbers are copied, since others here hold them, and the copies moved. */
export function packCopies(tensors: readonly Tensor[]): Packed {
  return pack(tensors, () => true);
}

/**
 * Tensors that nobody here holds any more: their memory moves, except where it is part of something larger, such as the
 * memory of a WebAssembly instance.
 */
export function packResults(tensors: readonly Tensor[]): Packed {
  const seen = new Set<ArrayBufferLike>();
  return pack(tensors, ({ buffer, byteLength }) => {
    const mustCopy = buffer.byteLength !== byteLength || seen.has(buffer);
    seen.add(buffer);
    return mustCopy;
  });
}

function pack(tensors: readonly Tensor[], mustCopy: (data: NumericArray) => boolean): Packed {
  const transfer: ArrayBuffer[] = [];
  const packed = tensors.map(({ dtype, shape, data }) => {
    if (isByteList(data)) {
      // Each string would take the whole buffer with it that it is a view on.
      return { dtype, shape, data: data.map((bytes) => new Uint8Array(bytes)) };
    }
    const own = mustCopy(data) ? data.slice() : data;
    if (own.buffer instanceof ArrayBuffer) {
      transfer.push(own.buffer);
    }
    return { dtype, shape, data: own };
  });
  return { tensors: packed, transfer };
}

export function unpack(tensors: readonly PackedTensor[]): readonly Tensor[] {
  return tensors.map(({ dtype, shape, data }) => new Tensor(dtype, shape, data));
}
