// The browser of the browser tests: CHROME_PATH, or the Chromium that comes as an npm package (Linux on x86-64).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask, findProgram } from "../programs.mjs";
import { lackOfPackage, unpacked } from "./chromium-package.mjs";

/** Debian's packages with the libraries that the program links, and with fonts: without any, text has no width. */
const PACKAGES = ["libnss3", "libnspr4", "libexpat1", "fontconfig", "fonts-dejavu-core"];
const UNPACK = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';

/** The browser's executable, or why none can be run. */
export function lookForChromium() {
  const named = process.env.CHROME_PATH;
  if (named) {
    return existsSync(named)
      ? { program: named }
      : { why: `CHROME_PATH is ${named}, where there is no file.`, command: "unset CHROME_PATH" };
  }
  const lack = lackOfPackage();
  if (lack !== undefined) return { command: "CHROME_PATH=… npm test", ...lack };
  const { folder, why } = unpacked("chromium", UNPACK, "chromium");
  if (folder === undefined) return { why, command: "npm test" };
  const program = join(folder, "chromium");
  const { ok, errors } = ask(program, ["--version"]);
  if (!ok) return { why: `The Chromium from npm does not run: ${errors.trim()}`, packages: PACKAGES };
  if (findProgram("fc-list") === undefined || ask("fc-list", []).stdout.trim() === "") {
    return { why: "There is no font that Chromium could find.", packages: PACKAGES };
  }
  return { program };
}

export { PACKAGES as CHROMIUM_PACKAGES };
