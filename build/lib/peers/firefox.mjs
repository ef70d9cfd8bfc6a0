// Firefox, as the system has it: FIREFOX_PATH, or one on PATH.
import { existsSync, realpathSync } from "node:fs";
import { ask, findProgram } from "../programs.mjs";

const PACKAGES = ["firefox-esr"];

/** The browser's executable, or why none can be run. */
export function lookForFirefox() {
  const named = process.env.FIREFOX_PATH;
  if (named) {
    return existsSync(named)
      ? { program: named }
      : { why: `FIREFOX_PATH is ${named}, where there is no file.`, command: "unset FIREFOX_PATH" };
  }
  const program = findProgram("firefox-esr") ?? findProgram("firefox");
  if (program === undefined) return { why: "Not installed: firefox.", packages: PACKAGES };
  if (/[\\/]snap[\\/]/.test(realpathSync(program))) {
    return {
      why: "The Firefox of a snap does not see the folders of the tests.",
      command: "FIREFOX_PATH=… npm test",
    };
  }
  return ask(program, ["--version"]).ok
    ? { program }
    : { why: `${program} does not run.`, command: "FIREFOX_PATH=… npm test" };
}

export { PACKAGES as FIREFOX_PACKAGES };
