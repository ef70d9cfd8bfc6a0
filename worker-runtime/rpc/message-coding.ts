import { bufferOfChunks } from "./chunked-buffer.js";
import type { MessageType } from "./message-type.js";
import { type MessageChunks, ScatterWriter } from "./scatter-writer.js";

/** A message as the buffer that grpc-js takes; a large bytes field is copied once on its way out, by the framing. */
export function encodeMessage<T>(type: MessageType<T>, message: T): Buffer {
  return bufferOfChunks(encodeChunks(type, message));
}

/** A message in pieces, in order; a large bytes field is a piece of its own and not copied. */
export function encodeChunks<T>(type: MessageType<T>, message: T): MessageChunks {
  const writer = new ScatterWriter();
  type.encode(message, writer);
  return writer.finishChunks();
}

/** A received message; its bytes fields are views on the buffer. */
export function decodeMessage<T>(type: MessageType<T>, bytes: Uint8Array): T {
  return type.decode(bytes);
}
