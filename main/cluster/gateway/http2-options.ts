/**
 * Bytes that a side may send before it must wait for the other. With HTTP/2's default of 64 KiB a tensor of many
 * megabytes would stall for a round trip per window.
 */
export const WINDOW_BYTES = 16 * 1024 * 1024;

/** For both sides of the gateway. */
export const http2Options = {
  settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
  // By default Node refuses calls while 10 MB wait to be sent, which is one tensor.
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};
