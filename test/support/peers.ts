/**
 * The peers of tests. Where a peer is missing its tests are skipped, visibly and counted; with CI=true they run, and
 * fail with a sentence that says how to get what is missing.
 *
 *     describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
 *       test("…", async () => {
 *         const server = await spawnPeer(tensorflowPython(), ["-c", script], { ready: /target (\S+)/ });
 *
 * Call `tensorflowPython()` and the like inside tests and hooks, not while a file is collected: a skipped block's
 * body is collected, too. Whatever `spawnPeer` started is ended after the file's last test.
 */
import { afterAll } from "vitest";
import { hasPeer, type PeerName, underCi } from "./find-peers.js";
import { stopAllPeers } from "./processes.js";

export {
  canMakeNamespaces,
  findTensorflowPython,
  hasPeer,
  libtensorflowDir,
  type PeerName,
  repositoryRoot,
  requireSharedDir,
  sharedDir,
  tensorflowPython,
  underCi,
} from "./find-peers.js";
export {
  environmentWithoutProxies,
  freePort,
  type PeerExit,
  type PeerProcess,
  type SpawnPeerOptions,
  spawnPeer,
  stopAllPeers,
} from "./processes.js";

/** For `test.skipIf` and `describe.skipIf`: true where a peer is missing and the tests may be skipped for it. */
export function peerMissing(...peers: readonly PeerName[]): boolean {
  return !underCi && peers.some((peer) => !hasPeer(peer));
}

afterAll(stopAllPeers);
