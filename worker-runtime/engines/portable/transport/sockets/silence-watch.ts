import { type TensorFlowError, unavailable } from "../../../../protocol/status.js";

/** When a silent peer is considered gone. */
export interface SilenceLimits {
  /** Time between two checks of a connection. */
  readonly lookMillis: number;
  /** Consecutive checks without a sign of life after which the peer is probed, at each check. */
  readonly looksUntilAsked: number;
  /** Consecutive checks without a sign of life after which it is gone. */
  readonly looksUntilGone: number;
}

/**
 * A peer of which something is awaited is probed after 20 seconds of silence, and considered gone after 90.
 */
export const SILENCE_LIMITS: SilenceLimits = { lookMillis: 10_000, looksUntilAsked: 2, looksUntilGone: 9 };

/** How long a peer may be silent at least before it is considered gone; at most one more check. */
export function silenceMillis({ lookMillis, looksUntilGone }: SilenceLimits): number {
  return lookMillis * looksUntilGone;
}

/** The error of calls whose peer is gone: UNAVAILABLE. */
export function silentPeerError(address: string, limits: SilenceLimits): TensorFlowError {
  return unavailable(
    `The connection to ${address} was given up: nothing came from there for ${silenceMillis(limits) / 1000} s, although ` +
      "it was probed. Its machine may be off, its process stopped, or the network broken; check them and run again.",
  );
}

/** A connection as seen by the watch. */
export interface WatchedPeer {
  /** Changes whenever something came from the peer, or it took something large. */
  signs(): number;
  /** Whether something is awaited from the peer; otherwise its silence is normal. */
  isAwaited(): boolean;
  /** Makes a live peer give a sign of life, however long the awaited answer takes. */
  ask?(): void;
  /** Called once for each silence: pending calls have to fail, and the connection has to be closed. */
  gone(): void;
}

/**
 * The rule for silent peers, the same for every kind of connection. A machine that loses power or network closes no
 * connection, and the system notices late (Linux after a quarter of an hour if data is in transit) or, with a proxy in
 * between or a stopped process, never.
 *
 * Checks are counted, not time: a process that was itself suspended checks once when it resumes, and reads what arrived
 * meanwhile before the next check.
 *
 * @returns a function that ends the watch.
 */
export function watchSilence(peer: WatchedPeer, limits: SilenceLimits): () => void {
  const { lookMillis, looksUntilAsked, looksUntilGone } = limits;
  let seen = peer.signs();
  let silentLooks = 0;
  const look = (): void => {
    const signs = peer.signs();
    const isSilent = signs === seen && peer.isAwaited();
    seen = signs;
    silentLooks = isSilent ? silentLooks + 1 : 0;
    if (silentLooks >= looksUntilGone) {
      silentLooks = 0;
      peer.gone();
    } else if (silentLooks >= looksUntilAsked) {
      peer.ask?.();
    }
  };
  const timer = setInterval(look, lookMillis).unref();
  return () => clearInterval(timer);
}
