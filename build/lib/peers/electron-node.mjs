// The Node on which the tests run what is Electron's main process in the desktop program.
import { bringNode, findNode } from "../node-binary.mjs";
import { ELECTRON_NODE, releaseOf } from "../node-versions.mjs";
import { BuildError } from "../project.mjs";

const release = () => releaseOf(ELECTRON_NODE.node);

/** The path of its program; undefined if it has not been fetched. */
export const findElectronNode = () => findNode(release());

/** Why it is not here; undefined if it is. */
export function lackOfElectronNode() {
  return findElectronNode() === undefined
    ? { why: `Node.js ${release()} was not fetched from npm.`, command: "npm test" }
    : undefined;
}

/** Fetches it, once: some 50 MB. Returns what is missing, or undefined. */
export async function bringElectronNode() {
  try {
    await bringNode(release());
    return undefined;
  } catch (error) {
    if (error instanceof BuildError) return { why: error.message, command: "npm test" };
    throw error;
  }
}
