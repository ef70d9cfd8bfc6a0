/**
 * Which machines this one is paired with, kept in one JSON file of the data folder. `tensordeck agent trust` writes the
 * same file from another process, so it is watched; a machine that is removed loses its rights within a second.
 */
import { type StatWatcher, unwatchFile, watchFile } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Role } from "../../api/machines.js";
import { ProblemError } from "../../api/wire.js";
import { log } from "../../shared/log/log.js";
import { errnoOf, fileProblem, messageOf, problem } from "../../shared/problems.js";
import { writePrivateFile } from "../../storage/private-files.js";
import {
  type Preauthorisation,
  storable,
  type TrustedMachine,
  type TrustFile,
  trustFileSchema,
} from "./trusted-machine.js";

export const TRUST_FILE = "trust.json";

const WATCH_INTERVAL_MILLIS = 1000;
/** The error code for a file that cannot be parsed. */
const BROKEN = "DATA_LOSS";
const nobody: TrustFile = { machines: [], preauthorised: [] };

/** The facts about a paired machine that are learned while it is used. */
export type Learned = Pick<TrustedMachine, "name" | "role" | "addresses" | "callers" | "agentPort">;

/** Called with the machine whose trust was granted, changed or revoked. */
export type TrustListener = (deviceId: string) => void;

export class TrustStore {
  readonly #path: string;
  readonly #listeners = new Set<TrustListener>();
  #machines = new Map<string, TrustedMachine>();
  #preauthorised = new Map<string, Preauthorisation>();
  /** Machines that were removed but are still in the file, which has not been written yet. */
  readonly #forgotten = new Set<string>();
  /** Changes happen one after the other: each is read, changed and written. */
  #changing: Promise<void> = Promise.resolve();
  /** The number of pending changes, during which the file is older than the state in memory. */
  #changes = 0;
  readonly #watcher: StatWatcher;
  readonly #onFileChange = () => inBackground(this.#reread());

