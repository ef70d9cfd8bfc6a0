/**
 * Options of the sockets between tasks, at both ends. The system asks peers of idle connections whether they are still
 * there; what is awaited of a peer is for the watch in silence-watch.ts.
 */
export const peerSocketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
