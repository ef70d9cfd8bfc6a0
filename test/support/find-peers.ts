/**
 * Peers that some tests need and a machine may lack: a Python with TensorFlow, the reference folder beside the repository, a
 * browser, network namespaces, firewalls. build/lib/peers/peers.mjs lists them and how to find them. Nothing here
 * depends on vitest, so benchmarks can also use it.
 */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  findElectronNode,
  findTensorflow,
  lackOf,
  lackSentence,
  lookForChromium,
  lookForFirefox,
  lookForVulkan,
  type PeerName,
  type PythonWithTensorflow,
  sharedDir,
} from "../../build/lib/peers/peers.mjs";

export { lackSentence, type PeerName } from "../../build/lib/peers/peers.mjs";

/** The repository's root folder. */
export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** In continuous integration a missing peer is a failure, never a skip. */
export const underCi = process.env.CI === "true";

/** Those that the test file names in `peerMissing`; undefined in benchmarks. */
let declared: Set<PeerName> | undefined;

/** Called by peers.ts in test files, which say what they use. */
export function expectDeclarations(): void {
  declared ??= new Set();
}

export function hasPeer(peer: PeerName): boolean {
  return lackOf(peer) === undefined;
}

/** For `test.skipIf` and `describe.skipIf`: true if a peer is missing and the tests may therefore be skipped. */
export function peerMissing(...peers: readonly PeerName[]): boolean {
  for (const peer of peers) declared?.add(peer);
  return !underCi && !peers.every(hasPeer);
}

/**
 * Must be called by any code that uses a peer. A test file that uses an undeclared peer always fails: else it would
 * fail instead of being skipped if the peer is missing, and `npm test` would not know to install it.
 *
 * @throws Error that explains how to get the peer, if it is missing.
 */
export function requirePeer(peer: PeerName): void {
  if (declared?.has(peer) === false) {
    throw new Error(
      `This test file uses a peer without declaring it: describe.skipIf(peerMissing("${peer}"))`,
    );
  }
  if (!hasPeer(peer)) throw new Error(lackSentence(peer));
}

let python: PythonWithTensorflow | undefined;

function requirePython(): PythonWithTensorflow {
  requirePeer("tensorflow");
  python ??= findTensorflow();
  if (python === undefined) throw new Error(lackSentence("tensorflow"));
  return python;
}

/**
 * A Python that can import TensorFlow; in tests one that has already done so, where there can be one
 * (preloaded-tensorflow/).
 *
 * @throws Error that explains how to get one, if there is none.
 */
export function tensorflowPython(): string {
  const { executable } = requirePython();
  return process.env.TENSORDECK_TEST_PRELOADED_TENSORFLOW ?? executable;
}

/**
 * The same as a program of its own: for tests that stop it, or look at its process or its environment's folder.
 *
 * @throws Error that explains how to get one, if there is none.
 */
export function ownTensorflowPython(): string {
  return requirePython().executable;
}

/** A folder with another library than the test Python's, for a TensorFlow whose wheel has none (compatibility/). */
const namedLibrary = process.env.TENSORDECK_TEST_LIBTENSORFLOW;

/**
 * Folder of the test Python's tensorflow package: contains libtensorflow_cc.so.2 and libtensorflow_framework.so.2.
 *
 * @throws Error when there is no Python with TensorFlow.
 */
export function libtensorflowDir(): string {
  const { packageDir } = requirePython();
  return namedLibrary ?? packageDir;
}

/** Environment of a child that does not require TensorFlow, but uses the test Python's library if there is one. */
export function libraryEnvironment(): Readonly<Record<string, string>> {
  python ??= findTensorflow();
  return python === undefined ? {} : { TENSORDECK_LIBTENSORFLOW: namedLibrary ?? python.packageDir };
}

/** The folder with reference material. @throws Error when it is not there. */
export function requireSharedDir(): string {
  requirePeer("shared");
  return sharedDir;
}

/**
 * How the tests start what is Electron's main process in the desktop program: on the Node that Electron has. Tasks run on
 * another there, in the tests on that of the tests.
 *
 * @throws Error that explains how to get it, if it is missing.
 */
export function electronNode(): { readonly program: string; readonly env: Readonly<Record<string, string>> } {
  requirePeer("electron-node");
  const program = findElectronNode();
  if (program === undefined) throw new Error(lackSentence("electron-node"));
  return { program, env: { TENSORDECK_NODE: process.execPath } };
}

/** Path of the browser's program. @throws Error that says how to get one. */
export function browserPath(): string {
  requirePeer("chromium");
  const found = lookForChromium();
  if (found.program === undefined) throw new Error(lackSentence("chromium", found));
  return found.program;
}

/** Path of Firefox's program. @throws Error that says how to get one. */
export function firefoxPath(): string {
  requirePeer("firefox");
  const found = lookForFirefox();
  if (found.program === undefined) throw new Error(lackSentence("firefox", found));
  return found.program;
}

/** Environment of a child whose GPU is the software Vulkan. @throws Error that says how to get it. */
export function vulkanEnvironment(): Readonly<Record<string, string>> {
  requirePeer("vulkan");
  const found = lookForVulkan();
  if (found.environment === undefined) throw new Error(lackSentence("vulkan", found));
  return found.environment;
}
