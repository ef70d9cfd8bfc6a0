/** Files that a command writes where its user says. */
import { stat, writeFile } from "node:fs/promises";
import { writeFileAtomically } from "./atomic-write.js";
import { withFileErrors } from "./file-errors.js";

/**
 * Writes a file as a whole: where that fails, as on a full disk, an older one stays as it is. A device or a pipe is written to
 * in place.
 *
 * @param mode Permissions of a new file, before the umask is applied.
 * @throws TensorFlowError with the path and why it could not be written.
 */
export async function writeOutputFile(
  path: string,
  content: Uint8Array | string,
  mode?: number,
): Promise<void> {
  await withFileErrors(path, async () => {
    const existing = await stat(path).catch(() => undefined);
    if (existing === undefined || existing.isFile()) await writeFileAtomically(path, content, mode);
    else await writeFile(path, content);
  });
}
