import type { FieldSchema } from "../../../protos/generated/schema.js";
import { didYouMean } from "../similar-names.js";
import { codecOf } from "./any-types.js";
import { Lexer } from "./lexer.js";
import { type AnyMessage, defaultScalar, emptyMessage, shapeOf, wrapperField } from "./message-shape.js";
import { readBytes, readInteger, readScalar } from "./scalars.js";
import { addUnknownField, type UnknownValue } from "./unknown-fields.js";

/** The nesting limit of protobuf's binary parsers. */
const MAX_DEPTH = 100;

class Parser {
  readonly #lexer: Lexer;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
  }

  document(fullName: string): AnyMessage {
    const message = emptyMessage(fullName);
    this.#fields(fullName, message, "", 0);
    return message;
  }

  /** Fields up to the closing symbol ("" for the end of the text), which is consumed. */
  #fields(fullName: string, message: AnyMessage, close: string, depth: number): void {
    const lexer = this.#lexer;
    if (depth > MAX_DEPTH) throw lexer.error(`messages are nested more than ${MAX_DEPTH} deep`);
    const seen = new Set<FieldSchema>();
    for (;;) {
      if (lexer.kind === "end") {
        if (close === "") return;
        throw lexer.error(`expected "${close}" to end ${fullName}, found the end of the text`);
      }
      if (close !== "" && lexer.tryConsume(close)) return;
      this.#field(fullName, message, seen, depth);
      if (!lexer.tryConsume(",")) lexer.tryConsume(";");
    }
  }

  #field(fullName: string, message: AnyMessage, seen: Set<FieldSchema>, depth: number): void {
    const lexer = this.#lexer;
    if (lexer.isSymbol("[")) {
      this.#bracketedName(fullName, message, depth);
      return;
    }
    const start = lexer.start;
    const name = lexer.token;
    if (lexer.kind === "number" && /^[0-9]+$/.test(name)) {
      const known = shapeOf(fullName).byNumber.get(Number(name));
      lexer.next();
      if (known) this.#knownField(fullName, known, message, seen, start, depth);
      else this.#numberedField(message, Number(name), start);
      return;
    }
    if (lexer.kind !== "identifier") {
      throw lexer.error(`expected a field of ${fullName}, found ${lexer.describe()}`);
    }
    const field = shapeOf(fullName).byName.get(name);
    if (!field) {
      const names = [...shapeOf(fullName).byName.keys()];
      throw lexer.error(`${fullName} has no field "${name}".${didYouMean(name, names)}`);
    }
    lexer.next();
    this.#knownField(fullName, field, message, seen, start, depth);
  }

  #knownField(
    fullName: string,
    field: FieldSchema,
    message: AnyMessage,
    seen: Set<FieldSchema>,
    start: number,
    depth: number,
  ): void {
    const lexer = this.#lexer;
    const many = field.repeated || field.mapKey !== undefined;
    if (!many) {
      if (seen.has(field)) throw lexer.error(`${fullName} has "${field.name}" twice`, start);
      seen.add(field);
      if (field.oneof !== undefined) {
        const other = message[field.oneof] as { $case: string } | undefined;
        if (other) {
          throw lexer.error(`"${field.name}" cannot stand beside "${other.$case}" in ${fullName}`, start);
        }
      }
    }
    if (!lexer.tryConsume(":") && field.type !== "message" && field.mapKey === undefined) {
      throw lexer.error(`expected ":" after "${field.name}", found ${lexer.describe()}`);
    }
    if (many && lexer.tryConsume("[")) {
      if (lexer.tryConsume("]")) return;
      for (;;) {
        this.#element(field, message, depth);
        if (lexer.tryConsume("]")) return;
        if (!lexer.tryConsume(",")) {
          throw lexer.error(`expected "," or "]" in the list of "${field.name}", found ${lexer.describe()}`);
        }
      }
    }
    this.#element(field, message, depth);
  }

  /** Reads one value of a field and stores it. */
  #element(field: FieldSchema, message: AnyMessage, depth: number): void {
    if (field.mapKey !== undefined) {
      this.#mapEntry(field, field.mapKey, message[field.property] as Map<unknown, unknown>, depth);
      return;
    }
    const value = this.#value(field, depth);
    if (field.oneof !== undefined) message[field.oneof] = { $case: field.property, value };
    else if (field.repeated) (message[field.property] as unknown[]).push(value);
    else message[field.property] = value;
  }

  #value(field: FieldSchema, depth: number): unknown {
    if (field.type !== "message") return readScalar(this.#lexer, field);
    const fullName = field.typeName ?? "";
    const message = emptyMessage(fullName);
    this.#fields(fullName, message, this.#open(field.name), depth + 1);
    return wrapperField(fullName) ? message.value : message;
  }

  /** Consumes "{" or "<" and returns the closing symbol. */
  #open(name: string): string {
    if (this.#lexer.tryConsume("{")) return "}";
    if (this.#lexer.tryConsume("<")) return ">";
    throw this.#lexer.error(`expected "{" after "${name}", found ${this.#lexer.describe()}`);
  }

  #mapEntry(field: FieldSchema, keyType: string, map: Map<unknown, unknown>, depth: number): void {
    const lexer = this.#lexer;
    const close = this.#open(field.name);
    const keyField: FieldSchema = { name: "key", property: "key", number: 1, type: keyType };
    const entry = new Map<string, unknown>();
    while (!lexer.tryConsume(close)) {
      const name = lexer.token;
      if (lexer.kind !== "identifier" || (name !== "key" && name !== "value")) {
        throw lexer.error(
          `expected "key", "value" or "${close}" in "${field.name}", found ${lexer.describe()}`,
        );
      }
      if (entry.has(name)) throw lexer.error(`an entry of "${field.name}" has "${name}" twice`);
      lexer.next();
      const inner = name === "key" ? keyField : field;
      if (!lexer.tryConsume(":") && inner.type !== "message") {
        throw lexer.error(`expected ":" after "${name}", found ${lexer.describe()}`);
      }
      entry.set(name, this.#value(inner, depth + 1));
      if (!lexer.tryConsume(",")) lexer.tryConsume(";");
    }
    const empty = field.type === "message" ? emptyMessage(field.typeName ?? "") : defaultScalar(field.type);
    map.set(
      entry.has("key") ? entry.get("key") : defaultScalar(keyType),
      entry.has("value") ? entry.get("value") : empty,
    );
  }

  /** `[type.googleapis.com/name] { … }` in an Any. Elsewhere a bracket would be an extension; TensorFlow has none. */
  #bracketedName(fullName: string, message: AnyMessage, depth: number): void {
    const lexer = this.#lexer;
    const start = lexer.start;
    const end = lexer.text.indexOf("]", start);
    const url = end < 0 ? "" : lexer.text.slice(start + 1, end).replace(/\s/g, "");
    if (fullName !== "google.protobuf.Any")
      throw lexer.error(`${fullName} has no extensions such as [${url}]`, start);
    const slash = url.lastIndexOf("/");
    if (slash <= 0 || url.includes("[")) {
      throw lexer.error("expected a type such as [type.googleapis.com/tensorflow.NodeDef]", start);
    }
    const packedName = url.slice(slash + 1);
    const codec = codecOf(packedName);
    if (!codec) {
      throw lexer.error(
        `the type "${packedName}" is not known here; write type_url and value instead`,
        start,
      );
    }
    if (message.typeUrl !== "") throw lexer.error("this Any has a value already", start);
    while (!lexer.isSymbol("]")) lexer.next();
    lexer.next();
    lexer.tryConsume(":");
    const packed = emptyMessage(packedName);
    this.#fields(packedName, packed, this.#open(`[${url}]`), depth + 1);
    message.typeUrl = url;
    message.value = codec.encode(packed).finish();
  }

  /** A field that the .proto files do not define, by its number: stored like the generated code's unknown fields. */
  #numberedField(message: AnyMessage, number: number, start: number): void {
    if (number < 1 || number > 2 ** 29 - 1) throw this.#lexer.error(`${number} is no field number`, start);
    message._unknownFields ??= {};
    addUnknownField(message._unknownFields, number, this.#unknownValue(0));
  }

  #unknownValue(depth: number): UnknownValue {
    const lexer = this.#lexer;
    if (depth > MAX_DEPTH) throw lexer.error(`messages are nested more than ${MAX_DEPTH} deep`);
    const colon = lexer.tryConsume(":");
    if (lexer.isSymbol("{") || lexer.isSymbol("<")) {
      const close = this.#open("the field's number");
      const fields: { number: number; value: UnknownValue }[] = [];
      while (!lexer.tryConsume(close)) {
        if (lexer.kind !== "number" || !/^[0-9]+$/.test(lexer.token)) {
          throw lexer.error(`expected a field number or "${close}", found ${lexer.describe()}`);
        }
        const number = Number(lexer.token);
        lexer.next();
        fields.push({ number, value: this.#unknownValue(depth + 1) });
      }
      return { kind: "group", fields };
    }
    if (!colon) throw lexer.error(`expected ":" or "{" after the field's number, found ${lexer.describe()}`);
    if (lexer.kind === "string") return { kind: "bytes", value: readBytes(lexer) };
    // The printers write fixed32 as 8 hexadecimal digits and fixed64 as 16, varints in decimal.
    const token = lexer.token;
    const value = readInteger(lexer, "uint64");
    if (/^0x[0-9a-f]{8}$/i.test(token)) return { kind: "fixed32", value };
    if (/^0x[0-9a-f]{16}$/i.test(token)) return { kind: "fixed64", value };
    return { kind: "varint", value };
  }
}

/** Reads a message of the given type. Throws TextFormatError. */
export function parseMessage(fullName: string, text: string): AnyMessage {
  return new Parser(text).document(fullName);
}
