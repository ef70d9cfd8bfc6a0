// `node make-installer.mjs FOLDER ELECTRON VERSION`: has electron-builder make the installer for Windows in a folder, as
// electron-builder.yml says but for what it installs: a program of a few kilobytes, which lies in a folder in place of Electron.
// A program of its own, because electron-builder takes the tools that it runs from the environment.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, Platform } from "electron-builder";
import { root } from "../../../../build/lib/project.mjs";

const [, , folder = "", electronDist = "", version = ""] = process.argv;
const require = createRequire(join(root, "package.json"));
const { getConfig } = require("app-builder-lib/out/util/config/config.js");
const { Lazy } = require("lazy-val");
const metadata = require("./package.json");
const { electronFuses, files, extraResources, asarUnpack, linux, mac, ...configuration } = await getConfig(
  root,
  null,
  null,
  new Lazy(async () => metadata),
);

const project = join(folder, "project");
mkdirSync(project, { recursive: true });
const { name, description, author, license } = metadata;
writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ name, version, description, author, license, main: "main.js" }),
);
writeFileSync(join(project, "main.js"), "// Nothing of it runs.\n");
const absolute = (path) => join(root, path);
await build({
  projectDir: project,
  targets: Platform.WINDOWS.createTarget(["nsis"]),
  publish: "never",
  config: {
    ...configuration,
    directories: {
      buildResources: absolute(configuration.directories.buildResources),
      output: join(folder, "made"),
    },
    electronDist,
    electronVersion: "0.0.0",
    win: { ...configuration.win, extraResources: [], icon: absolute("build/icons/icon.ico") },
    nsis: {
      ...configuration.nsis,
      include: absolute(configuration.nsis.include),
      // Debian's NSIS warns of texts that its Korean translation lacks.
      warningsAsErrors: false,
    },
  },
});
