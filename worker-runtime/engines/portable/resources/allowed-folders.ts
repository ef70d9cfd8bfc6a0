import { readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { permissionDenied, unimplemented } from "../../../protocol/status.js";
import type { FileAccess } from "./file-access.js";

/** "gs://bucket/x": another file system of TensorFlow's; a drive letter of Windows is a single one. */
const OTHER_FILE_SYSTEM = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//;

/** Maximum length of a chain of links, as on Linux, which also ends loops. */
const MAX_LINKS = 40;

/** Lets graphs read and write within certain folders and nowhere else. */
export class AllowedFolders implements FileAccess {
  readonly #folders: readonly string[];

  /** @param folders any paths; one that does not exist takes effect once it does. */
  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => path.resolve(folder));
  }

  async resolve(given: string, purpose: "read" | "write"): Promise<string> {
    const scheme = OTHER_FILE_SYSTEM.exec(given)?.[1];
    if (scheme !== undefined && scheme !== "file") {
      throw unimplemented(
        `File system scheme '${scheme}' not implemented (file: '${given}'). The portable engine has local files only; ` +
          "--engine tensorflow has those of TensorFlow.",
      );
    }
    if (given.includes("\0")) {
      throw permissionDenied(`A file name with a zero byte was refused: ${JSON.stringify(given)}.`);
    }
    const wanted = await resolvedLinks(path.resolve(given.replace(/^file:\/\//, "")));
    for (const folder of this.#folders) {
      if (isWithin(await resolvedLinks(folder), wanted)) {
        await refusePipes(given, wanted);
        return wanted;
      }
    }
    throw permissionDenied(
      `A graph wanted to ${purpose} ${given}, which is not within ${this.#text()}. Start this task with --files FOLDER to ` +
        "let graphs read and write there.",
    );
  }

  #text(): string {
    return this.#folders.length === 0
      ? "a folder that graphs may use: none was allowed"
      : `the folders that graphs may use (${this.#folders.join(", ")})`;
  }
}

/**
 * The path with symbolic links resolved, as far as it exists: what is to be written may not be there yet. A link to
 * nowhere is followed, too, as opening it for writing would.
 */
async function resolvedLinks(file: string, links = 0): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const target = await readlink(file).catch(() => undefined);
    if (target !== undefined && links < MAX_LINKS) {
      return await resolvedLinks(path.resolve(path.dirname(file), target), links + 1);
    }
    const parent = path.dirname(file);
    return parent === file ? file : path.join(await resolvedLinks(parent, links), path.basename(file));
  }
}

/**
 * Opening a pipe waits for its other end and blocks one of the few threads that read files; meanwhile the process could
 * not even exit.
 */
async function refusePipes(given: string, file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined);
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) {
    throw permissionDenied(`A graph wanted to use ${given}, which is neither a file nor a folder.`);
  }
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..");
}
