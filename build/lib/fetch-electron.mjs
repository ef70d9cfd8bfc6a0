// Downloads Electron's binary into the folder of its npm package, given as the argument. A process of its own, so its
// parent can end it at any time.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = process.argv[2];
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
let shown = -1;

function show({ transferred, total }) {
  if (!total) return;
  const percent = Math.floor((transferred / total) * 100);
  // In a terminal the line is rewritten; a log gets a line for every tenth.
  const step = process.stdout.isTTY ? percent : Math.floor(percent / 10) * 10;
  if (step === shown) return;
  shown = step;
  const megabytes = `${Math.round(transferred / 1e6)} of ${Math.round(total / 1e6)} MB`;
  process.stdout.write(
    process.stdout.isTTY ? `\r  ${percent} % (${megabytes}) ` : `  ${step} % (${megabytes})\n`,
  );
}

// Electron's install script shows nothing for the first half minute, so the archive is put into its cache beforehand.
// If that is not possible, the script downloads it itself.
try {
  const { downloadArtifact } = await import("@electron/get");
  await downloadArtifact({
    version,
    artifactName: "electron",
    platform: process.platform,
    arch: process.arch,
    cacheRoot: process.env.electron_config_cache,
    checksums: createRequire(join(folder, "package.json"))("./checksums.json"),
    downloadOptions: { quiet: true, getProgressCallback: async (progress) => show(progress) },
  });
  if (process.stdout.isTTY && shown >= 0) process.stdout.write("\n");
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") {
    const cause = error?.cause?.code ?? error?.cause?.message;
    console.error(`${error?.message ?? error}${cause ? ` (${cause})` : ""}`);
    process.exit(1);
  }
}
const result = spawnSync(process.execPath, [join(folder, "install.js")], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(result.status ?? 1);
