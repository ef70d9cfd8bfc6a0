/**
 * Keeps two applications of one user from giving the same port to their tasks. Between choosing a port and the moment at
 * which TensorFlow listens on it lies half a second, and on Linux its servers share a port without complaint
 * (SO_REUSEPORT), so that calls would go to the one or the other by chance.
 */
import { mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { processExists } from "../../worker-runtime/engines/process-exists.js";
import { errnoOf } from "../problems.js";

export class PortLocks {
  readonly #folder: string;

  constructor(folder = join(tmpdir(), `tensordeck-ports-${userInfo().username}`)) {
    this.#folder = folder;
  }

  /** Takes the lock of a port. Answers false while another living process has it. */
  async take(port: number): Promise<boolean> {
    try {
      await mkdir(this.#folder, { recursive: true });
    } catch {
      // Where no lock can be kept, the check of the port itself must do.
      return true;
    }
    const file = this.#file(port);
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        await writeFile(file, String(process.pid), { flag: "wx" });
        return true;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") return true;
      }
      const owner = Number(await readFile(file, "utf8").catch(() => ""));
      // An empty file is one that its owner is about to write.
      if (owner === 0 || owner === process.pid || processExists(owner)) return owner === process.pid;
      await unlink(file).catch(() => undefined);
    }
    return false;
  }

  async release(port: number): Promise<void> {
    await unlink(this.#file(port)).catch(() => undefined);
  }

  #file(port: number): string {
    return join(this.#folder, String(port));
  }
}
