import type { MessageChunks } from "./scatter-writer.js";

/**
 * From this size on, a message is handed to grpc-js in chunks. A copy of 64 MiB into fresh memory costs 25 to 50 ms, most
 * of it for the pages, while the server could already be reading.
 */
const MIN_CHUNKED_BYTES = 256 * 1024;

/**
 * A message in pieces as the buffer that grpc-js takes. grpc-js copies it behind the five bytes that frame it, so a large
 * message is not put together before: it is a Buffer whose `length` (a server asks for `byteLength`) and `copy`, all that
 * the framing uses, speak for the chunks.
 * It must not be used with compression, which would look at the bytes; our channels set none.
 */
export function bufferOfChunks({ chunks, byteLength }: MessageChunks): Buffer {
  return byteLength < MIN_CHUNKED_BYTES
    ? Buffer.concat(chunks, byteLength)
    : chunkedBuffer(chunks, byteLength);
}

function chunkedBuffer(chunks: readonly Uint8Array[], byteLength: number): Buffer {
  const copy = (target: Uint8Array, targetStart = 0): number => {
    let position = targetStart;
    for (const chunk of chunks) {
      target.set(chunk, position);
      position += chunk.byteLength;
    }
    return byteLength;
  };
  const size = { value: byteLength };
  return Object.defineProperties(Buffer.alloc(0), { length: size, byteLength: size, copy: { value: copy } });
}
