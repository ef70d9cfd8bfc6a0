/** Folders that are SavedModels. */
import { stat } from "node:fs/promises";
import path from "node:path";

/** Files that make a folder a SavedModel. */
export const SAVED_MODEL_FILES = ["saved_model.pb", "saved_model.pbtxt"];

/** The file of a SavedModel's folder that holds its graph; undefined for every other folder or file. */
export async function savedModelFile(folder: string): Promise<string | undefined> {
  for (const name of SAVED_MODEL_FILES) {
    const candidate = path.join(folder, name);
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile()) return candidate;
  }
  return undefined;
}
