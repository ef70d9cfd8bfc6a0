import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Fields of a message by wire tag (number * 8 + wire type), each value as its bytes on the wire without the tag. */
export type UnknownFields = Record<number, Uint8Array[]>;

/** The decoded value of an unknown field. */
export type UnknownValue =
  | { readonly kind: "varint" | "fixed32" | "fixed64"; readonly value: bigint }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "group"; readonly fields: readonly { number: number; value: UnknownValue }[] };

function readValue(reader: BinaryReader, wireType: number): UnknownValue {
  switch (wireType) {
    case WireType.Varint:
      return { kind: "varint", value: BigInt(reader.uint64()) };
    case WireType.Bit32:
      return { kind: "fixed32", value: BigInt(reader.fixed32()) };
    case WireType.Bit64:
      return { kind: "fixed64", value: BigInt(reader.fixed64()) };
    case WireType.LengthDelimited:
      return { kind: "bytes", value: reader.bytes() };
    case WireType.StartGroup: {
      const fields: { number: number; value: UnknownValue }[] = [];
      for (;;) {
        const [number, type] = reader.tag();
        if (type === WireType.EndGroup) return { kind: "group", fields };
        fields.push({ number, value: readValue(reader, type) });
      }
    }
    default:
      throw new Error(`a field of wire type ${wireType} cannot be read`);
  }
}

/** Decodes the unknown fields that the generated code kept, in the order of their tags. */
export function readUnknownFields(unknown: UnknownFields): { number: number; value: UnknownValue }[] {
  const out: { number: number; value: UnknownValue }[] = [];
  for (const [key, values] of Object.entries(unknown)) {
    const tag = Number(key);
    for (const bytes of values) {
      out.push({ number: tag >>> 3, value: readValue(new BinaryReader(bytes), tag & 7) });
    }
  }
  return out;
}

function wireTypeOf(value: UnknownValue): WireType {
  switch (value.kind) {
    case "varint":
      return WireType.Varint;
    case "fixed32":
      return WireType.Bit32;
    case "fixed64":
      return WireType.Bit64;
    case "bytes":
      return WireType.LengthDelimited;
    case "group":
      return WireType.StartGroup;
  }
}

function writeValue(writer: BinaryWriter, number: number, value: UnknownValue): void {
  switch (value.kind) {
    case "varint":
      writer.uint64(value.value);
      break;
    case "fixed32":
      writer.fixed32(Number(value.value));
      break;
    case "fixed64":
      writer.fixed64(value.value);
      break;
    case "bytes":
      writer.bytes(value.value);
      break;
    case "group":
      for (const field of value.fields) {
        writer.tag(field.number, wireTypeOf(field.value));
        writeValue(writer, field.number, field.value);
      }
      writer.tag(number, WireType.EndGroup);
  }
}

/** Adds a field to the unknown fields that the generated code writes back. */
export function addUnknownField(unknown: UnknownFields, number: number, value: UnknownValue): void {
  const writer = new BinaryWriter();
  writeValue(writer, number, value);
  const tag = ((number << 3) | wireTypeOf(value)) >>> 0;
  const list = unknown[tag];
  if (list) list.push(writer.finish());
  else unknown[tag] = [writer.finish()];
}
