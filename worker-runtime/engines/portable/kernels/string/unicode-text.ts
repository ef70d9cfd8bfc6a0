import { invalidArgument } from "../../../../protocol/status.js";

/**
 * Receives the characters of a text in order.
 * @param code the code point; unspecified for invalid bytes.
 * @param start the offset of its first byte.
 * @param valid false for invalid bytes: as many as could have been the beginning of one character.
 */
export type CharacterVisitor = (code: number, start: number, valid: boolean) => void;

export type Decoder = (bytes: Uint8Array, visit: CharacterVisitor) => void;

/** The facts that the first byte of a UTF-8 character tells about the rest. */
interface Utf8Lead {
  /** Number of bytes that follow. */
  readonly more: number;
  /** The bits of the first byte that belong to the code point. */
  readonly bits: number;
  /** The range of the second byte: it excludes surrogates and overlong forms. */
  readonly low: number;
  readonly high: number;
}

function utf8Lead(byte: number): Utf8Lead | undefined {
  if (byte >= 0xc2 && byte <= 0xdf) {
    return { more: 1, bits: byte & 0x1f, low: 0x80, high: 0xbf };
  }
  if (byte >= 0xe0 && byte <= 0xef) {
    return {
      more: 2,
      bits: byte & 0x0f,
      low: byte === 0xe0 ? 0xa0 : 0x80,
      high: byte === 0xed ? 0x9f : 0xbf,
    };
  }
  if (byte >= 0xf0 && byte <= 0xf4) {
    return {
      more: 3,
      bits: byte & 0x07,
      low: byte === 0xf0 ? 0x90 : 0x80,
      high: byte === 0xf4 ? 0x8f : 0xbf,
    };
  }
  return undefined;
}

const decodeUtf8: Decoder = (bytes, visit) => {
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const first = bytes[at] as number;
    at += 1;
    if (first < 0x80) {
      visit(first, start, true);
      continue;
    }
    const lead = utf8Lead(first);
    let code = lead?.bits ?? 0;
    let missing = lead?.more ?? 1;
    while (lead !== undefined && missing > 0) {
      const byte = bytes[at] ?? 0;
      const second = at === start + 1;
      if (byte < (second ? lead.low : 0x80) || byte > (second ? lead.high : 0xbf)) {
        break;
      }
      code = (code << 6) | (byte & 0x3f);
      missing -= 1;
      at += 1;
    }
    visit(code, start, missing === 0);
  }
};

const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

/** Whether a number is a Unicode scalar value. */
export function isCharacter(code: number): boolean {
  return code >= 0 && code <= 0x10ffff && !isSurrogate(code);
}

function utf16Decoder(littleEndian: boolean): Decoder {
  return (bytes, visit) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const start = at;
      if (at + 2 > bytes.length) {
        visit(0, start, false);
        return;
      }
      const unit = view.getUint16(at, littleEndian);
      at += 2;
      if (!isSurrogate(unit)) {
        visit(unit, start, true);
        continue;
      }
      const next = at + 2 <= bytes.length ? view.getUint16(at, littleEndian) : 0;
      const leads = unit < 0xdc00;
      const paired = leads && next >= 0xdc00 && next <= 0xdfff;
      if (paired) {
        at += 2;
      } else if (leads && at + 1 === bytes.length) {
        // An incomplete second unit of a pair belongs to the same error.
        at += 1;
      }
      visit(0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff), start, paired);
    }
  };
}

function utf32Decoder(littleEndian: boolean): Decoder {
  return (bytes, visit) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += 4) {
      const code = at + 4 <= bytes.length ? view.getUint32(at, littleEndian) : -1;
      visit(code, at, isCharacter(code));
    }
  };
}

/** Decodes single bytes as the first `count` code points. */
function byteDecoder(count: number): Decoder {
  return (bytes, visit) => {
    for (const [at, byte] of bytes.entries()) {
      visit(byte, at, byte < count);
    }
  };
}

const decoders: Readonly<Record<string, Decoder>> = {
  utf8: decodeUtf8,
  utf16be: utf16Decoder(false),
  utf16le: utf16Decoder(true),
  utf32be: utf32Decoder(false),
  utf32le: utf32Decoder(true),
  usascii: byteDecoder(128),
  ascii: byteDecoder(128),
  latin1: byteDecoder(256),
  iso88591: byteDecoder(256),
};

/**
 * The decoder of an encoding: those of Unicode with their byte order, US-ASCII and ISO-8859-1. Names are compared as
 * ICU does, without regard to case and punctuation.
 * @throws TensorFlowError INVALID_ARGUMENT for any other.
 */
export function decoderOf(encoding: string): Decoder {
  const decoder = decoders[encoding.toLowerCase().replace(/[^a-z0-9]/g, "")];
  if (decoder === undefined) {
    throw invalidArgument(`Could not create converter for input encoding: ${encoding}`);
  }
  return decoder;
}

export type Encoder = (codes: readonly number[]) => Uint8Array;

const encoders: Readonly<Record<string, Encoder>> = {
  "UTF-8": (codes) => Buffer.from(textOf(codes), "utf8"),
  "UTF-16-BE": (codes) => Buffer.from(textOf(codes), "utf16le").swap16(),
  "UTF-32-BE": (codes) => {
    const bytes = Buffer.alloc(codes.length * 4);
    for (const [i, code] of codes.entries()) {
      bytes.writeUInt32BE(code, i * 4);
    }
    return bytes;
  },
};

/** @param codes valid characters only. Converted in pieces, because argument lists are limited. */
function textOf(codes: readonly number[]): string {
  let text = "";
  for (const code of codes) {
    text += String.fromCodePoint(code);
  }
  return text;
}

/** @throws TensorFlowError INVALID_ARGUMENT for an encoding that the ops' definitions do not allow. */
export function encoderOf(encoding: string): Encoder {
  const encoder = encoders[encoding];
  if (encoder === undefined) {
    throw invalidArgument(`Could not create converter for output encoding: ${encoding}`);
  }
  return encoder;
}
