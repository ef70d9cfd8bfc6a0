/**
 * Options of the sockets between tasks, at both ends. The system probes peers of idle connections; for peers from which
 * something is awaited there is silence-watch.ts.
 */
export const peerSocketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
