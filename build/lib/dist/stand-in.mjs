// A folder with the files of an Electron that electron-builder renames, edits and sets fuses in, but no program in them:
// it makes any target's package on any system, without a download, to look at. It cannot be started.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageDir, root } from "../project.mjs";

/** The mark by which @electron/fuses finds the fuses in a program; then follow version, number and states. */
const FUSE_SENTINEL = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const FUSE_VERSION = 1;
const FUSES = 8;
/** "Take Electron's default". */
const INHERIT = 0x90;

const fuseWire = Buffer.concat([
  Buffer.from(FUSE_SENTINEL, "latin1"),
  Buffer.from([FUSE_VERSION, FUSES, ...new Array(FUSES).fill(INHERIT)]),
]);

const HELPERS = ["", " (GPU)", " (Plugin)", " (Renderer)"];

/**
 * Writes the stand-in for a target.
 *
 * @param {import("./targets.mjs").Target} target
 * @returns {string} its folder
 */
export function writeStandIn(target) {
  const folder = join(root, "build", "dist", "stand-in", target.name);
  rmSync(folder, { recursive: true, force: true });
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: 0o755 });
  };
  write("LICENSE", "The licence of Electron stands here.\n");
  write("LICENSES.chromium.html", "<p>The licences of Chromium stand here.</p>\n");
  if (target.platform === "win32") write("electron.exe", windowsProgram());
  else if (target.platform === "linux") write("electron", fuseWire);
  else writeMacApp(write);
  return folder;
}

function writeMacApp(write) {
  const app = "Electron.app/Contents";
  write(`${app}/MacOS/Electron`, "");
  write(`${app}/Info.plist`, propertyList("Electron"));
  write(`${app}/Resources/electron.icns`, "");
  write(`${app}/Frameworks/Electron Framework.framework/Electron Framework`, fuseWire);
  for (const suffix of HELPERS) {
    const name = `Electron Helper${suffix}`;
    write(`${app}/Frameworks/${name}.app/Contents/MacOS/${name}`, "");
    write(`${app}/Frameworks/${name}.app/Contents/Info.plist`, propertyList(name));
  }
}

function propertyList(name) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>${name}</string></dict></plist>
`;
}

/** An empty program with the one resource that electron-builder wants to edit. */
function windowsProgram() {
  const require = createRequire(join(packageDir("app-builder-lib"), "package.json"));
  const { NtExecutable, NtExecutableResource, Resource } = require("resedit");
  const program = NtExecutable.createEmpty(false, false);
  const resources = NtExecutableResource.from(program);
  const version = Resource.VersionInfo.createEmpty();
  version.lang = 1033;
  version.setStringValues({ lang: 1033, codepage: 1200 }, { ProductName: "Electron" });
  version.outputToResourceEntries(resources.entries);
  resources.outputResource(program);
  program.setExtraData(new Uint8Array(fuseWire).buffer);
  return Buffer.from(program.generate());
}
