// The parts of the npm package @sparticuz/chromium (Linux on x86-64) that tests use: a browser, and a software Vulkan.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../programs.mjs";
import { root } from "../project.mjs";

const FOLDER = join(root, "node_modules", "@sparticuz", "chromium");
/** The package's exports do not allow resolving it by name. */
const MANIFEST = join(FOLDER, "package.json");
const UNPACKING_MILLIS = 120_000;

/** Why the package cannot be used here; undefined if it can. */
export function lackOfPackage() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { why: "The npm package that has it is for Linux on x86-64." };
  }
  return existsSync(MANIFEST)
    ? undefined
    : { why: "@sparticuz/chromium is not installed.", command: "npm ci" };
}

/** The path of a file in the package. */
export function packageFile(...parts) {
  return join(FOLDER, ...parts);
}

/**
 * Unpacks a part of the package into the project's cache, once per version. The package unpacks into the system's
 * temporary folder and mistakes a half-unpacked file there for a complete one, so it gets a folder of its own, which is
 * renamed to its final name only when it is complete.
 *
 * @param part The folder's name in the cache, without the version.
 * @param script The source of a module that unpacks it.
 * @param file A file that exists once everything is unpacked.
 * @returns The folder, or why there is none.
 */
export function unpacked(part, script, file) {
  const { version } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  const cache = join(root, ".cache");
  const folder = join(cache, `${part}-${version}`);
  if (existsSync(join(folder, file))) return { folder };
  console.error(`Unpacking ${part} for the tests from its npm package, once.`);
  let unfinished;
  try {
    mkdirSync(cache, { recursive: true });
    unfinished = mkdtempSync(join(cache, "unpacking-"));
    const env = { ...process.env, TMPDIR: unfinished };
    const { ok, errors } = ask(process.execPath, ["--input-type=module", "-e", script], {
      cwd: root,
      env,
      timeout: UNPACKING_MILLIS,
    });
    if (!ok || !existsSync(join(unfinished, file))) {
      return { why: `It could not be unpacked: ${errors.trim()}` };
    }
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster, or the disk is full.
    if (!existsSync(join(folder, file))) return { why: `It could not be unpacked: ${error.message}` };
  } finally {
    if (unfinished !== undefined) rmSync(unfinished, { recursive: true, force: true });
  }
  return { folder };
}
