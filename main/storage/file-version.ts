/** Noticing that another program wrote a file. */
import { stat } from "node:fs/promises";

/** Equal for two looks at a file between which nobody wrote it, replaced it or touched it. */
export type FileVersion = string;

/** The version of the file at a path as it is now; undefined where there is none that can be looked at. */
export async function fileVersion(path: string): Promise<FileVersion | undefined> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}
