/** Writing DER (ITU-T X.690), as far as a self-signed certificate needs it. Pure. */

/** Tags of the types used here. */
const Tag = {
  integer: 0x02,
  bitString: 0x03,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific and constructed; the number is added. */
  explicit: 0xa0,
} as const;

const SHORT_LENGTH_LIMIT = 128;

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < SHORT_LENGTH_LIMIT) return Buffer.of(length);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.of(0x80 | bytes.length, ...bytes);
}

export function sequence(...members: readonly Uint8Array[]): Buffer {
  return tagged(Tag.sequence, Buffer.concat(members));
}

export function set(...members: readonly Uint8Array[]): Buffer {
  return tagged(Tag.set, Buffer.concat(members));
}

/** @param bytes Big-endian and not empty; a positive number, whatever its first bit. */
export function positiveInteger(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? Uint8Array.of(0) : bytes.subarray(first);
  const sign = (shortest[0] ?? 0) >= 0x80 ? Uint8Array.of(0) : new Uint8Array();
  return tagged(Tag.integer, Buffer.concat([sign, shortest]));
}

/** A whole number of bytes. */
export function bitString(bytes: Uint8Array): Buffer {
  return tagged(Tag.bitString, Buffer.concat([Uint8Array.of(0), bytes]));
}

export function utf8String(text: string): Buffer {
  return tagged(Tag.utf8String, Buffer.from(text));
}

/** @param dotted "1.2.840.10045.4.3.2" */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(Tag.objectIdentifier, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(number: number): number[] {
  const groups = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    groups.unshift(0x80 | (rest % 128));
  }
  return groups;
}

const FIRST_GENERALIZED_YEAR = 2050;

/** To the second, in UTC; with two digits of the year up to 2049 and with four from then on, as RFC 5280 has it. */
export function time(at: Date): Buffer {
  const text = `${compactTime(at)}Z`;
  return at.getUTCFullYear() < FIRST_GENERALIZED_YEAR
    ? tagged(Tag.utcTime, Buffer.from(text.slice(2)))
    : tagged(Tag.generalizedTime, Buffer.from(text));
}

/** "20261121130000" */
function compactTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace(/[-:T]/g, "");
}

export function explicit(number: number, content: Uint8Array): Buffer {
  return tagged(Tag.explicit + number, content);
}
