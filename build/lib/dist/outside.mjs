// Files that a package has twice: Electron reads them in the archive, where they are protected, and a plain Node outside.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outDir, root } from "../project.mjs";

/** Copies package.json, as far as the program reads it, and the pages to build/dist/outside. */
export function writeOutside() {
  const folder = join(root, "build", "dist", "outside");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { name, version, license, type } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, version, license, type }, undefined, 2)}\n`,
  );
  cpSync(join(outDir, "renderer"), join(folder, "build", "out", "renderer"), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
}
