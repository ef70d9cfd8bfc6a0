import { BinaryReader } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { type FieldSchema, messages } from "../../protos/generated/schema.js";
import {
  type AnyMessage,
  emptyMessage,
  isInt64,
  wrapperField,
} from "../../worker-runtime/graph/text-format/message-shape.js";

interface Codec {
  encode(message: AnyMessage): { finish(): Uint8Array };
  decode(bytes: Uint8Array): AnyMessage;
}

const modules = import.meta.glob<Record<string, unknown>>(
  "../../protos/generated/{tensorflow,google}/**/*.ts",
  {
    eager: true,
  },
);
const codecs = new Map<string, Codec>();
for (const module of Object.values(modules)) {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === "object" && value !== null && "fromPartial" in value) {
      codecs.set(`${String(module.protobufPackage)}.${name}`.replaceAll("_", "."), value as unknown as Codec);
    }
  }
}

function codecOf(name: string): Codec {
  const codec = codecs.get(name.replaceAll("_", "."));
  if (!codec) throw new Error(`no generated code for ${name}`);
  return codec;
}

/** A value that is not the default, so that it shows on the wire. The only wrapper in use is BoolValue. */
function sample(type: string, typeName: string | undefined): unknown {
  if (type === "message") return wrapperField(typeName) ? true : emptyMessage(typeName ?? "");
  if (isInt64(type)) return 3n;
  if (type === "string") return "three";
  if (type === "bytes") return new Uint8Array([3]);
  return type === "bool" ? true : 3;
}

function withField(name: string, field: FieldSchema): AnyMessage {
  const message = emptyMessage(name);
  const value = sample(field.type, field.typeName);
  if (field.oneof !== undefined) message[field.oneof] = { $case: field.property, value };
  else if (field.mapKey !== undefined)
    message[field.property] = new Map([[sample(field.mapKey, undefined), value]]);
  else message[field.property] = field.repeated ? [value] : value;
  return message;
}

// The text format reads and writes messages by the tables of schema.ts; here they meet the generated code.
describe("schema.ts and the generated code agree", () => {
  test.each(Object.entries(messages))("on %s", (name, fields) => {
    expect(emptyMessage(name)).toEqual(codecOf(name).decode(new Uint8Array(0)));
    for (const field of fields) {
      const message = withField(name, field);
      const bytes = codecOf(name).encode(message).finish();
      expect(new BinaryReader(bytes).tag()[0], field.name).toBe(field.number);
      expect(codecOf(name).decode(bytes), field.name).toEqual(message);
    }
  });
});
