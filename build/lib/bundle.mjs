// Joins the modules of each program into a few files: a task starts in half the time of loading 800 modules, and a
// package needs nothing else of build/out.
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { BuildError, outDir, packageDir, root } from "./project.mjs";

/** Packages with native code, that are not always installed, or are large and rarely used, are loaded from node_modules. */
const EXTERNAL = /^(koffi|onnxruntime-node|electron)$|\.node$/;

/**
 * Node's own punycode is deprecated, and every command that loads it would say so since Node.js 21. What asks for it, the URLs of
 * Kubernetes' client, is given the package that Node's documentation names instead.
 */
const ALIASES = { punycode: "punycode/punycode.js" };

/** The modules that run as a thread or process of their own; package-root.ts finds them by their names. */
export const THREADS = [
  "worker-runtime/engines/portable/catalogue/catalogue-thread",
  "worker-runtime/engines/portable/compute/compute-thread",
  "worker-runtime/engines/portable/gpu/adapters-process",
  "worker-runtime/engines/portable/regions/device-thread",
  "worker-runtime/engines/tensorflow/probe-process",
  "worker-runtime/import/import-thread",
  "main/tasks/isolation/namespace-process",
];

const PRELOAD = "main/hosts/electron/preload.cjs";

/**
 * Writes program/ in the folder, build/out: cli/main.js, threads/ and their shared parts, which a plain Node runs;
 * electron/, which shares nothing with them, because it is packed into the archive; and headless/, which `npm start` runs and
 * packages do without: a few files load sooner than parts. Its files lie as deep below the package's root as the folders of
 * the modules, so that these find the root from there, too. And program-packages.json, the folders of the packages in them.
 * Returns 0, or 1 if it fails.
 */
export async function bundleProgram(folder = outDir) {
  if (packageDir("rolldown") === undefined) {
    console.error("rolldown is not installed. It is one of the tools that build Tensordeck. Run: npm ci");
    return 1;
  }
  const programDir = join(folder, "program");
  rmSync(programDir, { recursive: true, force: true });
  const parts = await bundle(programDir, "parts", {
    "cli/main": "main/cli/main",
    ...Object.fromEntries(THREADS.map((module) => [`threads/${basename(module)}`, module])),
  });
  const electron = await bundle(programDir, "electron", { "electron/main": "main/hosts/electron/main" });
  const headless = await bundle(programDir, "headless", { "headless/main": "main/hosts/headless/main" });
  writeFileSync(
    join(folder, "program-packages.json"),
    JSON.stringify([...new Set([...parts, ...electron, ...headless])].sort()),
  );
  // Electron loads it by itself, into the page.
  copyFileSync(join(outDir, PRELOAD), join(programDir, "electron", basename(PRELOAD)));
  return 0;
}

/**
 * The code with escapes in place of characters that are not ASCII. V8 keeps a source as long as it runs, and with two bytes for
 * each character if one of them needs two: the agent would have 6 MB more.
 *
 * @throws BuildError where an escape would mean something else
 */
function asciiOf(code) {
  const raw = /\braw`[^`]*[\u0080-\uffff][^`]*`/.exec(code);
  if (raw !== null) throw new BuildError(`A raw template has characters that are not ASCII: ${raw[0]}`);
  // A backslash before such a character has no meaning of its own, and would have one before an escape.
  return code.replace(
    /((?:\\\\)*)\\?([\u0080-\uffff])/g,
    (_, backslashes, unit) => `${backslashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * @param {Record<string, string>} entries the module of each written file, both without ".js"
 * @returns {Promise<string[]>} the packages whose modules are in the files, as package-lock.json names them
 */
async function bundle(dir, partsFolder, entries) {
  const { rolldown } = await import("rolldown");
  const joined = await rolldown({
    input: Object.fromEntries(
      Object.entries(entries).map(([name, module]) => [name, join(outDir, `${module}.js`)]),
    ),
    platform: "node",
    external: EXTERNAL,
    resolve: { alias: ALIASES },
    // Parts that programs load later are in one file with those that load them at once; timings are of no use to who installs.
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
    logLevel: "warn",
  });
  try {
    const { output } = await joined.write({
      dir,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: `${partsFolder}/[name]-[hash].js`,
    });
    const chunks = output.filter((file) => file.type === "chunk");
    for (const { fileName, code } of chunks) writeFileSync(join(dir, fileName), asciiOf(code));
    return chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .flatMap((id) => {
        const path = relative(root, id).split(sep).join("/");
        return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [];
      });
  } finally {
    await joined.close();
  }
}
