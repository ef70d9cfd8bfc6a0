import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { namedProgram } from "../programs/find-program.js";
import { failedPrecondition } from "../protocol/status.js";

const thisFile = fileURLToPath(import.meta.url);
/** Sources run as they are under the tests and tsx; compiled files lie under build/out. */
const runsFromSource = thisFile.endsWith(".ts");

/** The folder that has package.json. */
export function packageRoot(): string {
  // engines → worker-runtime, then for compiled files → out → build as well.
  return path.resolve(path.dirname(thisFile), runsFromSource ? "../.." : "../../../..");
}

/** Tensordeck's own version, "0.1.0"; "unknown" where package.json does not say. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}

/**
 * The built form of a module, joined with what it imports, for a process or a thread of its own: a plain Node starts it,
 * whatever runs this file. `THREADS` in build/lib/bundle.mjs lists them.
 * @param module its path below worker-runtime or main, "engines/tensorflow/probe-process.js".
 * @throws TensorFlowError FAILED_PRECONDITION when the sources were not built.
 */
export function compiledModule(module: string): string {
  return builtFile("program", "threads", path.basename(module));
}

/**
 * The `tensordeck` command, whose modules were joined when it was built, for a process of its own.
 * @throws TensorFlowError FAILED_PRECONDITION when the sources were not built.
 */
export function compiledProgram(): string {
  return builtFile("program", "cli/main.js");
}

/**
 * A file that the build makes or copies, by its path in build/out.
 * @throws TensorFlowError FAILED_PRECONDITION when the sources were not built.
 */
export function builtFile(...parts: readonly string[]): string {
  // A packaged app keeps its files in an archive that only Electron can read; started programs lie beside it.
  const root = packageRoot().replace(/app\.asar(?=$|[\\/])/, "app.asar.unpacked");
  const file = path.join(root, "build", "out", ...parts);
  if (!existsSync(file)) {
    throw failedPrecondition(`${file} does not exist. Build Tensordeck first: npm run build.`);
  }
  return file;
}

export interface NodeCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The Node that runs processes of our own: TENSORDECK_NODE, the one that a packaged app brings, or this one.
 * @throws TensorFlowError FAILED_PRECONDITION when TENSORDECK_NODE names a program that is not installed.
 */
export function nodeCommand(): NodeCommand {
  const given = process.env.TENSORDECK_NODE;
  if (given) {
    const command = namedProgram(given);
    if (command === undefined) {
      throw failedPrecondition(
        `TENSORDECK_NODE is ${given}, which is not installed. Give it the full path of a Node.`,
      );
    }
    return { command, env: {} };
  }
  if (process.versions.electron === undefined) {
    return { command: process.execPath, env: {} };
  }
  const resources =
    "resourcesPath" in process && typeof process.resourcesPath === "string" ? process.resourcesPath : "";
  const bundled = path.join(resources, "node", process.platform === "win32" ? "node.exe" : "bin/node");
  return existsSync(bundled)
    ? { command: bundled, env: {} }
    : { command: process.execPath, env: { ELECTRON_RUN_AS_NODE: "1" } };
}
