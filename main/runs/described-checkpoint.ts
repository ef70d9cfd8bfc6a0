import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { indexPath } from "../../worker-runtime/io/tensor-bundle/bundle-files.js";
import type { SavedCheckpoint } from "../api/checkpoints.js";

/** A checkpoint as its files describe it. */
export async function described(prefix: string): Promise<SavedCheckpoint> {
  const { mtimeMs } = await stat(indexPath(prefix));
  const folder = dirname(prefix);
  const data = (await readdir(folder)).filter((file) => file.startsWith(`${basename(prefix)}.data-`));
  const sizes = await Promise.all(data.map(async (file) => (await stat(join(folder, file))).size));
  const byteLength = sizes.reduce((sum, size) => sum + size, 0);
  const step = Number(/-(\d+)$/.exec(basename(prefix))?.[1] ?? 0);
  return { prefix, step, savedAt: mtimeMs, byteLength };
}
