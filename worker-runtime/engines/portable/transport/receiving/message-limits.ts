import { resourceExhausted, StatusCode, TensorFlowError } from "../../../../protocol/status.js";

/** The limit of TensorFlow's gRPC, INT32_MAX: the limit of a message unless --max_message_mb sets another. */
export const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

/**
 * Every length that a peer states is checked against the limit before it is used.
 * @throws TensorFlowError RESOURCE_EXHAUSTED, with gRPC's text.
 */
export function checkMessageSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) {
    throw resourceExhausted(`Received message larger than max (${bytes} vs ${maxBytes})`);
  }
}

/** Whether a message was refused for its size or lack of memory: only its call fails. */
export function isRefusedMessage(error: unknown): error is TensorFlowError {
  return error instanceof TensorFlowError && error.code === StatusCode.RESOURCE_EXHAUSTED;
}
