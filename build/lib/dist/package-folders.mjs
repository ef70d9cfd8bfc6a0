// Where electron-builder puts a target's program, and what is where in it.
import { join } from "node:path";

const FOLDERS = {
  "linux-x64": "linux-unpacked",
  "linux-arm64": "linux-arm64-unpacked",
  "darwin-x64": "mac",
  "darwin-arm64": "mac-arm64",
  "win32-x64": "win-unpacked",
  "win32-arm64": "win-arm64-unpacked",
};

/**
 * @param {string} output build/dist, or build/dist/dry
 * @param {import("./targets.mjs").Target} target
 */
export function packageFolders(output, { platform, name }) {
  const top = join(output, FOLDERS[name]);
  const folder = platform === "darwin" ? join(top, "Tensordeck.app") : top;
  const resources = platform === "darwin" ? join(folder, "Contents", "Resources") : join(folder, "resources");
  const program = { linux: "tensordeck", darwin: "Contents/MacOS/Tensordeck", win32: "Tensordeck.exe" }[
    platform
  ];
  return {
    /** The program's folder; on macOS that of the application. */
    folder,
    program: join(folder, program),
    resources,
    archive: join(resources, "app.asar"),
    /** The files that a plain Node runs. */
    outside: join(resources, "app.asar.unpacked"),
    node: join(resources, "node", platform === "win32" ? "node.exe" : "bin/node"),
  };
}
