// The versions of Node.js that Tensordeck supports, each pinned to one release, by major version.
import { BuildError } from "./project.mjs";

/** Their releases in npm's packages of Node. package.json's `engines` names the oldest minor version that is supported. */
export const NODE_VERSIONS = { 20: "20.20.2", 22: "22.23.5", 24: "24.22.3", 26: "26.12.1" };

/** The oldest supported one: Raspberry Pi OS has it. */
export const OLDEST_NODE = "20";
/** The newest with long-term support. */
export const NEWEST_LTS = "26";

/**
 * The major version of the Node that Electron has. Its release notes name it: 44.0 has 24.18.1, 44.4.2 has 24.21.0, and within a
 * major version of Electron the Node's does not change. The tests take the newest release of it in Electron's place.
 */
export const ELECTRON_NODE = { electron: "45", node: "24" };

/**
 * The release that is used for a major version.
 *
 * @param {string} major "24"
 * @throws BuildError if it is not supported
 */
export function releaseOf(major) {
  const release = NODE_VERSIONS[major];
  if (release !== undefined) return release;
  throw new BuildError(
    `${major} is no supported major version of Node.js.`,
    `Use one of ${Object.keys(NODE_VERSIONS).join(", ")}.`,
  );
}
