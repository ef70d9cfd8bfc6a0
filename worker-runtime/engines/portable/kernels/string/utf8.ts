/**
 * Where the characters of a UTF-8 text begin, and where the last one ends. A character is a byte that does not continue
 * another one and all that continue it, as TensorFlow counts them; bytes that are no UTF-8 are not looked at closer.
 */
export function characterOffsets(bytes: Uint8Array): number[] {
  const offsets: number[] = [];
  for (const [at, byte] of bytes.entries()) {
    if ((byte & 0xc0) !== 0x80) {
      offsets.push(at);
    }
  }
  return [...offsets, bytes.length];
}
