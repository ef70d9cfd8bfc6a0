/** The compression of GIF: LZW with codes of up to 12 bits. */

const MAX_BITS = 12;
const MAX_CODES = 2 ** MAX_BITS;

/** An upper bound: no code stands for more color indices, and every code has at least one bit. */
export const MOST_PER_BYTE = 8 * MAX_CODES;

/**
 * Unpacks as many color indices as `output` has room for.
 * @param colorBits the bits of a color index.
 * @returns false if there were fewer, or a code is undefined.
 */
export function unpackCodes(packed: Uint8Array, colorBits: number, output: Uint8Array): boolean {
  const clear = 1 << colorBits;
  const end = clear + 1;
  /** The code of all indices but the last one, and the last one, for each code after the two special ones. */
  const prefixes = new Uint16Array(MAX_CODES);
  const suffixes = new Uint8Array(MAX_CODES);
  const lengths = new Uint16Array(MAX_CODES).fill(1, 0, clear);
  let next = end + 1;
  let bits = colorBits + 1;
  let before: number | undefined;
  let buffer = 0;
  let buffered = 0;
  let read = 0;
  let written = 0;
  while (written < output.length) {
    while (buffered < bits) {
      if (read === packed.length) {
        return false;
      }
      buffer |= (packed[read] ?? 0) << buffered;
      buffered += 8;
      read += 1;
    }
    const code = buffer & ((1 << bits) - 1);
    buffer >>>= bits;
    buffered -= bits;
    if (code === clear) {
      next = end + 1;
      bits = colorBits + 1;
      before = undefined;
      continue;
    }
    if (code === end || code > next || (code === next && before === undefined)) {
      return false;
    }
    // A code not yet defined stands for the indices of the previous code followed by its first index.
    const isNew = code === next;
    const known = isNew ? (before ?? 0) : code;
    const length = lengths[known] ?? 0;
    let walked = known;
    let first = 0;
    for (let at = written + length - 1; at >= written; at -= 1) {
      first = walked < clear ? walked : (suffixes[walked] ?? 0);
      // Typed arrays ignore writes beyond their end.
      output[at] = first;
      walked = prefixes[walked] ?? 0;
    }
    written += length;
    if (isNew) {
      output[written] = first;
      written += 1;
    }
    if (before !== undefined && next < MAX_CODES) {
      prefixes[next] = before;
      suffixes[next] = first;
      lengths[next] = (lengths[before] ?? 0) + 1;
      next += 1;
    }
    if (next === 1 << bits && bits < MAX_BITS) {
      bits += 1;
    }
    before = code;
  }
  return true;
}
