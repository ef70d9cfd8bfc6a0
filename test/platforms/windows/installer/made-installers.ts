/**
 * Installers as electron-builder makes them, around a small program. Its tools are those of this machine and stand-ins; its own
 * are taken where ELECTRON_BUILDER_NSIS_DIR, ELECTRON_BUILDER_NSIS_RESOURCES_DIR and ELECTRON_BUILDER_7ZIP_PATH name them.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { programPath } from "../../../../build/lib/programs.mjs";
import { shellWord } from "../../installed-program.js";
import { compile, compile32 } from "../compile.js";
import { DLL_OVERRIDES, type WineMachine } from "../wine-machine.js";

const NSIS = "/usr/share/nsis";
const NSIS_PARTS = ["Bin", "Contrib", "Include", "Plugins", "Stubs"];
const PLUGINS = ["nsProcess", "StdUtils", "UAC", "WinShell", "nsis7z"];

/** Makes an installer of each version, and gives their paths on the machine by version. */
export function makeInstallers<Version extends string>(
  machine: WineMachine,
  versions: readonly Version[],
): Readonly<Record<Version, string>> {
  const work = mkdtempSync(join(tmpdir(), "tensordeck-installer-"));
  try {
    const env = {
      ...process.env,
      ...toolsIn(work),
      PATH: `${wineIn(work, machine)}${delimiter}${process.env.PATH}`,
    };
    const made = versions.map((version) => {
      const folder = join(work, version);
      writeElectron(join(folder, "electron"), version);
      const script = join(import.meta.dirname, "make-installer.mjs");
      execFileSync(process.execPath, [script, folder, join(folder, "electron"), version], {
        env,
        stdio: ["ignore", "ignore", "inherit"],
      });
      const path = `/trial/installer/setup-${version}.exe`;
      copyFileSync(join(folder, "made", `Tensordeck Setup ${version}.exe`), machine.file(path));
      return [version, machine.windowsPath(path)] as const;
    });
    return Object.fromEntries(made) as Record<Version, string>;
  } finally {
    rmSync(work, { recursive: true });
    rmSync(machine.file(work), { recursive: true, force: true });
  }
}

/** A program that says that it has started, in place of Electron's. */
function writeElectron(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["LICENSE", "LICENSES.chromium.html"]) {
    writeFileSync(join(folder, name), "Terms stand here.\n");
  }
  const resources = join(folder, "..", "resources.o");
  execFileSync(programPath("x86_64-w64-mingw32-windres"), [
    join(import.meta.dirname, "small-program.rc"),
    resources,
  ]);
  const flags = ["-municode", "-mwindows", `-DVERSION="${version}"`];
  compile("installer/small-program.c", join(folder, "electron.exe"), resources, ...flags);
}

function toolsIn(work: string): Readonly<Record<string, string>> {
  const given = process.env;
  const nsis = given.ELECTRON_BUILDER_NSIS_DIR ?? join(work, "nsis");
  if (given.ELECTRON_BUILDER_NSIS_DIR === undefined) {
    mkdirSync(join(nsis, "linux"), { recursive: true });
    symlinkSync(programPath("makensis"), join(nsis, "linux/makensis"));
    for (const part of NSIS_PARTS) symlinkSync(join(NSIS, part), join(nsis, part));
    // For installations of all accounts alone.
    writeFileSync(join(nsis, "elevate.exe"), "elevate.exe");
  }
  const resources = given.ELECTRON_BUILDER_NSIS_RESOURCES_DIR ?? join(work, "nsis-resources");
  if (given.ELECTRON_BUILDER_NSIS_RESOURCES_DIR === undefined) {
    const plugins = join(resources, "plugins/x86-unicode");
    mkdirSync(plugins, { recursive: true });
    const library = join(work, "plugins.dll");
    compile32("installer/stand-in-plugins.c", library, "-shared", "-lshlwapi");
    for (const name of PLUGINS) copyFileSync(library, join(plugins, `${name}.dll`));
    console.log(`Stand-ins are in the installer: ${PLUGINS.join(", ")}.`);
  }
  const packer = given.ELECTRON_BUILDER_7ZIP_PATH ?? join(import.meta.dirname, "stand-in-7za.mjs");
  return {
    ELECTRON_BUILDER_NSIS_DIR: nsis,
    ELECTRON_BUILDER_NSIS_RESOURCES_DIR: resources,
    ELECTRON_BUILDER_7ZIP_PATH: packer,
  };
}

/** A folder with a program `wine`, by which electron-builder runs an installer once to get the uninstaller from it. */
function wineIn(work: string, machine: WineMachine): string {
  const folder = join(work, "bin");
  mkdirSync(folder);
  const variables = {
    HOME: "/root",
    PATH: "/usr/bin:/bin",
    WINEPREFIX: "/root/wine",
    WINEDEBUG: "-all",
    WINEDLLOVERRIDES: DLL_OVERRIDES,
  };
  const assignments = Object.entries(variables).map(([name, value]) => shellWord(`${name}=${value}`));
  // The machine has the folder at the same path as this one.
  const inside =
    'root=$1 work=$2; shift 2; mount --make-rprivate / && mkdir -p "$root$work" && mount -t proc proc "$root/proc" && ' +
    'mount --rbind /dev "$root/dev" && mount --bind "$work" "$root$work" && exec chroot "$root" env -i "$@"';
  const words = ["unshare", "--mount", "sh", "-c", inside, "sh", machine.file("/"), work].map(shellWord);
  writeFileSync(
    join(folder, "wine"),
    `#!/bin/sh\nexec ${words.join(" ")} ${assignments.join(" ")} wine "$@" </dev/null >${shellWord(join(work, "wine.txt"))} 2>&1\n`,
    { mode: 0o755 },
  );
  return folder;
}
