import type { DType } from "../../../protocol/dtype.js";
import { resourceExhausted } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { arrayOver, isByteList, type NumericArray } from "../../../protocol/tensor-data.js";
import { checkRoomForCopy } from "../kernels/support/allocation.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import { borrowing } from "../memory/received-tensor.js";
import type { PausingWork } from "../pauses.js";

/** Sending many small objects to another thread is slow, so strings travel as one buffer. */
interface PackedStrings {
  /** All strings, one after another. */
  readonly bytes: Uint8Array;
  readonly lengths: Uint32Array;
}

/** A tensor as it travels between threads: classes do not. */
export interface PackedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The memory alone: V8 cuts off the lengths of typed arrays of more than 4 GiB. */
  readonly data: ArrayBuffer | PackedStrings;
}

export interface Packed {
  readonly tensors: readonly PackedTensor[];
  /** Memory that moves to the other thread instead of being copied; it is gone here. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Bytes copied between two opportunities to pause: well below a millisecond. */
const BYTES_PER_PIECE = 512 * 1024;
const STRINGS_PER_PIECE = 1024;

/** Tensors for another thread: their numbers are copied, since others here hold them, and the copies moved. */
export function packCopies(tensors: readonly Tensor[]): PausingWork<Packed> {
  return pack(tensors, () => true);
}

/**
 * Tensors that are no longer referenced here: their memory is moved, except where it is part of something larger, such
 * as the memory of a WebAssembly instance.
 */
export function packResults(tensors: readonly Tensor[]): PausingWork<Packed> {
  const seen = new Set<ArrayBufferLike>();
  return pack(tensors, ({ buffer, byteLength }) => {
    const mustCopy = buffer.byteLength !== byteLength || seen.has(buffer);
    seen.add(buffer);
    return mustCopy;
  });
}

function* pack(tensors: readonly Tensor[], mustCopy: (data: NumericArray) => boolean): PausingWork<Packed> {
  const transfer: ArrayBuffer[] = [];
  const packed: PackedTensor[] = [];
  for (const tensor of tensors) {
    const { dtype, shape } = tensor;
    // A received tensor is copied.
    const data = borrowing(() => tensor.data);
    if (isByteList(data)) {
      const strings = yield* packStrings(data);
      transfer.push(strings.bytes.buffer as ArrayBuffer, strings.lengths.buffer as ArrayBuffer);
      packed.push({ dtype, shape, data: strings });
    } else {
      const own = mustCopy(data) ? yield* copyOf(tensor, data) : data;
      // Tensors are never in memory that threads share.
      const buffer = own.buffer as ArrayBuffer;
      transfer.push(buffer);
      packed.push({ dtype, shape, data: buffer });
    }
  }
  return { tensors: packed, transfer };
}

/**
 * Copies a tensor's numbers, with pauses.
 * @param data the tensor's.
 * @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory.
 */
export function* copyOf(tensor: Tensor, data: NumericArray): PausingWork<NumericArray> {
  checkRoomForCopy(tensor);
  if (data.byteLength <= BYTES_PER_PIECE) {
    return data.slice();
  }
  // Memory that is not cleared first, which would take as long as copying.
  const copy = arrayOver(tensor.dtype, Buffer.allocUnsafeSlow(data.byteLength).buffer);
  const step = BYTES_PER_PIECE / data.BYTES_PER_ELEMENT;
  for (let first = 0; first < data.length; first += step) {
    // Both are of the same kind, which TypeScript cannot infer for a union.
    copy.set(data.subarray(first, first + step) as never, first);
    yield;
  }
  return copy;
}

function* packStrings(strings: readonly Uint8Array[]): PausingWork<PackedStrings> {
  const lengths = new Uint32Array(strings.length);
  let total = 0;
  for (const [index, { byteLength }] of strings.entries()) {
    lengths[index] = byteLength;
    total += byteLength;
    if (index % STRINGS_PER_PIECE === 0) {
      yield;
    }
  }
  if (!memoryBudget.hasRoomFor(total)) {
    throw resourceExhausted(`OOM when copying strings of ${total} bytes${memoryBudget.refusal(total)}`);
  }
  const bytes = new Uint8Array(total);
  let end = 0;
  let copied = 0;
  for (const [index, text] of strings.entries()) {
    for (let first = 0; first < text.byteLength; first += BYTES_PER_PIECE) {
      const piece = text.subarray(first, first + BYTES_PER_PIECE);
      bytes.set(piece, end);
      end += piece.byteLength;
      copied += piece.byteLength;
      if (copied >= BYTES_PER_PIECE) {
        copied = 0;
        yield;
      }
    }
    if (index % STRINGS_PER_PIECE === 0) {
      yield;
    }
  }
  return { bytes, lengths };
}

/** The tensors that were sent. */
export function* unpack(tensors: readonly PackedTensor[]): PausingWork<readonly Tensor[]> {
  const unpacked: Tensor[] = [];
  for (const { dtype, shape, data } of tensors) {
    const elements = data instanceof ArrayBuffer ? arrayOver(dtype, data) : yield* unpackStrings(data);
    unpacked.push(new Tensor(dtype, shape, elements));
  }
  return unpacked;
}

/**
 * Adjacent short strings share a buffer of this size: one object to collect for each instead of three. A string that
 * outlives the others keeps at most this much memory alive.
 */
const SHARED_BYTES = 4096;

function* unpackStrings({ bytes, lengths }: PackedStrings): PausingWork<readonly Uint8Array[]> {
  if (lengths.length === 1) {
    return [bytes];
  }
  if (!memoryBudget.hasRoomForStrings(lengths.length)) {
    throw resourceExhausted(`OOM when allocating tensor of ${lengths.length} strings`);
  }
  const strings: Uint8Array[] = [];
  let end = 0;
  let shared = bytes.slice(0, 0);
  /** The offset of the shared buffer within all bytes. */
  let sharedFrom = 0;
  for (const length of lengths) {
    const from = end;
    end += length;
    if (length > SHARED_BYTES / 2) {
      strings.push(bytes.slice(from, end));
    } else {
      if (end > sharedFrom + shared.length) {
        shared = bytes.slice(from, from + SHARED_BYTES);
        sharedFrom = from;
      }
      strings.push(shared.subarray(from - sharedFrom, end - sharedFrom));
    }
    if (strings.length % STRINGS_PER_PIECE === 0) {
      yield;
    }
  }
  return strings;
}