  private constructor(path: string, stored: TrustFile) {
    this.#path = path;
    this.#machines = byId(stored.machines);
    this.#preauthorised = byId(stored.preauthorised);
    // Polled: it also works when the limit of watches is reached, and on network file systems.
    this.#watcher = watchFile(
      path,
      { interval: WATCH_INTERVAL_MILLIS, persistent: false },
      this.#onFileChange,
    );
  }

  /**
   * The store of a data folder. A file that cannot be parsed grants no trust; it is kept under another name.
   *
   * @throws ProblemError when the file is there and cannot be read.
   */
  static async load(dataDir: string): Promise<TrustStore> {
    const path = join(dataDir, TRUST_FILE);
    try {
      return new TrustStore(path, await readTrust(path));
    } catch (error) {
      if (!isBroken(error)) throw error;
      const kept = `${path}.broken`;
      log.error(`${messageOf(error)} It is kept as ${kept}; nobody is trusted.`);
      await rename(path, kept);
      return new TrustStore(path, nobody);
    }
  }

  /** In the order in which they were paired. */
  all(): readonly TrustedMachine[] {
    return [...this.#machines.values()];
  }

  get(deviceId: string): TrustedMachine | undefined {
    return this.#machines.get(deviceId);
  }

  /**
   * Trusts a machine, or changes its facts. In effect at once, before it is written.
   *
   * @throws ProblemError when it cannot be written; it nevertheless stays in effect until this process ends.
   */
  async put(machine: TrustedMachine): Promise<void> {
    const kept = storable(machine);
    this.#forgotten.delete(kept.deviceId);
    this.#machines.set(kept.deviceId, kept);
    this.#tell(kept.deviceId);
    await this.#change(({ machines, preauthorised }) => ({
      machines: [...byId(machines).set(kept.deviceId, kept).values()],
      preauthorised,
    }));
  }

  /**
   * Saves facts about a machine. Unlike `put`, it grants no trust: a machine that another process has removed meanwhile
   * stays removed, and a role that was granted there is kept.
   *
   * @throws ProblemError when it cannot be written.
   */
  async update(deviceId: string, learned: Partial<Learned>): Promise<void> {
    const machine = this.#machines.get(deviceId);
    if (!machine) return;
    this.#machines.set(deviceId, storable({ ...machine, ...learned }));
    this.#tell(deviceId);
    await this.#change(({ machines, preauthorised }) => ({
      machines: machines.map((stored) =>
        stored.deviceId === deviceId ? storable({ ...stored, ...learned }) : stored,
      ),
      preauthorised,
    }));
  }

  /**
   * Removes a machine, and its permission to pair without a code. In effect at once: listeners end its connections.
   *
   * @throws ProblemError when it cannot be written; the machine would be trusted again after a restart, and not before.
   */
  async remove(deviceId: string): Promise<void> {
    this.#forgotten.add(deviceId);
    const known = this.#machines.delete(deviceId);
    this.#preauthorised.delete(deviceId);
    if (known) this.#tell(deviceId);
    await this.#change(({ machines, preauthorised }) => ({
      machines: machines.filter((machine) => machine.deviceId !== deviceId),
      preauthorised: preauthorised.filter((entry) => entry.deviceId !== deviceId),
    }));
  }

  /**
   * Lets a machine pair without a code: its device ID was entered here by the user or by the person who set
   * up this machine.
   *
   * @param role What it will be allowed here.
   * @throws ProblemError when it cannot be written.
   */
  async preauthorise(deviceId: string, role: Role): Promise<void> {
    const entry = { deviceId, role };
    this.#preauthorised.set(deviceId, entry);
    await this.#change(({ machines, preauthorised }) => ({
      machines,
      preauthorised: [...byId(preauthorised).set(deviceId, entry).values()],
    }));
  }

  /**
   * The role granted to a machine by `preauthorise`, possibly just now by another process. Its pairing uses up the
   * grant.
   */
  async preauthorisation(deviceId: string): Promise<Preauthorisation | undefined> {
    await this.#reread();
    return this.#preauthorised.get(deviceId);
  }

  async spendPreauthorisation(deviceId: string): Promise<void> {
    if (!this.#preauthorised.delete(deviceId)) return;
    await this.#change(({ machines, preauthorised }) => ({
      machines,
      preauthorised: preauthorised.filter((entry) => entry.deviceId !== deviceId),
    }));
  }

  /** Calls the listener after every change, until the returned function is called. */
  onChange(listener: TrustListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops watching the file; resolves when pending changes are written. */
  async close(): Promise<void> {
    unwatchFile(this.#path, this.#onFileChange);
    this.#watcher.unref();
    this.#listeners.clear();
    await this.#changing;
  }

  /** Applies a change to the current content of the file, so that another process's change is kept. */
  async #change(changed: (stored: TrustFile) => TrustFile): Promise<void> {
    this.#changes++;
    const written = this.#changing.then(async () => {
      try {
        const stored = await readTrust(this.#path).catch((error: unknown) => {
          if (!isBroken(error)) throw error;
          return { machines: this.all(), preauthorised: [...this.#preauthorised.values()] };
        });
        const forgotten = [...this.#forgotten];
        const next = this.#withoutForgotten(changed(stored));
        await writePrivateFile(this.#path, `${JSON.stringify(next, undefined, 2)}\n`);
        for (const deviceId of forgotten) this.#forgotten.delete(deviceId);
      } catch (error) {
        throw fileProblem(`The paired machines could not be written to ${this.#path}`, error);
      } finally {
        this.#changes--;
      }
    });
    this.#changing = written.catch(() => undefined);
    await written;
  }

  /** Applies what another process wrote. An unreadable file changes nothing. */
  async #reread(): Promise<void> {
    await this.#changing;
    const read = await readTrust(this.#path).catch(() => undefined);
    // Pending changes are newer than what was read, and the file is read again once it is written.
    if (!read || this.#changes > 0) return;
    const stored = this.#withoutForgotten(read);
    const before = this.#machines;
    this.#machines = byId(stored.machines);
    this.#preauthorised = byId(stored.preauthorised);
    for (const id of new Set([...before.keys(), ...this.#machines.keys()])) {
      if (JSON.stringify(before.get(id)) !== JSON.stringify(this.#machines.get(id))) this.#tell(id);
    }
  }

  #withoutForgotten({ machines, preauthorised }: TrustFile): TrustFile {
    const isForgotten = (deviceId: string) => this.#forgotten.has(deviceId);
    return {
      machines: machines.filter(({ deviceId }) => !isForgotten(deviceId)),
      // It may have been granted again since then.
      preauthorised: preauthorised.filter(
        ({ deviceId }) => !isForgotten(deviceId) || this.#preauthorised.has(deviceId),
      ),
    };
  }

  #tell(deviceId: string): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(deviceId);
      } catch (error) {
        log.error("A listener of the paired machines failed:", error);
      }
    }
  }
}

function byId<T extends { readonly deviceId: string }>(entries: readonly T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.deviceId, entry]));
}

/** @throws ProblemError DATA_LOSS when the file cannot be parsed; another code when it cannot be read. */
async function readTrust(path: string): Promise<TrustFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return nobody;
    throw fileProblem(`The paired machines could not be read from ${path}`, error);
  }
  try {
    return trustFileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw problem(BROKEN, `The paired machines in ${path} cannot be understood.`, {
      details: messageOf(error),
    });
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === BROKEN;
}
