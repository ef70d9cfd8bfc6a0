/** Carries bytes between two sockets, in each direction independently. */
import type { Socket } from "node:net";

/** How long a connection between machines may be silent before keep-alive probes are sent. */
export const KEEP_ALIVE_MILLIS = 10_000;

/**
 * Copies data from one socket to the other, with back-pressure. An end on one side ends that direction only. Does not
 * handle errors: the owner of the pair has to close both.
 */
export function pump(from: Socket, to: Socket): void {
  from.on("data", (bytes: Buffer) => {
    if (!to.write(bytes)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
  from.resume();
}

/**
 * Prepares a socket for a relay: small messages are sent at once, and the end of one direction does not end the other.
 */
export function prepareForRelay(socket: Socket): void {
  socket.setNoDelay(true);
  socket.allowHalfOpen = true;
}

/** Joins two connections: carries both directions, and ends both together. */
export function join(one: Socket, other: Socket): void {
  prepareForRelay(one);
  prepareForRelay(other);
  bindLives(one, other);
  pump(one, other);
  pump(other, one);
}

/**
 * Ties two sockets together: when one is closed, by an error or because both directions ended, so is the other. After
 * an orderly end, data that was already written to the other one is still sent.
 */
export function bindLives(one: Socket, other: Socket): void {
  follow(one, other);
  follow(other, one);
}

function follow(leader: Socket, follower: Socket): void {
  // Every error of a socket is followed by "close", which is handled.
  leader.on("error", () => undefined);
  leader.once("close", (hadError) => {
    if (hadError || !leader.readableEnded) reset(follower);
    else follower.destroySoon();
  });
}

/** Ends a connection so that the other end does not see an orderly end, if the kind of socket allows it. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // Only a plain TCP socket can send a reset. A local program then sees an error instead of a normal end.
  if (!("encrypted" in socket) && socket.remoteAddress !== undefined) socket.resetAndDestroy();
  else socket.destroy();
}
