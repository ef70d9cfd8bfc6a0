import { dataLoss } from "../../protocol/status.js";
import { ByteCursor, fixed32Bytes, varintBytes } from "./byte-cursor.js";
import { crc32c, maskCrc, unmaskCrc } from "./crc32c.js";

/** The bytes of a string tensor and the checksum of its entry (which is not that of the bytes). */
export interface StringContent {
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

/** The checksum over the lengths, each as 32 bits. */
function lengthsChecksum(lengths: readonly number[]): number {
  return crc32c(new Uint8Array(Uint32Array.from(lengths).buffer));
}

/** Lengths as varints, their masked checksum, then the strings' bytes. */
export function stringContent(strings: readonly Uint8Array[]): StringContent {
  const lengths = strings.map(({ length }) => length);
  const lengthsCrc = lengthsChecksum(lengths);
  const stored = fixed32Bytes(maskCrc(lengthsCrc));
  let checksum = crc32c(stored, lengthsCrc);
  for (const text of strings) {
    checksum = crc32c(text, checksum);
  }
  const header = Uint8Array.from(lengths.flatMap(varintBytes));
  return { bytes: Buffer.concat([header, stored, ...strings]), checksum };
}

/**
 * The strings of such content, and the expected checksum of their entry.
 * @param what the tensor's name for errors.
 * @throws TensorFlowError DATA_LOSS
 */
export function parseStrings(
  bytes: Uint8Array,
  count: number,
  what: string,
): { readonly strings: Uint8Array[]; readonly checksum: number } {
  if (bytes.length === 0 && count === 0) {
    return { strings: [], checksum: 0 };
  }
  if (count > bytes.length) {
    throw dataLoss(`${what} is damaged: ${count} strings do not fit into ${bytes.length} bytes.`);
  }
  const cursor = new ByteCursor(bytes, what);
  const lengths = Array.from({ length: count }, () => cursor.varint());
  const lengthsCrc = lengthsChecksum(lengths);
  const stored = cursor.fixed32();
  if (unmaskCrc(stored) !== lengthsCrc) {
    throw dataLoss(
      `The length checksum does not match: expected ${unmaskCrc(stored)} but actual is ${lengthsCrc}`,
    );
  }
  let checksum = crc32c(fixed32Bytes(stored), lengthsCrc);
  const strings = lengths.map((length) => {
    const text = cursor.take(length);
    checksum = crc32c(text, checksum);
    return Uint8Array.from(text);
  });
  return { strings, checksum };
}
