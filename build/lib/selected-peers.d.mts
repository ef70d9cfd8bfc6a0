/** The part of selected-peers.mjs that tests use. */
import type { PeerName } from "./peers/peers.mjs";

export function peersNamedIn(text: string): PeerName[];
