/** Text in the encodings of Windows' programs: PowerShell's `>` writes UTF-16, most others UTF-8, with a mark or without one. */
import { getTextEncoding } from "@bufbuild/protobuf/wire";

/** As TextDecoder names it. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** Units of UTF-16 that become characters at a time: a call takes so many arguments. */
const PIECE_UNITS = 8192;

/** The encoding of a text, by the mark at its beginning; UTF-8 without one. */
export function textEncoding(head: Uint8Array): TextEncoding {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/** A text without its mark. @throws Error for bytes that are none, if `strict` */
export function decodeText(bytes: Uint8Array, strict = false): string {
  return getTextEncoding()
    .decodeUtf8(asUtf8(bytes), strict)
    .replace(/^\uFEFF/, "");
}

/** The same text in UTF-8; bytes without a mark of UTF-16 as they are. */
export function asUtf8(bytes: Uint8Array): Uint8Array {
  const encoding = textEncoding(bytes);
  if (encoding === "utf-8" || bytes.length % 2 === 1) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 2; at < bytes.length; at += 2 * PIECE_UNITS) {
    const units = Math.min(PIECE_UNITS, (bytes.length - at) / 2);
    text += String.fromCharCode(
      ...Array.from({ length: units }, (_, index) => view.getUint16(at + 2 * index, encoding === "utf-16le")),
    );
  }
  return getTextEncoding().encodeUtf8(text);
}
