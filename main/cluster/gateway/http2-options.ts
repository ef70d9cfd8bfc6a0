/**
 * Bytes that a side may send before it must wait for the other. With HTTP/2's own 64 KiB a tensor of many megabytes would
 * stop at every window for a round trip.
 */
export const WINDOW_BYTES = 16 * 1024 * 1024;

/** For the gateway's both sides. */
export const http2Options = {
  settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
  // By default Node refuses calls while 10 MB wait to be sent, which is one tensor.
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};
