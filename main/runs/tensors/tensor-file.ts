/** Parts of tensors as files, produced in chunks so that a file is never in memory as a whole. */

import { writeNpy } from "../../../worker-runtime/io/npy.js";
import { descrOf, npyHeaderBytes } from "../../../worker-runtime/io/npy-header.js";
import {
  gridOf,
  isWhole,
  type Selection,
  selectionShape,
} from "../../../worker-runtime/protocol/selection.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import {
  bytesOfArray,
  entriesPerElement,
  isByteList,
  zeros,
} from "../../../worker-runtime/protocol/tensor-data.js";

/** A chunk is written at once, and the work can be cancelled after it. */
const CHUNK_BYTES = 1 << 20;
const CHUNK_ELEMENTS = 1 << 14;

export interface FileChunk {
  readonly content: Uint8Array | string;
  /** The part of the file that is done with it, from 0 to 1. */
  readonly done: number;
}

/**
 * A part of a tensor as a .npy file.
 *
 * @throws TensorFlowError INVALID_ARGUMENT for resource and variant, and for strings that end with a zero byte
 */
export function* npyChunks(tensor: Tensor, selection: Selection): Generator<FileChunk> {
  const { dtype } = tensor;
  const shape = selectionShape(selection);
  const descr = descrOf(dtype);
  if (descr === undefined) {
    yield { content: writeNpy(new Tensor(dtype, shape, stringsOf(tensor, selection))), done: 1 };
    return;
  }
  yield { content: npyHeaderBytes(descr, shape), done: 0 };
  const { data } = tensor;
  if (isByteList(data)) return;
  if (isWhole(selection, tensor.shape)) {
    const bytes = bytesOfArray(data);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const end = Math.min(bytes.length, at + CHUNK_BYTES);
      yield { content: bytes.subarray(at, end), done: end / bytes.length };
    }
    return;
  }
  const grid = gridOf(tensor.shape, selection);
  const entries = entriesPerElement(dtype);
  const count = grid.rows * grid.columns;
  const from = data as Float64Array;
  for (let first = 0; first < count; first += CHUNK_ELEMENTS) {
    const length = Math.min(CHUNK_ELEMENTS, count - first);
    const chunk = zeros(dtype, length);
    if (isByteList(chunk)) return;
    const to = chunk as Float64Array;
    for (let i = 0; i < length; i += 1) {
      const row = Math.floor((first + i) / grid.columns);
      const at = grid.offsetOfRow(row) + ((first + i) % grid.columns) * grid.columnStride;
      for (let entry = 0; entry < entries; entry += 1)
        to[i * entries + entry] = from[at * entries + entry] ?? 0;
    }
    yield { content: bytesOfArray(chunk), done: (first + length) / count };
  }
}

/** The elements in the order of the selection; the tensor's own data for dtypes without a fixed size only. */
function stringsOf(tensor: Tensor, selection: Selection): readonly Uint8Array[] {
  const grid = gridOf(tensor.shape, selection);
  const { data } = tensor;
  if (!isByteList(data)) return [];
  return Array.from({ length: grid.rows * grid.columns }, (_, i) => {
    const at = grid.offsetOfRow(Math.floor(i / grid.columns)) + (i % grid.columns) * grid.columnStride;
    return data[at] ?? new Uint8Array(0);
  });
}

/** A part of a tensor as CSV (RFC 4180): a line per row of the grid, without a header. */
export function* csvChunks(
  tensor: Tensor,
  selection: Selection,
  columnAxis: number | null | undefined,
): Generator<FileChunk> {
  const grid = gridOf(tensor.shape, selection, columnAxis);
  const count = grid.rows * grid.columns;
  let text = "";
  let inChunk = 0;
  for (let row = 0; row < grid.rows; row += 1) {
    const offset = grid.offsetOfRow(row);
    for (let column = 0; column < grid.columns; column += 1) {
      if (column > 0) text += ",";
      text += csvField(tensor.elementText(offset + column * grid.columnStride));
      inChunk += 1;
      if (inChunk < CHUNK_ELEMENTS) continue;
      yield { content: text, done: (row * grid.columns + column) / count };
      text = "";
      inChunk = 0;
    }
    text += "\r\n";
  }
  yield { content: text, done: 1 };
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
