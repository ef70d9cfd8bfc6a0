/** The data folder and its files, which other accounts cannot read. */
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomically } from "../../worker-runtime/io/atomic-write.js";

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** Creates a folder and its parents if missing. An existing one keeps its permissions: it may be shared. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_FOLDER });
}

/**
 * Writes a file of the data folder, as `writeFileAtomically`, that only this account can read.
 *
 * @throws Error of Node's own.
 */
export async function writePrivateFile(path: string, content: Uint8Array | string): Promise<void> {
  await makePrivateFolder(dirname(path));
  await writeFileAtomically(path, content, OWNER_ONLY);
  // It may be of an earlier version, or a copy that was put back.
  if (process.platform !== "win32") await chmod(path, OWNER_ONLY);
}
