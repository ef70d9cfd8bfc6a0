/** What a script needs, as its folder says it, and the key of the environment that has it. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileProblem } from "../../shared/problems.js";

export interface Requirements {
  /** Full path. */
  readonly file: string;
  /**
   * - "uv-lock": uv.lock beside its pyproject.toml; only uv reads it.
   * - "list": requirements.txt or pylock.toml, for uv or pip.
   */
  readonly kind: "uv-lock" | "list";
}

/** In order of preference: exact locks first. */
const names = ["uv.lock", "pylock.toml", "requirements.txt"];

/** Those of a folder; undefined if it names none. @param given The file that the user chose, within the folder. */
export function findRequirements(folder: string, given?: string): Requirements | undefined {
  const file =
    given === undefined ? names.map((name) => join(folder, name)).find(existsSync) : resolve(folder, given);
  return file === undefined ? undefined : { file, kind: basename(file) === "uv.lock" ? "uv-lock" : "list" };
}

/**
 * Of the contents of a file of requirements, the files that it includes, and the Python: environments with the same key
 * are the same.
 *
 * @throws ProblemError if the file cannot be read.
 */
export async function environmentKey(
  requirements: Requirements,
  python: string,
  version: string,
): Promise<string> {
  const hash = createHash("sha256");
  const add = (text: string) => hash.update(`${Buffer.byteLength(text)}:${text}`);
  for (const part of [requirements.kind, python, version]) add(part);
  const seen = new Set<string>();
  const read = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      throw fileProblem(`${basename(file)} could not be read`, error);
    });
    add(text);
    for (const [, included = ""] of text.matchAll(/^\s*(?:-r|-c|--requirement|--constraint)[\s=]+(\S+)/gm)) {
      await read(resolve(dirname(file), included));
    }
  };
  await read(requirements.file);
  return hash.digest("hex").slice(0, 32);
}
