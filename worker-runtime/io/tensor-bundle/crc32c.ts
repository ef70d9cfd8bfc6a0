/** The polynomial of CRC-32C (Castagnoli, RFC 3720), bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Bytes consumed per iteration of the main loop ("slicing by 8"). */
const SLICE = 8;

/** Entry 256 k + b: the checksum of byte b followed by k zero bytes. */
const table = makeTable();

function makeTable(): Uint32Array {
  const entries = new Uint32Array(256 * SLICE);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    entries[byte] = crc;
  }
  for (let index = 256; index < entries.length; index += 1) {
    const previous = entries[index - 256] ?? 0;
    entries[index] = (previous >>> 8) ^ (entries[previous & 0xff] ?? 0);
  }
  return entries;
}

/**
 * The CRC-32C of bytes, as an unsigned number.
 * @param before the checksum of what precedes them.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const t = table;
  let crc = ~before;
  let at = 0;
  for (const end = bytes.length - (bytes.length % SLICE); at < end; at += SLICE) {
    const low =
      crc ^
      ((bytes[at] ?? 0) |
        ((bytes[at + 1] ?? 0) << 8) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 24));
    crc =
      (t[1792 + (low & 0xff)] ?? 0) ^
      (t[1536 + ((low >>> 8) & 0xff)] ?? 0) ^
      (t[1280 + ((low >>> 16) & 0xff)] ?? 0) ^
      (t[1024 + (low >>> 24)] ?? 0) ^
      (t[768 + (bytes[at + 4] ?? 0)] ?? 0) ^
      (t[512 + (bytes[at + 5] ?? 0)] ?? 0) ^
      (t[256 + (bytes[at + 6] ?? 0)] ?? 0) ^
      (t[bytes[at + 7] ?? 0] ?? 0);
  }
  for (; at < bytes.length; at += 1) {
    crc = (crc >>> 8) ^ (t[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
}

/** Added to a masked checksum, as in LevelDB: checksums of data that itself holds checksums are weak. */
const MASK_DELTA = 0xa282ead8;

/** A checksum in its stored form. */
export function maskCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

/** The checksum of a stored, masked one. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - MASK_DELTA) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}
