/** The requirements of a script, as its folder states them, and the key of the environment that has it. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { decodeText } from "../../../worker-runtime/io/text-encoding.js";
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

/** The identity of requirements, without their text. */
export interface RequirementsDigest extends Pick<Requirements, "kind"> {
  /** 64 hexadecimal digits. */
  readonly digest: string;
}

/**
 * The key of requirements, a digest, and the Python: environments with the same key are the same.
 *
 * @throws ProblemError if the file cannot be read.
 */
export async function environmentKey(
  requirements: Requirements,
  python: string,
  version: string,
): Promise<string> {
  return keyOf(await requirementsDigest(requirements), python, version);
}

export function keyOf({ kind, digest }: RequirementsDigest, python: string, version: string): string {
  return digestOf([kind, python, version, digest]).slice(0, 32);
}

function digestOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return hash.digest("hex");
}

/**
 * The digest of the contents of a file of requirements, and of the files that it includes.
 *
 * @throws ProblemError if one cannot be read.
 */
export async function requirementsDigest(requirements: Requirements): Promise<RequirementsDigest> {
  const texts: string[] = [];
  const seen = new Set<string>();
  const read = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const bytes = await readFile(file).catch((error: unknown) => {
      throw fileProblem(`${basename(file)} could not be read`, error);
    });
    const text = decodeText(bytes);
    texts.push(text);
    for (const [, included = ""] of text.matchAll(/^\s*(?:-r|-c|--requirement|--constraint)[\s=]+(\S+)/gm)) {
      await read(resolve(dirname(file), included));
    }
  };
  await read(requirements.file);
  return { kind: requirements.kind, digest: digestOf(texts) };
}
