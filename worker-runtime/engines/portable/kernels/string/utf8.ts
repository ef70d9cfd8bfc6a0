function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many characters a UTF-8 text has, counted as in `characterOffsets`. */
export function characterCount(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    count += continues(bytes[at] as number) ? 0 : 1;
  }
  return count;
}

/**
 * Where the characters of a UTF-8 text begin, and where the last one ends. A character is a byte that does not continue
 * another one and all that continue it, as TensorFlow counts them; bytes that are no UTF-8 are not looked at closer.
 */
export function characterOffsets(bytes: Uint8Array): number[] {
  const offsets: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    if (!continues(bytes[at] as number)) {
      offsets.push(at);
    }
  }
  offsets.push(bytes.length);
  return offsets;
}
