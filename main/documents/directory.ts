/** Lists folders for the file dialog that the window draws if the system's own cannot be shown. */
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { savedModelFile } from "../../worker-runtime/io/saved-model-folder.js";
import type { Directory, DirectoryEntry } from "../api/documents.js";
import { fileProblem } from "../shared/problems.js";

/** Nobody selects a file from a longer list; a folder of a data set can have millions. */
const MAX_ENTRIES = 5000;

/**
 * Folders first, then files with one of the endings (all files when none is given), each by name. Hidden ones are left
 * out, and so are inaccessible ones. Where graphs are wanted, folders that are SavedModels are marked.
 *
 * @param path Left out: the user's home folder. "~" at its beginning stands for that, too.
 * @param extensions Endings without the dot, in any case.
 * @throws ProblemError NOT_FOUND, PERMISSION_DENIED or INVALID_ARGUMENT, naming the folder.
 */
export async function listDirectory(
  path: string | undefined,
  extensions: readonly string[],
): Promise<Directory> {
  const folder = resolve(expandHome(path ?? homedir()));
  const wanted = new Set(extensions.map((extension) => `.${extension.toLowerCase()}`));
  let names: string[];
  try {
    if (!(await stat(folder)).isDirectory()) {
      throw Object.assign(new Error(`not a directory: ${folder}`), { code: "ENOTDIR" });
    }
    const listed = await readdir(folder, { withFileTypes: true });
    names = listed
      .filter((entry) => !entry.name.startsWith("."))
      .filter(
        (entry) => !entry.isFile() || wanted.size === 0 || wanted.has(extname(entry.name).toLowerCase()),
      )
      .map((entry) => entry.name);
  } catch (error) {
    throw fileProblem(`The folder ${folder} cannot be listed`, error);
  }
  const showsModels = wanted.size === 0 || wanted.has(".pb");
  const entries = await Promise.all(
    names.slice(0, MAX_ENTRIES).map((name) => describeEntry(folder, name, showsModels)),
  );
  const parent = dirname(folder);
  return {
    path: folder,
    ...(parent === folder ? {} : { parent }),
    entries: entries
      .filter((entry) => entry !== undefined)
      .filter(
        (entry) => entry.directory || wanted.size === 0 || wanted.has(extname(entry.name).toLowerCase()),
      )
      .sort(foldersFirstByName),
  };
}

/** A path with the user's home folder in place of ~ at its beginning. */
export function expandHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** Follows links; a link to nowhere and what is neither file nor folder is left out. */
async function describeEntry(
  folder: string,
  name: string,
  showsModels: boolean,
): Promise<DirectoryEntry | undefined> {
  const path = join(folder, name);
  try {
    const stats = await stat(path);
    if (!stats.isFile() && !stats.isDirectory()) return undefined;
    const savedModel = showsModels && stats.isDirectory() ? await savedModelFile(path) : undefined;
    return {
      ...(savedModel !== undefined && { savedModel }),
      name,
      path,
      directory: stats.isDirectory(),
      sizeBytes: stats.isDirectory() ? 0 : stats.size,
      modifiedAt: stats.mtimeMs,
    };
  } catch {
    return undefined;
  }
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function foldersFirstByName(a: DirectoryEntry, b: DirectoryEntry): number {
  return Number(b.directory) - Number(a.directory) || byName.compare(a.name, b.name);
}
