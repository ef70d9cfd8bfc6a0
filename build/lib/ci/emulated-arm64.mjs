// Linux on arm64 as a part of `.ci/run`: the short form of `npm run platforms -- linux-arm64` (test/platforms).
import { homedir } from "node:os";
import { join } from "node:path";
import { installPackages, isDebian } from "../peers/debian.mjs";
import { npmCommand } from "../programs.mjs";
import { readClosingLine, runForwarding } from "./counted-run.mjs";

/** Debian's packages that make the machine; other distributions have that keyring by this name, too. */
const PACKAGES = ["debian-archive-keyring", "mmdebstrap"];
/** The exit code of test/platforms/main.ts where this system or account can never run programs of that processor. */
const NOT_POSSIBLE_HERE = 3;

/** Outlives the folder of a run: the next one on this machine finds what was downloaded. */
export function platformsCache(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tensordeck", "platforms");
}

/** Installs what it needs, as root on Debian and its derivatives. */
export async function installEmulationPackages() {
  if (isDebian()) await installPackages(PACKAGES);
}

/**
 * Runs it. A machine that cannot emulate another processor counts nothing, and its reason has been printed.
 *
 * @param options those of `runForwarding`, with the folder of a built project
 */
export async function runEmulatedArm64(options) {
  const [npm, ...script] = npmCommand();
  const args = ["linux-arm64", "--short", "--cache", platformsCache()];
  const command = [...script, "run", "--silent", "platforms", "--", ...args];
  const { code, end, failures } = await runForwarding(npm, command, options);
  const counts = code === NOT_POSSIBLE_HERE ? { passed: 0, failed: 0, skipped: 0 } : readClosingLine(end);
  return { counts, failures };
}
