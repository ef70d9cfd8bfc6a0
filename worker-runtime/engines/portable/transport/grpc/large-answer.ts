import type { Writable } from "node:stream";
import { messagePrefix } from "../../../../rpc/message-prefix.js";
import type { MessageChunks } from "../../../../rpc/scatter-writer.js";
import { openAnswer } from "./internals/call-stream.js";

/** Bytes that are passed to the connection at a time. */
const PIECE_BYTES = 256 * 1024;

/**
 * Answers a unary call with a large message, piece by piece as fast as the caller takes them. grpc-js would copy all of
 * it behind its prefix before the first byte goes out, which blocks everything else for a tenth of a second for 64 MB;
 * here a large field is not copied at all.
 * @returns whether the call was answered; false if nothing was sent and grpc-js has to answer: see `openAnswer`.
 */
export async function sendLargeAnswer(call: object, { chunks, byteLength }: MessageChunks): Promise<boolean> {
  const answer = openAnswer(call, byteLength);
  if (answer === undefined) {
    return false;
  }
  for (const chunk of [messagePrefix(byteLength), ...chunks]) {
    for (let start = 0; start < chunk.byteLength; start += PIECE_BYTES) {
      await write(answer.stream, chunk.subarray(start, start + PIECE_BYTES));
    }
  }
  answer.end();
  return true;
}

/** Resolves when the stream can take more or has ended; in the latter case nobody awaits the answer. */
function write(stream: Writable, bytes: Uint8Array): Promise<void> | undefined {
  if (stream.destroyed || stream.write(bytes)) {
    return undefined;
  }
  return new Promise((resolve) => {
    const goOn = (): void => {
      stream.off("drain", goOn).off("close", goOn);
      resolve();
    };
    stream.on("drain", goOn).on("close", goOn);
  });
}
