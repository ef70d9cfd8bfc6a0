/** The working folder of a job on a machine that it was sent to: filled from a store, compared afterwards, removed. */
import { chmod, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { makePrivateFolder } from "../../storage/private-files.js";
import type { BlobStore } from "./blob-store.js";
import { isInnerPath, MOST_JOB_BYTES } from "./file-paths.js";
import { hashOf, MOST_FILES, type ScriptFile } from "./script-files.js";

export interface Outputs {
  readonly files: readonly ScriptFile[];
  /** Paths of outputs that do not go back: too large altogether, or with names that not every system has. */
  readonly leftOut: readonly string[];
}

interface Stamp {
  readonly size: number;
  readonly modified: number;
  readonly hash: string;
}

export class JobFolder {
  readonly path: string;
  readonly #given: ReadonlyMap<string, Stamp>;

  private constructor(path: string, given: ReadonlyMap<string, Stamp>) {
    this.path = path;
    this.#given = given;
  }

  /**
   * Creates a private folder with files whose paths were checked and whose contents are in the store.
   *
   * @param within Folder of all jobs; created if missing.
   */
  static async create(within: string, files: readonly ScriptFile[], store: BlobStore): Promise<JobFolder> {
    await makePrivateFolder(within);
    // Readable by this account only.
    const path = await mkdtemp(join(within, "job-"));
    try {
      const given = new Map<string, Stamp>();
      for (const { path: inner, hash, executable } of files) {
        const file = join(path, ...inner.split("/"));
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await store.copy(hash, file);
        await chmod(file, executable ? 0o700 : 0o600);
        const { size, mtimeMs: modified } = await lstat(file);
        given.set(inner, { size, modified, hash });
      }
      return new JobFolder(path, given);
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * The files that were created or changed since. Links are never followed: they may lead out of the folder.
   *
   * @param under Only those below this path.
   */
  async outputs(under?: string): Promise<Outputs> {
    const files: ScriptFile[] = [];
    const leftOut: string[] = [];
    let total = 0;
    const walk = async (at: string): Promise<void> => {
      const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const full = join(at, entry.name);
        const path = relative(this.path, full).split(sep).join("/");
        if (entry.name === "__pycache__") continue;
        if (entry.isDirectory()) await walk(full);
        if (!entry.isFile()) continue;
        const { size, mtimeMs, mode } = await lstat(full);
        const before = this.#given.get(path);
        if (before?.size === size && before.modified === mtimeMs) continue;
        const hash = await hashOf(full);
        if (before?.hash === hash) continue;
        const fits = total + size <= MOST_JOB_BYTES && files.length < MOST_FILES && isInnerPath(path);
        if (!fits) leftOut.push(path);
        else {
          total += size;
          files.push({ path, size, hash, executable: (mode & 0o100) !== 0 });
        }
      }
    };
    const start = under === undefined ? this.path : join(this.path, ...under.split("/"));
    // A link in its place would lead out.
    if ((await lstat(start).catch(() => undefined))?.isDirectory()) await walk(start);
    return { files, leftOut };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
