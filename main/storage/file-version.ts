/** Detects that another program wrote a file. */
import { stat } from "node:fs/promises";

/** Equal as long as the file has not been written, replaced or touched. */
export type FileVersion = string;

/** The version of the file at a path as it is now; undefined if it is missing or inaccessible. */
export async function fileVersion(path: string): Promise<FileVersion | undefined> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}
