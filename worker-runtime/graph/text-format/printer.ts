import { enums, type FieldSchema } from "../../../protos/generated/schema.js";
import { codecOf } from "./any-types.js";
import { escapeBytes, escapeText } from "./escapes.js";
import { type AnyMessage, isInt64, shapeOf, wrapperField } from "./message-shape.js";
import { formatDouble, formatFloat } from "./numbers.js";
import { readUnknownFields, type UnknownValue } from "./unknown-fields.js";

const enumNames = new Map<string, ReadonlyMap<number, string>>();

function enumName(typeName: string, value: number): string {
  let names = enumNames.get(typeName);
  if (!names) {
    const byNumber = new Map<number, string>();
    for (const [name, number] of Object.entries(enums[typeName] ?? {})) {
      // The first name of a number is printed; later ones are aliases.
      if (!byNumber.has(number)) byNumber.set(number, name);
    }
    names = byNumber;
    enumNames.set(typeName, names);
  }
  return names.get(value) ?? String(value);
}

function isDefault(field: FieldSchema, value: unknown): boolean {
  if (isInt64(field.type)) return value === 0n;
  switch (field.type) {
    case "bool":
      return value === false;
    case "string":
      return value === "";
    case "bytes":
      return (value as Uint8Array).length === 0;
    default:
      return Object.is(value, 0);
  }
}

function compareCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareCodePoints(a, b);
  return (a as number | bigint) < (b as number | bigint) ? -1 : 1;
}

/** Prints messages line by line into `out`. */
class Printer {
  readonly out: string[] = [];

  message(fullName: string, message: AnyMessage, indent: string): void {
    if (fullName === "google.protobuf.Any" && this.#any(message, indent)) return;
    for (const field of shapeOf(fullName).fields) this.#field(field, message, indent);
    const unknown = message._unknownFields;
    if (unknown) {
      for (const { number, value } of readUnknownFields(unknown)) this.#unknown(number, value, indent);
    }
  }

  #field(field: FieldSchema, message: AnyMessage, indent: string): void {
    if (field.oneof !== undefined) {
      const union = message[field.oneof] as { $case: string; value: unknown } | undefined;
      if (union && union.$case === field.property) this.#value(field, union.value, indent);
      return;
    }
    const value = message[field.property];
    if (value === undefined) return;
    if (field.mapKey !== undefined) this.#map(field, field.mapKey, value as Map<unknown, unknown>, indent);
    else if (field.repeated) {
      for (const element of value as readonly unknown[]) this.#value(field, element, indent);
    } else if (field.type === "message" || field.optional || !isDefault(field, value)) {
      this.#value(field, value, indent);
    }
  }

  #map(field: FieldSchema, keyType: string, map: Map<unknown, unknown>, indent: string): void {
    const inner = `${indent}  `;
    const keyField: FieldSchema = { name: "key", property: "key", number: 1, type: keyType };
    const valueField: FieldSchema = { ...field, name: "value" };
    for (const key of [...map.keys()].sort(compareKeys)) {
      this.out.push(`${indent}${field.name} {\n`);
      const value = map.get(key);
      if (!isDefault(keyField, key)) this.#value(keyField, key, inner);
      if (field.type === "message" || !isDefault(field, value)) this.#value(valueField, value, inner);
      this.out.push(`${indent}}\n`);
    }
  }

  #value(field: FieldSchema, value: unknown, indent: string): void {
    if (field.type === "message") {
      this.out.push(`${indent}${field.name} {\n`);
      const inner = wrapperField(field.typeName) ? { value } : (value as AnyMessage);
      this.message(field.typeName ?? "", inner, `${indent}  `);
      this.out.push(`${indent}}\n`);
    } else {
      this.out.push(`${indent}${field.name}: `, scalarText(field, value), "\n");
    }
  }

  #any(any: AnyMessage, indent: string): boolean {
    const typeUrl = any.typeUrl as string;
    const slash = typeUrl.lastIndexOf("/");
    if (slash < 0) return false;
    const fullName = typeUrl.slice(slash + 1);
    const codec = codecOf(fullName);
    if (!codec) return false;
    let packed: AnyMessage;
    try {
      packed = codec.decode(any.value as Uint8Array);
    } catch {
      // Bytes that are not such a message are kept as they are.
      return false;
    }
    this.out.push(`${indent}[${typeUrl}] {\n`);
    this.message(fullName, packed, `${indent}  `);
    this.out.push(`${indent}}\n`);
    return true;
  }

  #unknown(number: number, value: UnknownValue, indent: string): void {
    switch (value.kind) {
      case "varint":
        this.out.push(`${indent}${number}: ${value.value}\n`);
        break;
      case "fixed32":
        this.out.push(`${indent}${number}: 0x${value.value.toString(16).padStart(8, "0")}\n`);
        break;
      case "fixed64":
        this.out.push(`${indent}${number}: 0x${value.value.toString(16).padStart(16, "0")}\n`);
        break;
      case "bytes":
        this.out.push(`${indent}${number}: "`, escapeBytes(value.value), '"\n');
        break;
      case "group":
        this.out.push(`${indent}${number} {\n`);
        for (const inner of value.fields) this.#unknown(inner.number, inner.value, `${indent}  `);
        this.out.push(`${indent}}\n`);
    }
  }
}

function scalarText(field: FieldSchema, value: unknown): string {
  switch (field.type) {
    case "string":
      return `"${escapeText(value as string)}"`;
    case "bytes":
      return `"${escapeBytes(value as Uint8Array)}"`;
    case "float":
      return formatFloat(value as number);
    case "double":
      return formatDouble(value as number);
    case "enum":
      return enumName(field.typeName ?? "", value as number);
    default:
      return String(value);
  }
}

/** The message in text format, as Python's `text_format.MessageToString` writes it. */
export function printMessage(fullName: string, message: AnyMessage): string {
  const printer = new Printer();
  printer.message(fullName, message, "");
  return printer.out.join("");
}
