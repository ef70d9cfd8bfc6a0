import { getTextEncoding } from "@bufbuild/protobuf/wire";

const { decodeUtf8, encodeUtf8 } = getTextEncoding();

const SIMPLE_ESCAPES = new Map<string, number>([
  ["a", 7],
  ["b", 8],
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["?", 63],
  ["\\", 92],
  ["'", 39],
  ['"', 34],
]);

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, "0")}`;
}

/** Each byte as written inside quotes by Python's text_encoding.CEscape for bytes fields. */
const BYTE_ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte === 9) return "\\t";
  if (byte === 10) return "\\n";
  if (byte === 13) return "\\r";
  if (byte === 34) return '\\"';
  if (byte === 39) return "\\'";
  if (byte === 92) return "\\\\";
  return byte < 32 || byte >= 127 ? octal(byte) : String.fromCharCode(byte);
});

/** The inside of a quoted literal for a bytes field: every byte beyond printable ASCII is escaped. */
export function escapeBytes(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += BYTE_ESCAPES[byte];
  return out;
}

/** The inside of a quoted literal for a string field: letters outside ASCII stay readable. */
export function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here
  return text.replace(/[\x00-\x1f\x7f"'\\]/g, (c) => BYTE_ESCAPES[c.charCodeAt(0)] ?? c);
}

/** An invalid escape; `offset` counts from the first character inside the quotes. */
export class EscapeError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

function isOctalDigit(c: number): boolean {
  return c >= 48 && c <= 55;
}

function encodeCodePoint(inside: string, at: number, digits: number): Uint8Array {
  const hex = inside.slice(at + 2, at + 2 + digits);
  const code = Number.parseInt(hex, 16);
  if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length !== digits || code > 0x10ffff) {
    throw new EscapeError(
      `"\\${inside[at + 1] ?? ""}" needs ${digits} hexadecimal digits of a Unicode character after it`,
      at,
    );
  }
  return encodeUtf8(String.fromCodePoint(code));
}

/** The bytes that the inside of a quoted literal stands for; letters outside ASCII count as their UTF-8. */
export function unescapeBytes(inside: string): Uint8Array {
  if (!inside.includes("\\")) return encodeUtf8(inside);
  // A UTF-16 unit becomes at most three bytes of UTF-8, an escape fewer bytes than its characters.
  const out = new Uint8Array(inside.length * 3);
  let length = 0;
  for (let i = 0; i < inside.length; ) {
    const c = inside.charCodeAt(i);
    if (c >= 128) {
      let end = i + 1;
      while (end < inside.length && inside.charCodeAt(end) >= 128) end++;
      const encoded = encodeUtf8(inside.slice(i, end));
      out.set(encoded, length);
      length += encoded.length;
      i = end;
    } else if (c !== 92) {
      out[length++] = c;
      i++;
    } else if (isOctalDigit(inside.charCodeAt(i + 1))) {
      let end = i + 1;
      let value = 0;
      while (end < i + 4 && isOctalDigit(inside.charCodeAt(end)))
        value = value * 8 + inside.charCodeAt(end++) - 48;
      if (value > 255) throw new EscapeError(`"${inside.slice(i, end)}" is more than a byte`, i);
      out[length++] = value;
      i = end;
    } else {
      const letter = inside[i + 1] ?? "";
      const simple = SIMPLE_ESCAPES.get(letter);
      if (simple !== undefined) {
        out[length++] = simple;
        i += 2;
      } else if (letter === "x" || letter === "X") {
        const digits = /^[0-9a-fA-F]{1,2}/.exec(inside.slice(i + 2, i + 4))?.[0];
        if (!digits) throw new EscapeError('"\\x" needs one or two hexadecimal digits after it', i);
        out[length++] = Number.parseInt(digits, 16);
        i += 2 + digits.length;
      } else if (letter === "u" || letter === "U") {
        const digits = letter === "u" ? 4 : 8;
        const encoded = encodeCodePoint(inside, i, digits);
        out.set(encoded, length);
        length += encoded.length;
        i += 2 + digits;
      } else {
        throw new EscapeError(`"\\${letter}" is not an escape of the text format`, i);
      }
    }
  }
  return out.slice(0, length);
}

/** Decodes UTF-8; undefined if it is invalid. */
export function tryDecodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes, true);
  } catch {
    return undefined;
  }
}
