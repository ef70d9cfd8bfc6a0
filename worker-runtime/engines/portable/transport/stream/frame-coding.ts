import type { Writable } from "node:stream";
import { StreamFrame } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import { encodeChunks } from "../../../../rpc/message-coding.js";
import { messagePrefix } from "../../../../rpc/message-prefix.js";
import type { FrameWriter } from "./frame-sender.js";

/**
 * Writes frames as gRPC messages directly to the HTTP/2 stream. The bytes of a large payload are not copied: they are
 * sent from the tensor's memory.
 */
export function directWriter(stream: Writable): FrameWriter {
  return (frame, taken) => {
    const { chunks, byteLength } = encodeChunks(StreamFrame, frame);
    const [first = new Uint8Array(0), ...rest] = chunks;
    stream.cork();
    const head = Buffer.concat([messagePrefix(byteLength), first]);
    if (rest.length === 0) {
      stream.write(head, taken);
    } else {
      stream.write(head);
      for (const [index, chunk] of rest.entries()) {
        stream.write(chunk, index === rest.length - 1 ? taken : undefined);
      }
    }
    stream.uncork();
  };
}
