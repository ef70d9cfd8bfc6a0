/** The files of a script's folder that go to other machines: all but those that Git ignores, environments and links. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { problem } from "../../shared/problems.js";

/** A file of a folder. */
export interface ScriptFile {
  /** Within the folder, with slashes. */
  readonly path: string;
  readonly size: number;
  /** SHA-256 of its content, 64 hexadecimal digits. */
  readonly hash: string;
  /** Whether its owner may execute it. */
  readonly executable: boolean;
}

export type SurveyedFile = Omit<ScriptFile, "hash">;

export interface FolderFiles extends FolderSurvey {
  readonly files: readonly ScriptFile[];
}

export interface FolderSurvey {
  readonly files: readonly SurveyedFile[];
  readonly totalBytes: number;
  /** Files and folders that stay here, the outermost only; folders end with a slash. */
  readonly leftOut: readonly string[];
}

/** Never part of a script, whether or not Git ignores them. */
const never: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".ipynb_checkpoints"],
  ...[".DS_Store", ".mypy_cache", ".pytest_cache", ".ruff_cache"],
]);

/** Whether a file or folder of this name is no part of a script, whatever Git says. */
export function isNeverSent(name: string): boolean {
  return never.has(name);
}

/** Far more than a folder of scripts has: a home folder that was given by mistake is noticed soon. */
export const MOST_FILES = 20_000;

/** The rules of a .gitignore, which are relative to its folder. */
interface Rules {
  readonly folder: string;
  readonly ignore: Ignore;
}

/**
 * Lists and hashes the files of a folder.
 *
 * @param maxBytes Most bytes altogether.
 * @throws ProblemError RESOURCE_EXHAUSTED if there are too many or they are too large; the signal's reason.
 */
export async function listFolder(
  folder: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FolderFiles> {
  const { files: found, ...rest } = await surveyFolder(folder, maxBytes, signal);
  const files: ScriptFile[] = [];
  for (const file of found) {
    files.push({ ...file, hash: await hashOf(join(folder, ...file.path.split("/")), signal) });
  }
  return { files, ...rest };
}

/** As `listFolder`, without reading the files. */
export async function surveyFolder(
  folder: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FolderSurvey> {
  const files: SurveyedFile[] = [];
  const leftOut: string[] = [];
  let totalBytes = 0;
  const walk = async (at: string, inherited: readonly Rules[]): Promise<void> => {
    const own = await rulesOf(at);
    const rules = own ? [...inherited, own] : inherited;
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      const full = join(at, entry.name);
      const path = relative(folder, full).split(sep).join("/");
      const name = entry.isDirectory() ? `${path}/` : path;
      const isKept = entry.isDirectory() || entry.isFile();
      if (!isKept || isNeverSent(entry.name) || isIgnored(full, entry.isDirectory(), rules)) {
        leftOut.push(name);
        continue;
      }
      if (entry.isDirectory()) {
        await walk(full, rules);
        continue;
      }
      const { size, mode } = await lstat(full);
      totalBytes += size;
      if (files.length >= MOST_FILES || totalBytes > maxBytes) throw tooMuch(folder, maxBytes);
      files.push({ path, size, executable: (mode & 0o100) !== 0 });
    }
  };
  await walk(folder, await rulesAbove(folder));
  return { files, totalBytes, leftOut };
}

function tooMuch(folder: string, maxBytes: number) {
  return problem("RESOURCE_EXHAUSTED", `${basename(folder)} is too large to be sent.`, {
    reason: `It has more than ${MOST_FILES} files or ${Math.round(maxBytes / 1e6)} MB that Git does not ignore.`,
    remedy:
      "Put the script in a folder of its own, or list its data in .gitignore and have the script read it elsewhere.",
  });
}

async function rulesOf(folder: string): Promise<Rules | undefined> {
  const text = await readFile(join(folder, ".gitignore"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : { folder, ignore: ignore().add(text) };
}

/** The rules of the folders above, up to that of the repository; none outside of one. Outermost first. */
async function rulesAbove(folder: string): Promise<Rules[]> {
  const above: string[] = [];
  let at = folder;
  while (!existsSync(join(at, ".git"))) {
    const parent = dirname(at);
    if (parent === at) return [];
    above.unshift(parent);
    at = parent;
  }
  const rules = await Promise.all(above.map(rulesOf));
  return rules.filter((found) => found !== undefined);
}

/** The innermost rules that say something about a file decide. */
function isIgnored(full: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  let ignored = false;
  for (const { folder, ignore: own } of rules) {
    const path = relative(folder, full).split(sep).join("/");
    const verdict = own.test(isFolder ? `${path}/` : path);
    if (verdict.ignored) ignored = true;
    else if (verdict.unignored) ignored = false;
  }
  return ignored;
}

/** SHA-256 of a file, in hexadecimal digits. */
export async function hashOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { signal })) hash.update(bytes as Buffer);
  return hash.digest("hex");
}
