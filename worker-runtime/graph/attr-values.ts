import { getTextEncoding } from "@bufbuild/protobuf/wire";
import {
  type AttrValue,
  AttrValue_ListValue,
  NameAttrList,
} from "../../protos/generated/tensorflow/attr_value.js";
import type { OpDef_AttrDef } from "../../protos/generated/tensorflow/op_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { type DType, dataTypeOf, isDType } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { listElementType } from "./attr-validation.js";
import { constantProto } from "./constant-proto.js";
import { partialShapeToProto, type Shape } from "./shape.js";

/** A shape of unknown rank as an attribute's value. */
export const UNKNOWN_RANK = "unknown rank";

export type AttrScalar = string | number | bigint | boolean | Uint8Array | Tensor | NameAttrList | Shape;
/**
 * The forms in which an attribute can be passed: a dtype's name for a type, numbers, text or bytes, a list of sizes (or
 * UNKNOWN_RANK) for a shape, a function's name, lists of these, or a finished AttrValue.
 */
export type AttrInput = AttrScalar | readonly AttrScalar[] | AttrValue;

function isAttrValue(value: AttrInput): value is AttrValue {
  if (typeof value !== "object" || !("value" in value)) return false;
  const inner: unknown = value.value;
  return inner === undefined || (typeof inner === "object" && inner !== null && "$case" in inner);
}

function wrong(attr: OpDef_AttrDef, value: unknown): Error {
  const shown = typeof value === "object" ? "a value of another kind" : `${String(value)}`;
  return invalidArgument(`Attribute '${attr.name}' must be of type ${attr.type}, but ${shown} was given.`);
}

function intOf(attr: OpDef_AttrDef, value: AttrScalar): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  throw wrong(attr, value);
}

function floatOf(attr: OpDef_AttrDef, value: AttrScalar): number {
  if (typeof value === "number") return value;
  throw wrong(attr, value);
}

function boolOf(attr: OpDef_AttrDef, value: AttrScalar): boolean {
  if (typeof value === "boolean") return value;
  throw wrong(attr, value);
}

function stringOf(attr: OpDef_AttrDef, value: AttrScalar): Uint8Array {
  if (typeof value === "string") return getTextEncoding().encodeUtf8(value);
  if (value instanceof Uint8Array) return value;
  throw wrong(attr, value);
}

function typeOf(attr: OpDef_AttrDef, value: AttrScalar): DataType {
  if (typeof value === "string" && isDType(value)) return dataTypeOf(value);
  if (typeof value === "number") return value;
  throw wrong(attr, value);
}

function shapeOf(attr: OpDef_AttrDef, value: AttrScalar): ReturnType<typeof partialShapeToProto> {
  if (value === UNKNOWN_RANK) return partialShapeToProto(undefined);
  if (Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= -1)) {
    return partialShapeToProto(value as Shape);
  }
  throw wrong(attr, value);
}

function tensorOf(attr: OpDef_AttrDef, value: AttrScalar): ReturnType<typeof constantProto> {
  if (value instanceof Tensor) return constantProto(value);
  throw wrong(attr, value);
}

function funcOf(attr: OpDef_AttrDef, value: AttrScalar): NameAttrList {
  if (typeof value === "string") return NameAttrList.fromPartial({ name: value });
  if (typeof value === "object" && "name" in value && "attr" in value) return value;
  throw wrong(attr, value);
}

function scalarValue(attr: OpDef_AttrDef, type: string, value: AttrScalar): AttrValue["value"] {
  switch (type) {
    case "int":
      return { $case: "i", value: intOf(attr, value) };
    case "float":
      return { $case: "f", value: Math.fround(floatOf(attr, value)) };
    case "bool":
      return { $case: "b", value: boolOf(attr, value) };
    case "string":
      return { $case: "s", value: stringOf(attr, value) };
    case "type":
      return { $case: "type", value: typeOf(attr, value) };
    case "shape":
      return { $case: "shape", value: shapeOf(attr, value) };
    case "tensor":
      return { $case: "tensor", value: tensorOf(attr, value) };
    case "func":
      return { $case: "func", value: funcOf(attr, value) };
    default:
      throw invalidArgument(`Attribute '${attr.name}' has the type ${attr.type}, which is not known.`);
  }
}

function listValue(attr: OpDef_AttrDef, type: string, values: readonly AttrScalar[]): AttrValue_ListValue {
  switch (type) {
    case "int":
      return AttrValue_ListValue.fromPartial({ i: values.map((v) => intOf(attr, v)) });
    case "float":
      return AttrValue_ListValue.fromPartial({ f: values.map((v) => Math.fround(floatOf(attr, v))) });
    case "bool":
      return AttrValue_ListValue.fromPartial({ b: values.map((v) => boolOf(attr, v)) });
    case "string":
      return AttrValue_ListValue.fromPartial({ s: values.map((v) => stringOf(attr, v)) });
    case "type":
      return AttrValue_ListValue.fromPartial({ type: values.map((v) => typeOf(attr, v)) });
    case "shape":
      return AttrValue_ListValue.fromPartial({ shape: values.map((v) => shapeOf(attr, v)) });
    case "tensor":
      return AttrValue_ListValue.fromPartial({ tensor: values.map((v) => tensorOf(attr, v)) });
    case "func":
      return AttrValue_ListValue.fromPartial({ func: values.map((v) => funcOf(attr, v)) });
    default:
      throw invalidArgument(`Attribute '${attr.name}' has the type ${attr.type}, which is not known.`);
  }
}

/**
 * The value of an op's attribute as a node holds it.
 * @throws TensorFlowError INVALID_ARGUMENT for a value of another type
 */
export function toAttrValue(attr: OpDef_AttrDef, value: AttrInput): AttrValue {
  if (isAttrValue(value)) return value;
  const elementType = listElementType(attr.type);
  if (elementType === undefined) return { value: scalarValue(attr, attr.type, value as AttrScalar) };
  if (!Array.isArray(value)) throw wrong(attr, value);
  return { value: { $case: "list", value: listValue(attr, elementType, value as readonly AttrScalar[]) } };
}

/** A type as an attribute's value. */
export function typeAttr(dtype: DType | DataType): AttrValue {
  return { value: { $case: "type", value: typeof dtype === "string" ? dataTypeOf(dtype) : dtype } };
}

/** A string as an attribute's value. */
export function stringAttr(text: string): AttrValue {
  return { value: { $case: "s", value: getTextEncoding().encodeUtf8(text) } };
}

/** A list of strings as an attribute's value. */
export function stringListAttr(values: readonly string[]): AttrValue {
  const { encodeUtf8 } = getTextEncoding();
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ s: values.map(encodeUtf8) }) } };
}
