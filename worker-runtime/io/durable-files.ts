/** Files that survive a crash of the process and of the machine. */
import { open, rename, rm, writeFile } from "node:fs/promises";

/** Writes a new file and flushes it to disk. */
export async function writeFlushed(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await writeFile(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file so that it has the old content or the new one at every moment.
 * @param temporary a path in the same folder, where no file is
 */
export async function replaceFile(
  path: string,
  temporary: string,
  content: Uint8Array | string,
): Promise<void> {
  try {
    await writeFlushed(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Flushes a folder's entries to disk: until then a crash of the machine may undo a rename. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and its file systems keep the order of such changes.
  if (process.platform === "win32") return;
  // Some network file systems refuse it; the file's own content is on disk in any case.
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
