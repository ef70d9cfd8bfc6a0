import { randomBytes } from "node:crypto";
import { access, constants, open, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "./durable-files.js";
import { removeAbandonedFiles, writerMark } from "./unfinished-files.js";

/**
 * Writes a file so that a reader sees either the old content or the new, even after a crash: to a temporary file beside
 * it, flushed to disk, then renamed over it. A link is written through; an existing file keeps its permissions. A
 * target that could not be written in place is refused: renaming would replace a device, or a write-protected file.
 *
 * @param content In parts, if it is not to be in memory at once; what their iterator throws leaves the old file as it was.
 * @param newMode Permissions of a new file, before the umask is applied.
 * @throws Error of Node's own, among them EISDIR for something that is not a file, EACCES or EPERM for a file that may
 * not be written.
 */
export async function writeFileAtomically(
  path: string,
  content: Uint8Array | string | AsyncIterable<Uint8Array | string>,
  newMode = 0o666,
): Promise<void> {
  const target = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return path;
    throw error;
  });
  const existing = await stat(target).catch(() => undefined);
  if (existing) {
    if (!existing.isFile()) throw Object.assign(new Error(`not a file: ${target}`), { code: "EISDIR" });
    await access(target, constants.W_OK);
  }
  const mode = existing && existing.mode & 0o777;
  await removeAbandonedFiles(dirname(target));
  const random = randomBytes(6).toString("hex");
  const temporary = join(dirname(target), `.${basename(target)}.${writerMark()}.${random}.tmp`);
  try {
    const file = await open(temporary, "wx", mode ?? newMode);
    try {
      await writeFile(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/**
 * The name of the file that is being written, from that of its temporary file; undefined for other files. A crash leaves
 * the temporary file behind.
 */
export function targetOfUnfinishedWrite(name: string): string | undefined {
  return /^\.(.+?)(?:\.[0-9a-f]{12}-\d+)?\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1];
}
