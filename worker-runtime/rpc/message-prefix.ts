/** The five bytes that gRPC puts before each message: whether it is compressed, and its length, big endian. */
export const PREFIX_BYTES = 5;

const LENGTH_OFFSET = 1;

/** The prefix of an uncompressed message of the given number of bytes. */
export function messagePrefix(byteLength: number): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(byteLength, LENGTH_OFFSET);
  return prefix;
}

/** The length that a prefix states. @param bytes begins with a whole prefix */
export function statedLength(bytes: Buffer): number {
  return bytes.readUInt32BE(LENGTH_OFFSET);
}

/** Whether a message is compressed. @param bytes begins with its prefix; of no bytes it is false */
export function isCompressedMessage(bytes: Uint8Array): boolean {
  return bytes[0] === 1;
}
