import fc from "fast-check";
import { enums, type FieldSchema, messages } from "../../../protos/generated/schema.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";
import {
  type AnyMessage,
  emptyMessage,
  isInt64,
  wrapperField,
} from "../../../worker-runtime/graph/text-format/message-shape.js";

const MAX_DEPTH = 4;

/** Messages of proto2 files in TensorFlow: there, an entry whose key is "" or 0 is another than one without a key. */
const PROTO2 = new Set(["tensorflow.GraphDebugInfo"]);

/** Text without lone surrogates, which UTF-8 cannot hold; every control character and quote included. */
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.string({ unit: "binary", maxLength: 8 }));
const bytes = fc.uint8Array({ maxLength: 12 });

function int64(min: bigint, max: bigint): fc.Arbitrary<bigint> {
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n));
}

/** Zero with a sign is left out: the generated code does not write it in a field of its own. */
function float(options: { single: boolean }): fc.Arbitrary<number> {
  const any = options.single ? fc.float() : fc.double();
  const few = fc
    .integer({ min: -1_000_000, max: 1_000_000 })
    .map((n) => (options.single ? Math.fround(n / 1000) : n / 1000));
  return fc.oneof(any, few).map((n) => (Object.is(n, -0) ? 0 : n));
}

function scalar(type: string, typeName: string | undefined): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return text;
    case "bytes":
      return bytes;
    case "bool":
      return fc.boolean();
    case "float":
      return float({ single: true });
    case "double":
      return float({ single: false });
    case "enum":
      return fc.oneof(
        fc.constantFrom(...Object.values(enums[typeName ?? ""] ?? { none: 0 })),
        fc.constant(4711),
      );
    case "uint32":
    case "fixed32":
      return fc.integer({ min: 0, max: 2 ** 32 - 1 });
    case "uint64":
    case "fixed64":
      return int64(0n, 2n ** 64n - 1n);
    default:
      return isInt64(type) ? int64(-(2n ** 63n), 2n ** 63n - 1n) : fc.integer();
  }
}

function value(field: FieldSchema, depth: number): fc.Arbitrary<unknown> {
  if (field.type !== "message") return scalar(field.type, field.typeName);
  const wrapped = wrapperField(field.typeName);
  return wrapped ? scalar(wrapped.type, wrapped.typeName) : message(field.typeName ?? "", depth + 1);
}

/** An Any of a type that is known, or of one that is not. */
const any: fc.Arbitrary<AnyMessage> = fc.oneof(
  text.map((variableName) => ({
    typeUrl: "type.googleapis.com/tensorflow.VariableDef",
    value: VariableDef.encode(VariableDef.fromPartial({ variableName, trainable: true })).finish(),
    _unknownFields: {},
  })),
  bytes.map((value) => ({ typeUrl: "type.googleapis.com/not.Known", value, _unknownFields: {} })),
);

/** Any message of a type of the .proto files, with some of its fields set. */
export function message(fullName: string, depth = 0): fc.Arbitrary<AnyMessage> {
  if (fullName === "google.protobuf.Any") return any;
  const fields = (messages[fullName] ?? []).filter((f) => depth < MAX_DEPTH || f.type !== "message");
  const settings = fields.map((field) => {
    const maxLength = depth < 2 ? 3 : 1;
    if (field.mapKey !== undefined) {
      const isSet = (v: unknown) => !PROTO2.has(fullName) || !(v === "" || v === 0 || v === 0n);
      const key = scalar(field.mapKey, undefined).filter(isSet);
      const entry = fc.tuple(
        key,
        fc.constant(field).chain((f) => value(f, depth + 1).filter(isSet)),
      );
      return fc
        .array(entry, { maxLength })
        .map((entries): [FieldSchema, unknown] => [field, new Map(entries)]);
    }
    const one = fc.constant(field).chain((f) => value(f, depth));
    const set = field.repeated ? fc.array(one, { maxLength }) : one;
    return set.map((v): [FieldSchema, unknown] => [field, v]);
  });
  // Few fields at a time, or messages grow without end.
  return fc
    .subarray(settings, { maxLength: Math.min(settings.length, Math.max(1, 5 - depth)) })
    .chain((chosen) =>
      fc.tuple(...chosen).map((pairs) => {
        const out = emptyMessage(fullName);
        for (const [field, v] of pairs) {
          if (field.oneof === undefined) out[field.property] = v;
          else out[field.oneof] = { $case: field.property, value: v };
        }
        return out;
      }),
    );
}
