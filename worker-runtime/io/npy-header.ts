import type { DType } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { type PythonLiteral, parsePythonLiteral } from "./python-literal.js";

/** The array described by a file's header. Format: numpy/lib/format.py. */
export interface NpyHeader {
  readonly element: NpyElement;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** The offset of the elements in bytes from the start of the file. */
  readonly dataOffset: number;
}

/** The encoding of one element in the file. */
export type NpyElement =
  /** `swapBytes`: the width of groups of bytes to reverse; 0 if little-endian. */
  | { readonly kind: "number"; readonly dtype: DType; readonly itemSize: number; readonly swapBytes: number }
  /** `<U`: 4 bytes per character, padded with zeros. */
  | { readonly kind: "unicode"; readonly characters: number; readonly bigEndian: boolean }
  /** `|S`: bytes, padded with zeros. */
  | { readonly kind: "bytes"; readonly length: number };

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

const numericTypes: Readonly<Record<string, DType>> = {
  b1: "bool",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
  c8: "complex64",
  c16: "complex128",
  // The descriptors of ml_dtypes, the package that adds these types to NumPy.
  V2: "bfloat16",
  f1: "float8_e5m2",
};

function elementOf(descr: string, name: string): NpyElement {
  const match = /^([<>|=]?)([a-zA-Z])(\d*)$/.exec(descr);
  if (match === null)
    throw invalidArgument(`"${name}" has elements of type "${descr}", which is not a NumPy type.`);
  const [, order = "", kind = "", digits = ""] = match;
  const size = Number(digits === "" ? "0" : digits);
  const bigEndian = order === ">";
  if (kind === "U") return { kind: "unicode", characters: size, bigEndian };
  if (kind === "S" || kind === "a") return { kind: "bytes", length: size };
  const dtype = numericTypes[`${kind}${size}`];
  if (dtype === undefined) throw invalidArgument(`"${name}" holds ${unreadable(kind, descr)}`);
  const swapBytes = bigEndian && size > 1 ? (kind === "c" ? size / 2 : size) : 0;
  return { kind: "number", dtype, itemSize: size, swapBytes };
}

function unreadable(kind: string, descr: string): string {
  switch (kind) {
    case "O":
      return (
        "Python objects (a pickle), which only Python can read. " +
        'Save text as numpy.save(file, array.astype("S")) or astype("U") instead.'
      );
    case "M":
    case "m":
      return 'dates or time spans, for which TensorFlow has no dtype. Save them as numbers: array.astype("int64").';
    case "V":
      return `elements of unnamed bytes ("${descr}"), which do not say what they mean. Save them as a numeric type.`;
    default:
      return `elements of type "${descr}", for which TensorFlow has no dtype. Save them as float64, for example.`;
  }
}

function shapeOf(value: PythonLiteral | undefined): number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const sizes: number[] = [];
  for (const size of value as readonly PythonLiteral[]) {
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return undefined;
    sizes.push(size);
  }
  return sizes;
}

function fieldsOf(text: string, name: string): ReadonlyMap<string, PythonLiteral> {
  let literal: PythonLiteral;
  try {
    literal = parsePythonLiteral(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidArgument(`The header of "${name}" is damaged: ${reason}.`, { cause: error });
  }
  if (!(literal instanceof Map)) {
    throw invalidArgument(`The header of "${name}" is damaged: it is not a dictionary.`);
  }
  return literal;
}

/**
 * Reads the header of a .npy file, versions 1 to 3.
 * @param name names the file in errors
 * @throws TensorFlowError INVALID_ARGUMENT if it is not a .npy file, is damaged, or has unsupported elements
 */
export function readNpyHeader(bytes: Uint8Array, name: string): NpyHeader {
  if (!isNpy(bytes))
    throw invalidArgument(`"${name}" is not a .npy file: it does not begin with NumPy's signature.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const major = bytes[6] ?? 0;
  if (bytes.length < 12) throw invalidArgument(`"${name}" is cut short: it ends within its header.`);
  if (major < 1 || major > 3) {
    throw invalidArgument(`"${name}" is a .npy file of version ${major}; versions 1 to 3 can be read.`);
  }
  const textOffset = major === 1 ? 10 : 12;
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const dataOffset = textOffset + length;
  if (bytes.length < dataOffset) throw invalidArgument(`"${name}" is cut short: it ends within its header.`);
  const decoder = new TextDecoder(major === 3 ? "utf-8" : "latin1");
  const fields = fieldsOf(decoder.decode(bytes.subarray(textOffset, dataOffset)), name);
  const descr = fields.get("descr");
  const shape = shapeOf(fields.get("shape"));
  const fortranOrder = fields.get("fortran_order");
  if (Array.isArray(descr)) {
    const names = (descr as readonly PythonLiteral[]).map((field) =>
      Array.isArray(field) ? String(field[0]) : "?",
    );
    throw invalidArgument(
      `"${name}" is a structured array (fields ${names.join(", ")}), which no tensor can hold. ` +
        "Save one field of it: numpy.save(file, array[field]).",
    );
  }
  if (typeof descr !== "string" || shape === undefined || typeof fortranOrder !== "boolean") {
    throw invalidArgument(
      `The header of "${name}" is damaged: "descr", "fortran_order" or "shape" is missing or wrong.`,
    );
  }
  return { element: elementOf(descr, name), fortranOrder, shape, dataOffset };
}

const descrByDType: Partial<Record<DType, string>> = {
  bool: "|b1",
  int8: "|i1",
  int16: "<i2",
  int32: "<i4",
  int64: "<i8",
  uint8: "|u1",
  uint16: "<u2",
  uint32: "<u4",
  uint64: "<u8",
  float16: "<f2",
  bfloat16: "<V2",
  float32: "<f4",
  float64: "<f8",
  complex64: "<c8",
  complex128: "<c16",
  qint8: "|i1",
  quint8: "|u1",
  qint16: "<i2",
  quint16: "<u2",
  qint32: "<i4",
  int4: "|i1",
  uint4: "|u1",
  int2: "|i1",
  uint2: "|u1",
  float8_e5m2: "<f1",
  float8_e4m3fn: "<V1",
  float8_e4m3fnuz: "<V1",
  float8_e4m3b11fnuz: "<V1",
  float8_e5m2fnuz: "<V1",
  float4_e2m1fn: "<V1",
};

/** NumPy's name for the memory of a dtype; undefined for string, resource and variant. */
export function descrOf(dtype: DType): string | undefined {
  return descrByDType[dtype];
}

/** NumPy aligns the elements for memory mapping. */
const ALIGNMENT_BYTES = 64;

/** The header of an array in C order, up to the first element. */
export function npyHeaderBytes(descr: string, shape: readonly number[]): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const prefix = MAGIC.length + 4;
  const total = Math.ceil((prefix + text.length + 1) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
  if (total - prefix > 0xffff)
    throw invalidArgument(`A shape of ${shape.length} dimensions is too long for a .npy file.`);
  const bytes = new Uint8Array(total).fill(0x20);
  bytes.set([...MAGIC, 1, 0, (total - prefix) & 0xff, (total - prefix) >> 8]);
  for (let i = 0; i < text.length; i += 1) bytes[prefix + i] = text.charCodeAt(i);
  bytes[total - 1] = 0x0a;
  return bytes;
}
