// The steps that turn the sources into build/out. Each runs only when its inputs have changed.
import { chmodSync, copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleProgram } from "./bundle.mjs";
import { writeLicences } from "./licences.mjs";
import { removeOrphans } from "./orphans.mjs";
import { BuildError, outDir, packageDir, root, run, runTool } from "./project.mjs";
import { fingerprint, forget, isCurrent, listFiles, markCurrent } from "./stamp.mjs";

const isTypeScript = (file) => /\.(ts|cts|tsx)$/.test(file);
const isConfig = (file) => /(^|\/)tsconfig[^/]*\.json$/.test(file);
const TYPESCRIPT_CONFIGS = ["tsconfig.json", "tsconfig.base.json"];

/** The TypeScript projects that the program consists of; the window is built by vite and only checked by tsc. */
const PROGRAM_PROJECTS = ["worker-runtime", "main", "main/tsconfig.preload.json"];

const protoSources = () =>
  listFiles(["protos", "build/generate-protos.mjs"], (file) => /\.(proto|yaml|mjs)$/.test(file));

const programSources = () =>
  listFiles(
    ["protos/generated", "protos/tsconfig.json", "worker-runtime", "main", ...TYPESCRIPT_CONFIGS],
    (file) => isTypeScript(file) || isConfig(file),
  );

/** Documents of the repository that are guides, too, by their source; main/help/guides.ts lists them all. */
const REFERENCE_GUIDES = {
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "security",
  "test/compatibility/README.md": "compatibility",
  "worker-runtime/engines/portable/README.md": "ops",
};

const isGuide = (file) => /^main\/help\/[^/]+\/README\.md$/.test(file) || file in REFERENCE_GUIDES;

/** Files that the program reads at run time (examples, op lists, guides): they are copied beside the compiled code. */
const assetSources = () =>
  listFiles(
    ["worker-runtime", "main", "CONTRIBUTING.md", "SECURITY.md", "test/compatibility/README.md"],
    (file) => !isTypeScript(file) && !isConfig(file) && (!file.endsWith(".md") || isGuide(file)),
  );

/** Where a copied file is in build/out. */
const assetOutput = (file) =>
  file in REFERENCE_GUIDES ? `main/help/${REFERENCE_GUIDES[file]}/README.md` : file;

const windowSources = () =>
  listFiles([
    "renderer",
    "build/screenshots",
    "main/api",
    "worker-runtime/cluster",
    "worker-runtime/graph",
    "worker-runtime/protocol",
    "vite.config.ts",
    "build/lib/licences.mjs",
    "build/lib/preload-window.mjs",
    "package-lock.json",
  ]);

const STEPS = [
  {
    name: "protos",
    title: "Generating code from protos/",
    inputs: protoSources,
    output: "protos/generated/schema.ts",
    action: () => run(process.execPath, [join(root, "build", "generate-protos.mjs")]),
  },
  {
    name: "program",
    title: "Compiling",
    inputs: programSources,
    output: "build/out/main",
    action: async () => {
      const code = await runTool("typescript", "bin/tsc", ["-b", ...PROGRAM_PROJECTS]);
      if (code === 0) removeOrphans(outDir, [...programSources(), ...assetSources().map(assetOutput)]);
      return code;
    },
  },
  {
    name: "assets",
    inputs: assetSources,
    output: "build/out",
    action: copyAssets,
  },
  {
    name: "bundle",
    title: "Joining the modules of the command line",
    inputs: () => [
      ...programSources(),
      ...assetSources(),
      ...listFiles(["build/lib/bundle.mjs", "package-lock.json"]),
    ],
    output: "build/out/program/cli/main.js",
    action: bundleProgram,
  },
  {
    name: "window",
    title: "Building the window",
    inputs: windowSources,
    output: "build/out/renderer/index.html",
    // A checkout without the window's configuration is a program without a window, which is also useful.
    applies: () => existsSync(join(root, "vite.config.ts")),
    action: async () =>
      // Vite would build a window for development where the tests, whose NODE_ENV is "test", bring it up to date.
      (await runTool("vite", "bin/vite.js", ["build", "--logLevel", "warn"], {
        env: { ...process.env, NODE_ENV: "production" },
      })) || writeLicences(),
  },
];

function copyAssets() {
  for (const file of assetSources()) {
    const target = join(outDir, assetOutput(file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, file), target);
  }
  return 0;
}

/** Makes the programs of `npm start` and `npx tensordeck` executable, if the file system supports it. */
function setExecutableBits() {
  if (process.platform === "win32") return;
  for (const file of listFiles(["build/bin"])) {
    const path = join(root, file);
    const mode = statSync(path).mode;
    if ((mode & 0o111) !== 0o111) chmodSync(path, mode | 0o755);
  }
}

function isStepCurrent(step) {
  return step.applies?.() === false || isCurrent(step.name, step.inputs(), step.output);
}

/** The steps that would run now, by name. Takes some tens of milliseconds. */
export function staleSteps() {
  return STEPS.filter((step) => !isStepCurrent(step)).map((step) => step.name);
}

/** True if the build tools are not installed (`npm ci --omit=dev`) or there are no sources to build. */
export function cannotBuild() {
  return packageDir("typescript") === undefined || !existsSync(join(root, "protos", "tensorflow"));
}

/**
 * Brings build/out up to date; prints one line per step that had to run.
 *
 * @throws BuildError if a step fails. Its terminal output explains why.
 */
export async function buildAll({ only } = {}) {
  for (const step of STEPS) {
    if (only !== undefined && !only.includes(step.name)) continue;
    if (isStepCurrent(step)) continue;
    // Generated code is an input of the next step, so the fingerprint is computed when the step begins.
    const print = fingerprint(step.inputs());
    const began = performance.now();
    forget(step.name);
    const code = await step.action();
    if (code !== 0) {
      throw new BuildError(
        `${step.title ?? `Step ${step.name}`} failed (exit code ${code}); the lines above say why.`,
        "Fix it and run: npm run build",
      );
    }
    markCurrent(step.name, print);
    if (step.title !== undefined) {
      // Not to stdout: `npm start` prints only the address there.
      console.error(`${step.title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
  }
  setExecutableBits();
}
