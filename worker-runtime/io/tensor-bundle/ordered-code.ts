/**
 * Encodes text and numbers as bytes with the same sort order: the keys of a tensor's slices in a checkpoint
 * (TensorFlow's OrderedCode).
 */

/** A non-negative number: a byte with the number of bytes that follow, then those, big-endian. */
export function orderedNumber(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256);
  }
  return [bytes.length, ...bytes];
}

/** Bytes with 0x00 and 0xff escaped, and a terminator that sorts before anything else. */
export function orderedString(bytes: Uint8Array): number[] {
  const coded: number[] = [];
  for (const byte of bytes) {
    coded.push(byte);
    if (byte === 0x00) {
      coded.push(0xff);
    } else if (byte === 0xff) {
      coded.push(0x00);
    }
  }
  return [...coded, 0x00, 0x01];
}

/**
 * A signed number: the shortest two's complement with room for a header, whose leading ones give the number of bytes
 * (inverted for negative numbers).
 */
export function orderedSigned(value: number): number[] {
  const long = BigInt(value);
  const magnitude = value < 0 ? ~long : long;
  const bits = magnitude === 0n ? 0 : magnitude.toString(2).length;
  const length = Math.floor(bits / 7) + 1;
  const width = BigInt(8 * length);
  // `length` ones at the top.
  const header = ((1n << BigInt(length)) - 1n) << (width - BigInt(length));
  const coded = BigInt.asUintN(8 * length, long) ^ header;
  return Array.from({ length }, (_, at) => Number((coded >> BigInt(8 * (length - 1 - at))) & 0xffn));
}
