import { elementsOfShape, shapeText } from "../protocol/shape.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import {
  arrayConstructor,
  arrayFromBytes,
  bytesOfArray,
  entriesPerElement,
  isByteList,
  type NumericArray,
  type TensorData,
} from "../protocol/tensor-data.js";
import { descrOf, type NpyElement, npyHeaderBytes, readNpyHeader } from "./npy-header.js";

export { isNpy } from "./npy-header.js";

/** Bytes of one character in NumPy's fixed-width Unicode text (UCS-4). */
const BYTES_PER_CHARACTER = 4;

/** Trailing zeros are padding, not text: NumPy does not distinguish them either. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

function unicodeElement(view: DataView, offset: number, characters: number, bigEndian: boolean): Uint8Array {
  let text = "";
  for (let i = 0; i < characters; i += 1) {
    const code = view.getUint32(offset + i * BYTES_PER_CHARACTER, !bigEndian);
    if (code > 0x10ffff)
      throw invalidArgument(`The character ${code} in a text of a .npy file is not Unicode.`);
    text += String.fromCodePoint(code);
  }
  return new TextEncoder().encode(text.replace(/\0+$/, ""));
}

/** The same bytes with every group of `width` bytes reversed. */
function swapped(bytes: Uint8Array, width: number): Uint8Array {
  const result = new Uint8Array(bytes.length);
  for (let start = 0; start < bytes.length; start += width) {
    for (let i = 0; i < width; i += 1) result[start + i] = bytes[start + width - 1 - i] ?? 0;
  }
  return result;
}

/** Calls `visit` with the Fortran-order index of every element, in C order. */
function inRowMajorOrder(shape: readonly number[], visit: (source: number, target: number) => void): void {
  const strides: number[] = [];
  let stride = 1;
  for (const size of shape) {
    strides.push(stride);
    stride *= size;
  }
  const position = shape.map(() => 0);
  let source = 0;
  for (let target = 0; target < stride; target += 1) {
    visit(source, target);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const step = strides[axis] ?? 0;
      const next = (position[axis] ?? 0) + 1;
      if (next < (shape[axis] ?? 0)) {
        position[axis] = next;
        source += step;
        break;
      }
      position[axis] = 0;
      source -= (next - 1) * step;
    }
  }
}

function reordered(data: TensorData, shape: readonly number[], entries: number): TensorData {
  if (isByteList(data)) {
    const result = new Array<Uint8Array>(data.length);
    inRowMajorOrder(shape, (source, target) => {
      result[target] = data[source] ?? new Uint8Array(0);
    });
    return result;
  }
  // All kinds of arrays are copied in the same way; the cast only gives them one type.
  const from = data as Float64Array;
  const to = from.slice();
  inRowMajorOrder(shape, (source, target) => {
    for (let i = 0; i < entries; i += 1) to[target * entries + i] = from[source * entries + i] ?? 0;
  });
  return to;
}

function bytesPerElement(element: NpyElement): number {
  switch (element.kind) {
    case "number":
      return element.itemSize;
    case "unicode":
      return element.characters * BYTES_PER_CHARACTER;
    case "bytes":
      return element.length;
  }
}

function elementsOf(element: NpyElement, content: Uint8Array, count: number): TensorData {
  switch (element.kind) {
    case "number": {
      const inOrder = element.swapBytes > 0 ? swapped(content, element.swapBytes) : content;
      return arrayFromBytes(element.dtype, inOrder);
    }
    case "unicode": {
      const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
      const size = bytesPerElement(element);
      return Array.from({ length: count }, (_, i) =>
        unicodeElement(view, i * size, element.characters, element.bigEndian),
      );
    }
    case "bytes":
      return Array.from({ length: count }, (_, i) =>
        withoutPadding(content.subarray(i * element.length, (i + 1) * element.length)),
      );
  }
}

/**
 * The array of a .npy file (versions 1 to 3, both byte orders, C and Fortran order) as a tensor. Numbers in
 * little-endian C order are a view of `bytes` if their memory is aligned, as in files written by NumPy; `bytes` must
 * then not change later. Text (`<U`, `|S`) becomes strings, Unicode as UTF-8.
 * @param name names the file in errors
 * @throws TensorFlowError INVALID_ARGUMENT that describes the problem with the file
 */
export function readNpy(bytes: Uint8Array, name = "array.npy"): Tensor {
  const { element, fortranOrder, shape, dataOffset } = readNpyHeader(bytes, name);
  const count = elementsOfShape(shape);
  const wanted = count * bytesPerElement(element);
  const held = bytes.length - dataOffset;
  if (held < wanted) {
    throw invalidArgument(
      `"${name}" is cut short: its header says shape ${shapeText(shape)}, which takes ${wanted} bytes, ` +
        `but ${held} bytes follow.`,
    );
  }
  const data = elementsOf(element, bytes.subarray(dataOffset, dataOffset + wanted), count);
  const dtype = element.kind === "number" ? element.dtype : "string";
  const transposed = fortranOrder && shape.filter((size) => size > 1).length > 1 && count > 0;
  return new Tensor(dtype, shape, transposed ? reordered(data, shape, entriesPerElement(dtype)) : data);
}

/** Texts as NumPy's fixed-width bytes. */
function fixedWidth(elements: readonly Uint8Array[]): { descr: string; content: Uint8Array } {
  const width = elements.reduce((longest, element) => Math.max(longest, element.length), 1);
  const content = new Uint8Array(width * elements.length);
  elements.forEach((element, index) => {
    if (element.at(-1) === 0) {
      throw invalidArgument(
        `String ${index} of the tensor ends with a zero byte, which NumPy's fixed-width text cannot keep.`,
      );
    }
    content.set(element, index * width);
  });
  return { descr: `|S${width}`, content };
}

function contentOf(tensor: Tensor): { descr: string; content: Uint8Array } {
  const descr = descrOf(tensor.dtype);
  if (descr !== undefined && arrayConstructor(tensor.dtype) !== undefined) {
    return { descr, content: bytesOfArray(tensor.data as NumericArray) };
  }
  if (tensor.dtype === "string" && isByteList(tensor.data)) return fixedWidth(tensor.data);
  throw invalidArgument(
    `A ${tensor.dtype} tensor stands for something inside TensorFlow and cannot be written as .npy.`,
  );
}

/**
 * Encodes a tensor as a .npy file, version 1, little-endian, C order. Strings are written as NumPy's bytes (`|S`),
 * bfloat16 and the 8-bit floats as by ml_dtypes, quantised types as the integers that represent them.
 * @throws TensorFlowError INVALID_ARGUMENT for resource and variant, and for strings that end with a zero byte
 */
export function writeNpy(tensor: Tensor): Uint8Array {
  const { descr, content } = contentOf(tensor);
  const header = npyHeaderBytes(descr, tensor.shape);
  const bytes = new Uint8Array(header.length + content.length);
  bytes.set(header);
  bytes.set(content, header.length);
  return bytes;
}
