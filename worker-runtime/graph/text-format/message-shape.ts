import { type FieldSchema, messages } from "../../../protos/generated/schema.js";

/** Any message of the generated code, addressed by its properties. */
export type AnyMessage = Record<string, unknown> & {
  _unknownFields?: Record<number, Uint8Array[]> | undefined;
};

interface MessageShape {
  readonly fields: readonly FieldSchema[];
  readonly byName: ReadonlyMap<string, FieldSchema>;
  readonly byNumber: ReadonlyMap<number, FieldSchema>;
}

const shapes = new Map<string, MessageShape>();

/** The fields of a message, in the order of their numbers. Throws if protos/ does not define the message. */
export function shapeOf(fullName: string): MessageShape {
  let shape = shapes.get(fullName);
  if (!shape) {
    const fields = Object.hasOwn(messages, fullName) ? messages[fullName] : undefined;
    if (!fields) throw new Error(`"${fullName}" is not a message of Tensordeck's .proto files.`);
    const sorted = [...fields].sort((a, b) => a.number - b.number);
    shape = {
      fields: sorted,
      byName: new Map(sorted.map((f) => [f.name, f])),
      byNumber: new Map(sorted.map((f) => [f.number, f])),
    };
    shapes.set(fullName, shape);
  }
  return shape;
}

const INT64_TYPES = new Set(["int64", "uint64", "sint64", "fixed64", "sfixed64"]);

/** Whether the generated code represents this type as bigint. */
export function isInt64(type: string): boolean {
  return INT64_TYPES.has(type);
}

const WRAPPER = /^google\.protobuf\.(Bool|Bytes|Double|Float|Int32|Int64|String|UInt32|UInt64)Value$/;

/**
 * The single field of google.protobuf's wrapper messages (BoolValue etc.), which the generated code unwraps: a field of
 * such a type holds the bare value. Undefined for all other types.
 */
export function wrapperField(typeName: string | undefined): FieldSchema | undefined {
  return typeName !== undefined && WRAPPER.test(typeName) ? shapeOf(typeName).byName.get("value") : undefined;
}

/** The default value of a scalar or enum field (proto3). */
export function defaultScalar(type: string): unknown {
  if (isInt64(type)) return 0n;
  if (type === "string") return "";
  if (type === "bytes") return new Uint8Array(0);
  if (type === "bool") return false;
  return 0;
}

/** A new empty message, equal to the result of the generated `fromPartial({})`. */
export function emptyMessage(fullName: string): AnyMessage {
  const message: AnyMessage = {};
  for (const field of shapeOf(fullName).fields) {
    if (field.oneof !== undefined) message[field.oneof] = undefined;
    else if (field.mapKey !== undefined) message[field.property] = new Map();
    else if (field.repeated) message[field.property] = [];
    else if (field.type === "message" || field.optional) message[field.property] = undefined;
    else message[field.property] = defaultScalar(field.type);
  }
  message._unknownFields = {};
  return message;
}
