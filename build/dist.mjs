// `npm run dist`: builds Tensordeck, fetches the parts of the targets, and packages all with electron-builder.
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { environmentConfiguration } from "./lib/dist/environment.mjs";
import { fetchParts } from "./lib/dist/fetched-parts.mjs";
import { writeOutside } from "./lib/dist/outside.mjs";
import { writeSbom } from "./lib/dist/sbom.mjs";
import { writeStandIn } from "./lib/dist/stand-in.mjs";
import { chosenTargets, targetOf, targetOptions } from "./lib/dist/targets.mjs";
import { BuildError, main, packageDir, root } from "./lib/project.mjs";
import { buildAll } from "./lib/steps.mjs";

const USAGE = `Usage: npm run dist -- [options] [target…]

Makes the desktop packages in build/dist, for this system and processor unless others are chosen, by options or by
name (linux-arm64).

  --linux --mac --win   systems
  --x64 --arm64         processors
  --all                 all six
  --dir                 the program's folder alone, without an installer
  --dry                 the program's folder around an empty stand-in for Electron, in build/dist/dry; any system can
                        make it for all. It cannot be started.
  --around FOLDER       the packages around what this folder has in place of Electron, in build/dist/dry
  --help                this text

Signing, notarisation and updates are set by the environment; build/README.md lists the variables.`;

/** @param {readonly import("./lib/dist/targets.mjs").Target[]} targets */
async function packageTargets(targets, { dry, dir, around }) {
  if (packageDir("electron-builder") === undefined) {
    throw new BuildError("electron-builder is not installed.", "Run: npm ci");
  }
  const { Arch, build, Platform } = await import("electron-builder");
  const chosen = new Map();
  for (const { platform, architecture } of targets) {
    const key = Platform.fromString(platform);
    const architectures = chosen.get(key) ?? new Map();
    architectures.set(Arch[architecture], dir || dry ? ["dir"] : []);
    chosen.set(key, architectures);
  }
  const electronDist = around
    ? resolve(around)
    : ({ platformName, arch }) => writeStandIn(targetOf(platformName, arch));
  const output = join("build", "dist", "dry");
  const base = environmentConfiguration();
  const isTrial = dry || around !== undefined;
  if (isTrial) rmSync(join(root, output), { recursive: true, force: true });
  // Several minutes less than xz takes.
  const quick = { deb: { compression: "gz" }, rpm: { compression: "gzip" } };
  await build({
    projectDir: root,
    targets: chosen,
    publish: "never",
    config: isTrial ? { ...base, ...quick, electronDist, directories: { output } } : base,
  });
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...targetOptions,
      dir: { type: "boolean" },
      dry: { type: "boolean" },
      around: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const targets = chosenTargets(values, positionals);
  await buildAll();
  for (const target of targets) await fetchParts(target);
  writeOutside();
  console.log(`Bill of materials: ${writeSbom()}`);
  try {
    await packageTargets(targets, values);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError(
      `electron-builder failed: ${error?.message ?? error}`,
      "It downloads Electron and its packaging tools on first use; its own messages are above.",
    );
  }
});
