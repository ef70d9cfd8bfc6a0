import { enums, type FieldSchema } from "../../../protos/generated/schema.js";
import { didYouMean } from "../similar-names.js";
import { EscapeError, tryDecodeUtf8, unescapeBytes } from "./escapes.js";
import type { Lexer } from "./lexer.js";
import { parseUnsigned, parseUnsignedFloat } from "./numbers.js";

const INTEGER_RANGES: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
  sfixed32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  fixed32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  sint64: [-(2n ** 63n), 2n ** 63n - 1n],
  sfixed64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
};

const TRUE_WORDS = new Set(["true", "True", "t"]);
const FALSE_WORDS = new Set(["false", "False", "f"]);

/** The inside of a string literal and, if it has escapes, the bytes that it encodes. */
interface Literal {
  readonly inside: string;
  readonly bytes: Uint8Array | undefined;
}

function joinLiterals(literals: readonly Literal[]): Uint8Array {
  const parts = literals.map((literal) => literal.bytes ?? unescapeBytes(literal.inside));
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** Reads and consumes a value of a scalar or enum field. */
export function readScalar(lexer: Lexer, field: FieldSchema): unknown {
  switch (field.type) {
    case "string":
      return readString(lexer);
    case "bytes":
      return readBytes(lexer);
    case "bool":
      return readBool(lexer);
    case "float":
      return Math.fround(readFloat(lexer));
    case "double":
      return readFloat(lexer);
    case "enum":
      return readEnum(lexer, field.typeName ?? "");
    default: {
      const value = readInteger(lexer, field.type);
      return field.type.endsWith("64") ? value : Number(value);
    }
  }
}

/** An integer in the range of the given type. */
export function readInteger(lexer: Lexer, type: string): bigint {
  const start = lexer.start;
  const negative = lexer.tryConsume("-");
  const magnitude = lexer.kind === "number" ? parseUnsigned(lexer.token) : undefined;
  if (magnitude === undefined) throw lexer.error(`expected an integer, found ${lexer.describe()}`);
  const value = negative ? -magnitude : magnitude;
  const [min, max] = INTEGER_RANGES[type] ?? [0n, 0n];
  if (value < min || value > max) {
    throw lexer.error(`${value} does not fit ${type} (${min} to ${max})`, start);
  }
  lexer.next();
  return value;
}

function readFloat(lexer: Lexer): number {
  const sign = lexer.tryConsume("-") ? -1 : 1;
  let value: number | undefined;
  if (lexer.kind === "identifier") {
    if (/^inf(inity)?f?$/i.test(lexer.token)) value = Number.POSITIVE_INFINITY;
    else if (/^nanf?$/i.test(lexer.token)) value = Number.NaN;
  } else if (lexer.kind === "number") value = parseUnsignedFloat(lexer.token);
  if (value === undefined) throw lexer.error(`expected a number, found ${lexer.describe()}`);
  lexer.next();
  return sign * value;
}

function readBool(lexer: Lexer): boolean {
  const token = lexer.token;
  const number = lexer.kind === "number" ? parseUnsigned(token) : undefined;
  let value: boolean | undefined;
  if (TRUE_WORDS.has(token) || number === 1n) value = true;
  else if (FALSE_WORDS.has(token) || number === 0n) value = false;
  if (value === undefined) throw lexer.error(`expected true or false, found ${lexer.describe()}`);
  lexer.next();
  return value;
}

function readEnum(lexer: Lexer, typeName: string): number {
  if (lexer.kind !== "identifier") return Number(readInteger(lexer, "int32"));
  const values = enums[typeName] ?? {};
  const name = lexer.token;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw lexer.error(`${typeName} has no value "${name}".${didYouMean(name, Object.keys(values))}`);
  }
  lexer.next();
  return value;
}

function readString(lexer: Lexer): string {
  const start = lexer.start;
  const literals = readLiterals(lexer);
  if (literals.every((literal) => literal.bytes === undefined)) return literals.map((l) => l.inside).join("");
  // A character may be split over escapes in adjacent literals: join the bytes, then decode.
  const text = tryDecodeUtf8(joinLiterals(literals));
  if (text === undefined) throw lexer.error("this string is not valid UTF-8", start);
  return text;
}

/** The bytes of one or more adjacent string literals. */
export function readBytes(lexer: Lexer): Uint8Array {
  return joinLiterals(readLiterals(lexer));
}

/** One or more adjacent string literals. */
function readLiterals(lexer: Lexer): Literal[] {
  if (lexer.kind !== "string") throw lexer.error(`expected a string in quotes, found ${lexer.describe()}`);
  const literals: Literal[] = [];
  while (lexer.kind === "string") {
    const start = lexer.start + 1;
    const inside = lexer.text.slice(start, lexer.end - 1);
    try {
      literals.push({ inside, bytes: inside.includes("\\") ? unescapeBytes(inside) : undefined });
    } catch (error) {
      if (error instanceof EscapeError) throw lexer.error(error.message, start + error.offset);
      throw error;
    }
    lexer.next();
  }
  return literals;
}
