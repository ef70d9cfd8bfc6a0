// The browser of the browser tests: CHROME_PATH, or the Chromium that comes as an npm package (Linux on x86-64).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask, findProgram } from "../programs.mjs";
import { root } from "../project.mjs";

/** Debian's packages with the libraries that the program links, and with fonts: text has no width without any. */
const PACKAGES = ["libnss3", "libnspr4", "libexpat1", "fontconfig", "fonts-dejavu-core"];
/** The package does not let it be resolved by its name. */
const MANIFEST = join(root, "node_modules", "@sparticuz", "chromium", "package.json");
const UNPACKING_MILLIS = 120_000;

/**
 * Chromium's program out of its npm package, unpacked once per version. The package unpacks into the system's temporary
 * folder and takes a half-unpacked file there for a whole one, so that it is given a folder of its own, which gets its
 * final name only when it is complete. Answers its path, or why there is none.
 */
function unpackedChromium() {
  const { version } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  const cache = join(root, ".cache");
  const folder = join(cache, `chromium-${version}`);
  const program = join(folder, "chromium");
  if (existsSync(program)) return { program };
  console.error("Unpacking the browser of the tests from its npm package, once.");
  let unfinished;
  try {
    mkdirSync(cache, { recursive: true });
    unfinished = mkdtempSync(join(cache, "unpacking-"));
    const script = 'import("@sparticuz/chromium").then((module) => module.default.executablePath());';
    const env = { ...process.env, TMPDIR: unfinished };
    const { ok, errors } = ask(process.execPath, ["-e", script], {
      cwd: root,
      env,
      timeout: UNPACKING_MILLIS,
    });
    if (!ok || !existsSync(join(unfinished, "chromium"))) {
      return { why: `Chromium could not be unpacked: ${errors.trim()}` };
    }
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster, or the disk is full.
    if (!existsSync(program)) return { why: `Chromium could not be unpacked: ${error.message}` };
  } finally {
    if (unfinished !== undefined) rmSync(unfinished, { recursive: true, force: true });
  }
  return { program };
}

/** The browser's program, or why there is none that runs. */
export function lookForChromium() {
  const named = process.env.CHROME_PATH;
  if (named) {
    return existsSync(named)
      ? { program: named }
      : { why: `CHROME_PATH is ${named}, where there is no file.`, command: "unset CHROME_PATH" };
  }
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { why: "The Chromium from npm is for Linux on x86-64.", command: "CHROME_PATH=… npm test" };
  }
  if (!existsSync(MANIFEST)) {
    return { why: "@sparticuz/chromium is not installed.", command: "npm ci" };
  }
  const unpacked = unpackedChromium();
  if (unpacked.program === undefined) return { why: unpacked.why, command: "npm test" };
  const { ok, errors } = ask(unpacked.program, ["--version"]);
  if (!ok) return { why: `The Chromium from npm does not run: ${errors.trim()}`, packages: PACKAGES };
  if (findProgram("fc-list") === undefined || ask("fc-list", []).stdout.trim() === "") {
    return { why: "There is no font that Chromium could find.", packages: PACKAGES };
  }
  return unpacked;
}

export { PACKAGES as CHROMIUM_PACKAGES };
