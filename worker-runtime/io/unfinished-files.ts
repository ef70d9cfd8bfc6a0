/**
 * Files that are being written have names that tell who writes them, so that the next process that writes into their
 * folder can remove what a killed one has left: only that, and never what anybody may still be writing.
 */
import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { access, lstat, readdir, rm } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";

/** The end of a file's name while it is written: TensorFlow's own, and the writer unless that is TensorFlow. */
const TEMPSTATE = /^(.+)\.tempstate\d+(?:-([0-9a-f]{12})-(\d+))?$/;
const HIDDEN = /^\.(.+?)(?:\.([0-9a-f]{12})-(\d+))?\.[0-9a-f]{12}\.tmp$/;
/**
 * Nobody goes on writing a file that has not changed for a day. It is the only sign that TensorFlow's own files give, and
 * those of containers and machines that no longer exist.
 */
const ABANDONED_AFTER_MILLIS = 24 * 60 * 60 * 1000;

let host: string | undefined;

/** Where process ids are known: this machine, and on Linux, its containers apart. */
function hostMark(): string {
  if (host === undefined) {
    const cards = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ mac }) => mac);
    const hash = createHash("sha256").update([hostname(), processNamespace(), ...new Set(cards)].join(" "));
    host = hash.digest("hex").slice(0, 12);
  }
  return host;
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** This process, for the names of the files that it is writing: "0123456789ab-4711". */
export function writerMark(): string {
  return `${hostMark()}-${process.pid}`;
}

/** True if the process with this mark was one of this machine and is gone; undefined if it is not of this machine. */
function isGone(markedHost: string | undefined, pid: number): boolean | undefined {
  if (markedHost !== hostMark()) return undefined;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

async function isOld(path: string): Promise<boolean> {
  return Date.now() - (await lstat(path)).mtimeMs > ABANDONED_AFTER_MILLIS;
}

/**
 * Removes what processes that are gone were writing in a folder, and what unknown ones have not written to for a day:
 * incomplete files, and the data of checkpoints that have no index yet. Errors are ignored: it is only tidied.
 */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const remove = (name: string) => rm(join(folder, name), { recursive: true, force: true });
  for (const name of names) {
    const [, target, markedHost, pid] = TEMPSTATE.exec(name) ?? HIDDEN.exec(name) ?? [];
    if (target === undefined) continue;
    try {
      const gone = isGone(markedHost, Number(pid));
      if (!(gone ?? (await isOld(join(folder, name))))) continue;
      if (!(await isNeeded(folder, name, target))) await remove(name);
      if (!target.endsWith(".index")) continue;
      for (const orphan of orphansOf(target, name, names)) {
        // Somebody may be saving under that name again, and have written no index yet.
        if (gone || (await isOld(join(folder, orphan)))) await remove(orphan);
      }
    } catch {
      // It is another account's, or on a disk that is full or gone.
    }
  }
}

/** A folder that is replaced is moved aside first: until the new one is there, it is the only one. */
async function isNeeded(folder: string, name: string, target: string): Promise<boolean> {
  const isFolder = await readdir(join(folder, name)).then(
    () => true,
    () => false,
  );
  if (!isFolder || target.endsWith("_parts")) return false;
  return access(join(folder, target)).then(
    () => false,
    () => true,
  );
}

/** The data files of a checkpoint whose index the removed file was going to be. */
function orphansOf(index: string, removed: string, names: readonly string[]): string[] {
  if (names.includes(index)) return [];
  const isAnothers = names.some((name) => name !== removed && name.startsWith(`${index}.tempstate`));
  const prefix = `${index.slice(0, -".index".length)}.data-`;
  return isAnothers
    ? []
    : names.filter((name) => name.startsWith(prefix) && /^\d{5}-of-\d{5}$/.test(name.slice(prefix.length)));
}
