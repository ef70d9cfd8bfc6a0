import { resourceExhausted, StatusCode, TensorFlowError } from "../../../../protocol/status.js";

/** What gRPC of TensorFlow takes, INT32_MAX: the limit of a message unless --max_message_mb gives another. */
export const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

/**
 * Every length that a peer states is held against the limit before anything else is done with it.
 * @throws TensorFlowError RESOURCE_EXHAUSTED, with gRPC's text.
 */
export function checkMessageSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) {
    throw resourceExhausted(`Received message larger than max (${bytes} vs ${maxBytes})`);
  }
}

/** Whether a message was refused for its size or for want of memory: its call fails alone, and others go on. */
export function isRefusedMessage(error: unknown): error is TensorFlowError {
  return error instanceof TensorFlowError && error.code === StatusCode.RESOURCE_EXHAUSTED;
}
