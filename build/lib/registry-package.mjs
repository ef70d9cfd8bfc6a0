// Files of packages that npm does not install here: those for other systems, and Node's own binaries.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmCommand, programPath } from "./programs.mjs";
import { BuildError, run } from "./project.mjs";

/**
 * Calls back with the folder of an unpacked package of the registry, which is removed afterwards. npm compares the file
 * with the checksum that the registry names.
 *
 * @param {string} name
 * @param {string} version
 * @param {(unpacked: string) => void} use
 * @param {string} [integrity] the checksum that the file must have, whatever the registry says: "sha512-…"
 * @throws BuildError if the package cannot be fetched, or is not what it should be
 */
export async function withPackage(name, version, use, integrity) {
  const scratch = mkdtempSync(join(tmpdir(), "tensordeck-part-"));
  try {
    const spec = `${name}@${version}`;
    // Not to stdout, where programs that call this print their results.
    console.error(`Fetching ${spec}`);
    const [npm, ...script] = npmCommand();
    const code = await run(npm, [...script, "pack", spec, "--silent", "--pack-destination", scratch], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const packed = join(scratch, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);
    if (code !== 0 || !existsSync(packed)) {
      throw new BuildError(
        `${spec} could not be fetched.`,
        "Check the connection to the npm registry, and that it has this version, then run it again.",
      );
    }
    if (integrity !== undefined) checkIntegrity(spec, readFileSync(packed), integrity);
    if ((await run(programPath("tar"), ["-xzf", packed, "-C", scratch])) !== 0) {
      throw new BuildError(`${packed} could not be unpacked with tar.`);
    }
    use(join(scratch, "package"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function checkIntegrity(spec, content, expected) {
  const found = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  if (found === expected) return;
  throw new BuildError(
    `${spec} is not the file that was expected: its checksum is ${found}, not ${expected}.`,
    "Nothing of it was used. Find out where the registry has it from before you change the expected checksum.",
  );
}
