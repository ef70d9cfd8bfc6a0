/**
 * Strings in the form of tensor_content: the lengths of all strings as varints, then their bytes (TensorFlow's
 * EncodeStringList). Both directions are generators that pause after every few thousand strings, so as not to block
 * the thread.
 */
import { invalidArgument } from "./status.js";

/** A few milliseconds' work. */
const STRINGS_PER_PAUSE = 8192;
const BYTES_PER_PAUSE = 4 * 2 ** 20;

/**
 * The strings of a tensor's content, each a view of it.
 * @throws TensorFlowError INVALID_ARGUMENT for content that does not hold exactly that many.
 */
export function* stringsFromContent(
  content: Uint8Array,
  count: number,
): Generator<void, readonly Uint8Array[]> {
  // Each length takes at least one byte, so a false count cannot cause a larger allocation than was sent.
  if (count > content.byteLength) {
    throw broken(count);
  }
  const lengths = new Float64Array(count);
  let position = 0;
  for (let i = 0; i < count; i += 1) {
    let length = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = content[position];
      if (byte === undefined || shift > 2 ** 35) {
        throw broken(count);
      }
      position += 1;
      length += (byte & 0x7f) * shift;
      if (byte < 0x80) {
        break;
      }
    }
    lengths[i] = length;
    if (i % STRINGS_PER_PAUSE === STRINGS_PER_PAUSE - 1) {
      yield;
    }
  }
  const strings: Uint8Array[] = [];
  for (const length of lengths) {
    strings.push(content.subarray(position, position + length));
    position += length;
    if (strings.length % STRINGS_PER_PAUSE === 0) {
      yield;
    }
  }
  if (position !== content.byteLength) {
    throw broken(count);
  }
  return strings;
}

function broken(count: number): Error {
  return invalidArgument(
    `The tensor_content of a string tensor of ${count} elements does not hold that many strings.`,
  );
}

/** The content of a tensor of these strings. @throws RangeError if there is not enough memory. */
export function* contentOfStrings(strings: readonly Uint8Array[]): Generator<void, Uint8Array> {
  let size = 0;
  for (const [i, { byteLength }] of strings.entries()) {
    size += varintBytes(byteLength) + byteLength;
    if (i % STRINGS_PER_PAUSE === STRINGS_PER_PAUSE - 1) {
      yield;
    }
  }
  const content = new Uint8Array(size);
  let position = 0;
  for (const [i, { byteLength }] of strings.entries()) {
    let rest = byteLength;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
      content[position] = (rest % 128) | 0x80;
      position += 1;
    }
    content[position] = rest;
    position += 1;
    if (i % STRINGS_PER_PAUSE === STRINGS_PER_PAUSE - 1) {
      yield;
    }
  }
  let sinceBytes = 0;
  for (const [i, string] of strings.entries()) {
    content.set(string, position);
    position += string.byteLength;
    sinceBytes += string.byteLength;
    if (sinceBytes >= BYTES_PER_PAUSE || i % STRINGS_PER_PAUSE === STRINGS_PER_PAUSE - 1) {
      sinceBytes = 0;
      yield;
    }
  }
  return content;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) {
    bytes += 1;
  }
  return bytes;
}
