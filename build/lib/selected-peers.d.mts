/** What the tests take of selected-peers.mjs. */
import type { PeerName } from "./peers/peers.mjs";

export function peersNamedIn(text: string): PeerName[];
