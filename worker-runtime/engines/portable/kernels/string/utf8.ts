function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The number of characters in a UTF-8 text, counted as in `characterOffsets`. */
export function characterCount(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    count += continues(bytes[at] as number) ? 0 : 1;
  }
  return count;
}

/**
 * The offsets at which the characters of a UTF-8 text begin, and the end of the last one. As in TensorFlow, a character
 * is a byte that is not a continuation byte and all continuation bytes after it; invalid UTF-8 is not examined further.
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
