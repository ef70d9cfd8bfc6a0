import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Those that are on disk; one that is still being written has a temporary name. */
export async function draftsIn(folder: string): Promise<string[]> {
  const drafts = join(folder, "data", "drafts");
  const names = existsSync(drafts) ? await readdir(drafts) : [];
  return names.filter((name) => name.endsWith(".draft"));
}

/** In bytes, of all of them together: an edit that is kept makes them larger. */
export async function sizeOfDrafts(folder: string): Promise<number> {
  const files = (await draftsIn(folder)).map((name) => stat(join(folder, "data", "drafts", name)));
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
}
