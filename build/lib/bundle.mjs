// Joins the modules of the `tensordeck` command into a few files: a task starts in half the time of loading 800 modules.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { outDir, packageDir } from "./project.mjs";

/** As deep below the package's root as the folders of the modules, so that these find the root from here, too. */
export const programDir = join(outDir, "program", "cli");

/** Packages with native code, that are not always installed, or are large and rarely used, are loaded from node_modules. */
const EXTERNAL = /^(koffi|onnxruntime-node|electron|@tensorflow\/.*|@kubernetes\/client-node)$|\.node$/;

/** Writes build/out/program/cli/main.js and its parts, which the subcommands load. Returns 0, or 1 if it fails. */
export async function bundleProgram() {
  if (packageDir("rolldown") === undefined) {
    console.error("rolldown is not installed. It is one of the tools that build Tensordeck. Run: npm ci");
    return 1;
  }
  const { rolldown } = await import("rolldown");
  rmSync(programDir, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { main: join(outDir, "main", "cli", "main.js") },
    platform: "node",
    external: EXTERNAL,
    logLevel: "warn",
  });
  try {
    await bundle.write({
      dir: programDir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    });
    return 0;
  } finally {
    await bundle.close();
  }
}
