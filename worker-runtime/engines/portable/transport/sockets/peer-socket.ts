/**
 * Options of the sockets between tasks, at both ends. The system asks silent peers whether they are still there, so that
 * the calls of a machine that lost its power end. The peer's system answers for a process that is stopped, such as one in
 * a debugger, which pings of HTTP/2 would cut off.
 */
export const peerSocketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
