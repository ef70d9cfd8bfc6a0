import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { FieldSchema } from "../../protos/generated/schema.js";

/** The facts that decide a field's place and form on the wire, in one line: "2 repeated message tensorflow.NodeDef". */
export type FieldLine = string;

export interface Described {
  /** Field name to its line, by full name of the message. */
  readonly messages: Map<string, Map<string, FieldLine>>;
  /** Value name to number, by full name of the enum. */
  readonly enums: Map<string, Map<string, number>>;
}

function typeName(type: Type): string {
  return Type[type].toLowerCase();
}

function lineOf(parts: {
  number: number;
  repeated: boolean;
  mapKey: string | undefined;
  type: string;
  typeName: string | undefined;
  oneof: string | undefined;
  optional: boolean;
}): FieldLine {
  const { number, repeated, mapKey, type, typeName: full, oneof, optional } = parts;
  const label =
    mapKey !== undefined ? `map<${mapKey}>` : repeated ? "repeated" : optional ? "optional" : "single";
  return [number, label, type, full ?? "", oneof === undefined ? "" : `in ${oneof}`]
    .filter((p) => p !== "")
    .join(" ");
}

function camelCase(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isSingleScalar(field: FieldDescriptorProto): boolean {
  return field.label !== Label.REPEATED && field.type !== Type.MESSAGE;
}

/** The messages and enums of descriptors. */
export function describeFiles(files: Iterable<FileDescriptorProto>): Described {
  const out: Described = { messages: new Map(), enums: new Map() };
  const addEnum = (scope: string, e: EnumDescriptorProto) =>
    out.enums.set(`${scope}.${e.name}`, new Map(e.value.map((v) => [v.name, v.number])));
  const addMessage = (scope: string, message: DescriptorProto, tracksPresence: boolean) => {
    const full = `${scope}.${message.name}`;
    const entries = new Map(
      message.nestedType.filter((n) => n.options?.mapEntry).map((n) => [`.${full}.${n.name}`, n]),
    );
    const fields = new Map<string, FieldLine>();
    for (const field of message.field) {
      const [key, value] = entries.get(field.typeName)?.field ?? [];
      const described = value ?? field;
      const named = described.type === Type.MESSAGE || described.type === Type.ENUM;
      const inOneof = !field.proto3Optional && Object.hasOwn(field, "oneofIndex");
      fields.set(
        field.name,
        lineOf({
          number: field.number,
          repeated: field.label === Label.REPEATED,
          mapKey: key && typeName(key.type),
          type: typeName(described.type),
          typeName: named ? described.typeName.slice(1) : undefined,
          oneof: inOneof ? camelCase(message.oneofDecl[field.oneofIndex]?.name ?? "") : undefined,
          optional: field.proto3Optional || (tracksPresence && isSingleScalar(field)),
        }),
      );
    }
    out.messages.set(full, fields);
    for (const nested of message.nestedType)
      if (!nested.options?.mapEntry) addMessage(full, nested, tracksPresence);
    for (const nested of message.enumType) addEnum(full, nested);
  };
  for (const file of files) {
    // Every single field of a proto2 file knows whether it was set; in proto3 "optional" says so.
    const tracksPresence = file.syntax !== "proto3";
    for (const message of file.messageType) addMessage(file.package, message, tracksPresence);
    for (const e of file.enumType) addEnum(file.package, e);
  }
  return out;
}

/** As `describeFiles`, from the field tables that the generated code has. */
export function describeSchema(
  messages: Readonly<Record<string, readonly FieldSchema[]>>,
  enums: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Described {
  return {
    messages: new Map(
      Object.entries(messages).map(([name, fields]) => [
        name,
        new Map(
          fields.map((field) => [
            field.name,
            lineOf({
              number: field.number,
              repeated: field.repeated ?? false,
              mapKey: field.mapKey,
              type: field.type,
              typeName: field.typeName,
              oneof: field.oneof,
              optional: field.optional ?? false,
            }),
          ]),
        ),
      ]),
    ),
    enums: new Map(Object.entries(enums).map(([name, values]) => [name, new Map(Object.entries(values))])),
  };
}
