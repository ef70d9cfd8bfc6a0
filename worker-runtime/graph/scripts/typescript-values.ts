/** Values of graphs as TypeScript writes them, for the functions of this library. */
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { TensorShapeProto } from "../../../protos/generated/tensorflow/tensor_shape.js";
import { dtypeOf } from "../../protocol/dtype.js";
import { elementText } from "../../protocol/element-text.js";
import type { Tensor } from "../../protocol/tensor.js";
import { bytesOfArray, isByteList } from "../../protocol/tensor-data.js";
import { UNKNOWN_RANK } from "../attr-values.js";
import { dataLiteral, isUniform, MAX_WRITTEN_ELEMENTS, nestedText } from "./tensor-literal.js";

function wholeText(value: bigint): string {
  const isSafe = BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSafe ? String(value) : `${value}n`;
}

function realText(text: string): string {
  const special = /^(-?)(nan|inf)$/.exec(text);
  if (special) return special[2] === "nan" ? "Number.NaN" : `${special[1]}Infinity`;
  return text.replace(/\.0$/, "");
}

function floatText(value: number): string {
  return realText(elementText("float32", Float32Array.of(value), 0));
}

function shapeText({ unknownRank, dim }: TensorShapeProto): string {
  return unknownRank ? JSON.stringify(UNKNOWN_RANK) : `[${dim.map(({ size }) => size).join(", ")}]`;
}

/** Text where the bytes are text. */
function bytesText(bytes: Uint8Array): string {
  try {
    return JSON.stringify(getTextEncoding().decodeUtf8(bytes, true));
  } catch {
    return `Uint8Array.of(${bytes.join(", ")})`;
  }
}

function listItems({ s, i, f, b, type, shape }: AttrValue_ListValue): string[] {
  return [
    ...s.map(bytesText),
    ...i.map(wholeText),
    ...f.map(floatText),
    ...b.map(String),
    ...type.map((one) => JSON.stringify(dtypeOf(one))),
    ...shape.map(shapeText),
  ];
}

/** An attribute in the form that `Graph.op` takes; undefined for tensors and functions. */
export function typescriptAttr({ value }: AttrValue): string | undefined {
  switch (value?.$case) {
    case "s":
      return bytesText(value.value);
    case "i":
      return wholeText(value.value);
    case "f":
      return floatText(value.value);
    case "b":
      return String(value.value);
    case "type":
      return JSON.stringify(dtypeOf(value.value));
    case "shape":
      return shapeText(value.value);
    case "list":
      return `[${listItems(value.value).join(", ")}]`;
    default:
      return undefined;
  }
}

function elementLiteral(tensor: Tensor, index: number): string {
  const value = tensor.at(index);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object" && "re" in value) {
    const part = (number: number) => realText(elementText("float64", Float64Array.of(number), 0));
    return `{ re: ${part(value.re)}, im: ${part(value.im)} }`;
  }
  return realText(tensor.elementText(index));
}

/** Whether a constant can be written: a string that is not text cannot. */
export function hasLiteral(tensor: Tensor): boolean {
  return !isByteList(tensor.data) || tensor.data.every((bytes) => bytesText(bytes).startsWith('"'));
}

/** The value and options of `ops.constant` for a tensor. */
export function typescriptConstant(tensor: Tensor): { readonly value: string; readonly options: string[] } {
  const { dtype, shape, size, data } = tensor;
  const typed = dtype === "float32" ? [] : [`dtype: ${JSON.stringify(dtype)}`];
  const sized = [`dtype: ${JSON.stringify(dtype)}`, `shape: [${shape.join(", ")}]`];
  if (size === 0) return { value: "[]", options: sized };
  if (size > 1 && isUniform(tensor)) return { value: elementLiteral(tensor, 0), options: sized };
  if (size <= MAX_WRITTEN_ELEMENTS || isByteList(data)) {
    return { value: nestedText(tensor, (index) => elementLiteral(tensor, index)), options: typed };
  }
  const array = `decode(${data.constructor.name}, ${dataLiteral(bytesOfArray(data))})`;
  return { value: `new Tensor(${JSON.stringify(dtype)}, [${shape.join(", ")}], ${array})`, options: [] };
}
