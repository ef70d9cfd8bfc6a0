/**
 * Gives a run a temporary folder of its own, and names what is left there at its end: whoever makes a file there removes it.
 * A folder that many tests and programs share would show neither what is left nor by whom.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where the system's programs and Node look for it. */
const VARIABLES = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"];

/** Folders that programs keep for all that come later: Tensordeck's locks of ports, what was compiled, absl's results. */
const KEPT = /^(tensordeck-ports-|tsx-|jiti$|node-compile-cache$|absl_testing$)/;

/** Called by vitest before the first test; what it returns is called after the last one. */
export default function setUp(): () => void {
  // A short name: addresses of sockets in it have a limit of some hundred characters.
  const folder = mkdtempSync(join(tmpdir(), "td-"));
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    const left = readdirSync(folder).filter((name) => !KEPT.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) console.error(`Tests left in the temporary folder: ${left.join(", ")}`);
  };
}
