/** The browser of the browser tests: CHROME_PATH, or the Chromium that comes as an npm package (Linux on x86-64). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { repositoryRoot } from "./find-peers.js";

/**
 * Chromium's program out of its npm package, unpacked once per version. The package unpacks into the system's temporary
 * folder and takes a half-unpacked file there for a whole one, so that it is given a folder of its own, which gets its
 * final name only when it is complete.
 */
function unpackedChromium(): string {
  const manifest = join(repositoryRoot, "node_modules", "@sparticuz", "chromium", "package.json");
  if (!existsSync(manifest)) {
    throw new Error(
      "There is no browser: @sparticuz/chromium is not installed. Run npm ci, or set CHROME_PATH.",
    );
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const cache = join(repositoryRoot, ".cache");
  const folder = join(cache, `chromium-${version}`);
  const program = join(folder, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "unpacking-"));
  try {
    const script = 'import("@sparticuz/chromium").then((module) => module.default.executablePath());';
    execFileSync(process.execPath, ["-e", script], {
      cwd: repositoryRoot,
      env: { ...process.env, TMPDIR: unfinished },
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 120_000,
    });
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another test process was faster.
      if (!existsSync(program)) throw error;
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}

/** Path of the browser's program. @throws Error that says how to get one. */
export function browserPath(): string {
  const named = process.env.CHROME_PATH;
  if (named === undefined || named === "") return unpackedChromium();
  if (!existsSync(named)) throw new Error(`CHROME_PATH is ${named}, where there is no file.`);
  return named;
}

/** Starts a browser without a window. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: browserPath(),
    headless: true,
    // Tests may run as root and in containers, where Chromium's sandbox cannot be made.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"],
  });
}
