/**
 * Bytes that a client may send before it must wait for us, for each call and for all calls of a connection. HTTP/2's own
 * 64 KiB make a feed of many megabytes stop at every window for a round trip: at 5 ms, 13 MB/s.
 */
export const WINDOW_BYTES = 16 * 1024 * 1024;

/** The options with which a grpc-js server creates its HTTP/2 servers. */
interface ServerInternals {
  commonServerOptions: { settings?: Record<string, number> };
}

/**
 * Widens the windows of a server's calls: grpc-js has an option for this on channels, `grpc-node.flow_control_window`,
 * and none on servers. Those of connections are set on each session. To be called before the first connection.
 */
export function widenCallWindows(server: object): void {
  if (hasOptions(server)) {
    const options = server.commonServerOptions;
    options.settings = { ...options.settings, initialWindowSize: WINDOW_BYTES };
  }
}

function hasOptions(server: object): server is ServerInternals {
  return (
    "commonServerOptions" in server &&
    typeof server.commonServerOptions === "object" &&
    server.commonServerOptions !== null
  );
}
