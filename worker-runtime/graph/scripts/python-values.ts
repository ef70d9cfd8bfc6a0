/** Values of graphs as Python writes them. */
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { TensorShapeProto } from "../../../protos/generated/tensorflow/tensor_shape.js";
import type { DataType } from "../../../protos/generated/tensorflow/types.js";
import { dtypeOf } from "../../protocol/dtype.js";
import { type ElementValue, elementText } from "../../protocol/element-text.js";
import type { Tensor } from "../../protocol/tensor.js";
import { bytesOfArray, isByteList } from "../../protocol/tensor-data.js";
import { dataLiteral, isUniform, MAX_WRITTEN_ELEMENTS, nestedText } from "./tensor-literal.js";

/** A str literal. JSON's escapes are Python's, except that Python's source may contain the characters themselves. */
export function pythonString(text: string): string {
  return JSON.stringify(text);
}

function pythonBytes(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === "\\") return `\\${char}`;
    return byte >= 0x20 && byte < 0x7f ? char : `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return `b"${text.join("")}"`;
}

function pythonFloat(text: string): string {
  return /^-?(nan|inf)$/.test(text) ? `float("${text}")` : text;
}

function pythonType(type: DataType): string {
  return `tf.${dtypeOf(type)}`;
}

function pythonShape({ unknownRank, dim }: TensorShapeProto): string {
  if (unknownRank) return "tf.TensorShape(None)";
  return `[${dim.map(({ size }) => (size < 0n ? "None" : String(size))).join(", ")}]`;
}

/** Text where the bytes are text, which functions for strings such as padding take; bytes otherwise. */
function pythonText(bytes: Uint8Array): string {
  try {
    return pythonString(getTextEncoding().decodeUtf8(bytes, true));
  } catch {
    return pythonBytes(bytes);
  }
}

function numberText(value: number): string {
  return pythonFloat(elementText("float32", Float32Array.of(value), 0));
}

function listItems({ s, i, f, b, type, shape }: AttrValue_ListValue): string[] {
  return [
    ...s.map(pythonText),
    ...i.map(String),
    ...f.map(numberText),
    ...b.map(pythonBool),
    ...type.map(pythonType),
    ...shape.map(pythonShape),
  ];
}

function pythonBool(value: boolean): string {
  return value ? "True" : "False";
}

/** An attribute in the form that tf.raw_ops takes; undefined for one that it does not take (tensors and functions). */
export function pythonAttr({ value }: AttrValue): string | undefined {
  switch (value?.$case) {
    case "s":
      return pythonText(value.value);
    case "i":
      return String(value.value);
    case "f":
      return numberText(value.value);
    case "b":
      return pythonBool(value.value);
    case "type":
      return pythonType(value.value);
    case "shape":
      return pythonShape(value.value);
    case "list":
      return `[${listItems(value.value).join(", ")}]`;
    default:
      return undefined;
  }
}

function pythonElement(tensor: Tensor, index: number): string {
  const value: ElementValue = tensor.at(index);
  if (isByteList(tensor.data)) return pythonBytes(tensor.data[index] ?? new Uint8Array(0));
  if (typeof value === "boolean") return pythonBool(value);
  if (typeof value === "object" && "re" in value) {
    const part = (number: number) => pythonFloat(elementText("float64", Float64Array.of(number), 0));
    return `complex(${part(value.re)}, ${part(value.im)})`;
  }
  return pythonFloat(tensor.elementText(index));
}

/** The arguments of tf.constant for a tensor: its value, dtype and, unless the value implies it, its shape. */
export function pythonConstant(tensor: Tensor): string {
  const { dtype, shape, size, data } = tensor;
  const sized = `shape=[${shape.join(", ")}]`;
  if (size === 0) return `[], tf.${dtype}, ${sized}`;
  if (size > 1 && isUniform(tensor)) return `${pythonElement(tensor, 0)}, tf.${dtype}, ${sized}`;
  if (size <= MAX_WRITTEN_ELEMENTS || isByteList(data)) {
    return `${nestedText(tensor, (index) => pythonElement(tensor, index))}, tf.${dtype}`;
  }
  return `array(tf.${dtype}, [${shape.join(", ")}], ${dataLiteral(bytesOfArray(data))}), tf.${dtype}`;
}
