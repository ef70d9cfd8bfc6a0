import type { Socket } from "node:net";
import type { StreamFrame } from "../../../../../protos/generated/tensordeck/worker_stream.js";
import type { FrameWriter } from "../stream/frame-sender.js";
import { encodeHeartbeat, encodePartHead, type PartHead } from "./bulk-coding.js";

/** Writes the frames of large answers to a bulk connection. The bytes are sent directly from the tensor's memory. */
export function bulkWriter(socket: Socket): FrameWriter {
  return (frame, taken) => {
    const part = partOf(frame);
    if (part === undefined) {
      taken();
      return;
    }
    socket.cork();
    socket.write(encodePartHead(part.head));
    socket.write(part.data, taken);
    socket.uncork();
  };
}

/**
 * Shows the caller from time to time that a bulk connection is alive, the first time at once.
 * @returns a function that stops this.
 */
export function beatHeart(socket: Socket, periodMillis: number): () => void {
  const beat = (): void => {
    // Data in transit shows the same.
    if (socket.writableLength === 0) {
      socket.write(encodeHeartbeat());
    }
  };
  beat();
  const timer = setInterval(beat, periodMillis).unref();
  return () => clearInterval(timer);
}

/** Undefined for frames that are not part of an answer; they belong on the stream. */
function partOf({ callId, content }: StreamFrame): { head: PartHead; data: Uint8Array } | undefined {
  switch (content?.$case) {
    case "response": {
      const { payload } = content.value;
      return (
        payload && {
          head: {
            callId,
            size: payload.size,
            alignedOffset: payload.alignedOffset,
            partBytes: payload.data.byteLength,
          },
          data: payload.data,
        }
      );
    }
    case "part": {
      const data = content.value;
      return { head: { callId, size: 0, alignedOffset: 0, partBytes: data.byteLength }, data };
    }
    default:
      return undefined;
  }
}
