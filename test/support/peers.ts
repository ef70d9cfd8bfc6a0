/**
 * The peers of tests. If a peer is missing its tests are skipped, visibly and counted; with CI=true they run, and
 * fail with a sentence that says how to get what is missing. A file that uses a peer names it, in a call of
 * `peerMissing` with the names as they are: `npm test` reads from its text what a run needs.
 *
 *     describe.skipIf(peerMissing("tensorflow"))("against TensorFlow", () => {
 *       test("…", async () => {
 *         const server = await spawnPeer(tensorflowPython(), ["-c", script], { ready: /target (\S+)/ });
 *
 * Call `tensorflowPython()` and the like inside tests and hooks, not while a file is collected: a skipped block's
 * body is collected, too. Whatever `spawnPeer` started is ended after the file's last test.
 */
import { afterAll } from "vitest";
import { expectDeclarations } from "./find-peers.js";
import { stopAllPeers } from "./processes.js";

export {
  hasPeer,
  libraryEnvironment,
  libtensorflowDir,
  ownTensorflowPython,
  type PeerName,
  peerMissing,
  repositoryRoot,
  requirePeer,
  requireSharedDir,
  tensorflowPython,
  underCi,
  vulkanEnvironment,
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

expectDeclarations();
afterAll(stopAllPeers);
