/** Carrying bytes between two sockets, each way by itself. */
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

/** Makes a socket fit for a relay: small messages go at once, and its other direction outlives an end. */
export function prepareForRelay(socket: Socket): void {
  socket.setNoDelay(true);
  socket.allowHalfOpen = true;
}

/** Makes one connection of two: carries both directions, and ends the one with the other. */
export function join(one: Socket, other: Socket): void {
  prepareForRelay(one);
  prepareForRelay(other);
  bindLives(one, other);
  pump(one, other);
  pump(other, one);
}

/**
 * Binds the lives of two sockets: when one is gone, whether by an error or because both directions ended, so is the
 * other. What was written to the other one before is still sent where the end was orderly.
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

/** Ends a connection so that the other end does not take it for an orderly end, where the kind of socket allows it. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // Only a plain TCP socket can send a reset. A program on this machine sees it at once instead of a quiet end.
  if (!("encrypted" in socket) && socket.remoteAddress !== undefined) socket.resetAndDestroy();
  else socket.destroy();
}
