/**
 * Keeps two applications of one user from giving the same port to their tasks. Half a second passes between choosing a
 * port and TensorFlow listening on it, and on Linux its servers share a port without an error (SO_REUSEPORT), so calls
 * would reach one or the other by chance.
 *
 * The locks are in a folder of the user within the system's temporary folder, where any account could create a folder
 * of that name first: to hold every port with its own locks, or to redirect reads and removals by links.
 */
import { chmod, lstat, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { processExists } from "../../worker-runtime/engines/process-exists.js";
import { log } from "../shared/log/log.js";
import { errnoOf, messageOf } from "../shared/problems.js";

/** For the owner alone. */
const PRIVATE_MODE = 0o700;

export interface PortLocksOptions {
  /** The account that the folder has to belong to; this process's own unless given. None on Windows. */
  readonly account?: number | undefined;
  /** Called once with the reason if no locks can be kept. */
  readonly warn?: (text: string) => void;
}

export class PortLocks {
  readonly #folder: string;
  readonly #account: number | undefined;
  readonly #warn: (text: string) => void;
  /** Locks whose files this object has to remove. */
  readonly #held = new Set<number>();
  #hasWarned = false;

  constructor(folder = defaultFolder(), options: PortLocksOptions = {}) {
    this.#folder = folder;
    this.#account = options.account ?? process.getuid?.();
    this.#warn = options.warn ?? log.warning;
  }

  /** Takes the lock of a port. Returns false while another living process has it. */
  async take(port: number): Promise<boolean> {
    const obstacle = await this.#prepare();
    if (obstacle !== undefined) {
      // Without locks, only the port itself is checked.
      if (!this.#hasWarned) {
        this.#warn(
          `${obstacle} Until that is removed, two Tensordecks of this account that start tasks at the same moment may ` +
            "give them the same port.",
        );
      }
      this.#hasWarned = true;
      return true;
    }
    const file = this.#file(port);
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        await writeFile(file, String(process.pid), { flag: "wx" });
        this.#held.add(port);
        return true;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") return true;
      }
      const owner = Number(await readFile(file, "utf8").catch(() => ""));
      // The owner of an empty file is about to write it.
      if (owner === process.pid) this.#held.add(port);
      if (owner === 0 || owner === process.pid || processExists(owner)) return owner === process.pid;
      await unlink(file).catch(() => undefined);
    }
    return false;
  }

  async release(port: number): Promise<void> {
    if (this.#held.delete(port)) await unlink(this.#file(port)).catch(() => undefined);
  }

  /** Creates the folder, or checks that it belongs to this account only. Otherwise returns the obstacle. */
  async #prepare(): Promise<string | undefined> {
    try {
      await mkdir(this.#folder, { mode: PRIVATE_MODE }).catch((error: unknown) => {
        if (errnoOf(error) !== "EEXIST") throw error;
      });
      // Links are not followed.
      const found = await lstat(this.#folder);
      if (!found.isDirectory()) return `${this.#folder} is not a folder.`;
      if (this.#account === undefined) return undefined;
      if (found.uid !== this.#account) return `${this.#folder} belongs to another account.`;
      if ((found.mode & 0o777) !== PRIVATE_MODE) await chmod(this.#folder, PRIVATE_MODE);
      return undefined;
    } catch (error) {
      return `${this.#folder} cannot be used: ${messageOf(error)}.`;
    }
  }

  #file(port: number): string {
    return join(this.#folder, String(port));
  }
}

/** Named by the account's number if there is one: a container may run an account that has no name. */
function defaultFolder(): string {
  return join(tmpdir(), `tensordeck-ports-${process.getuid?.() ?? userInfo().username}`);
}
