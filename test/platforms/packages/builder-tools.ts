/**
 * The tools that electron-builder calls for Linux's packages and would download: fpm and those for AppImages. Its own are taken where
 * CUSTOM_FPM_PATH and APPIMAGE_TOOLS_PATH name them.
 */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programPath } from "../../../build/lib/programs.mjs";

export interface BuilderTools {
  readonly env: Readonly<Record<string, string>>;
  /** Those that stand in for electron-builder's. */
  readonly standIns: readonly string[];
}

/** @throws Error that names a program which has to be installed. */
export function builderTools(folder: string): BuilderTools {
  const { CUSTOM_FPM_PATH: fpm, APPIMAGE_TOOLS_PATH: appImage } = process.env;
  requirePrograms(fpm === undefined ? ["dpkg-deb", "rpmbuild"] : ["rpmbuild"], "rpm");
  if (appImage === undefined) requirePrograms(["mksquashfs"], "squashfs-tools");
  return {
    env: {
      CUSTOM_FPM_PATH: fpm ?? join(import.meta.dirname, "stand-in-fpm.mjs"),
      APPIMAGE_TOOLS_PATH: appImage ?? writeAppImageTools(join(folder, "appimage")),
    },
    standIns: [
      ...(fpm === undefined ? ["fpm"] : []),
      ...(appImage === undefined ? ["AppImage's runtime"] : []),
    ],
  };
}

function requirePrograms(names: readonly string[], debianPackage: string): void {
  for (const name of names) {
    try {
      programPath(name);
    } catch {
      throw new Error(`${name} is not installed. Run: apt-get install ${debianPackage}`);
    }
  }
}

/** The folder's layout is that of electron-builder's toolset. */
function writeAppImageTools(folder: string): string {
  mkdirSync(join(folder, "runtimes"), { recursive: true });
  mkdirSync(join(folder, "lib/x64"), { recursive: true });
  symlinkSync(programPath("mksquashfs"), join(folder, "mksquashfs"));
  symlinkSync(programPath("true"), join(folder, "desktop-file-validate"));
  const text = readFileSync(join(import.meta.dirname, "stand-in-runtime.sh"), "utf8");
  const runtime = join(folder, "runtimes/runtime-x64");
  // A length that its own digits do not change.
  const length = Math.ceil((text.length + 100) / 1000) * 1000;
  writeFileSync(runtime, text.replaceAll("OFFSET", String(length)).padEnd(length, "\n"));
  chmodSync(runtime, 0o755);
  return folder;
}
