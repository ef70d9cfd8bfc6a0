/**
 * A new identity for an installation that is a copy of another one, such as a memory card's: both have the same key, and
 * are mistaken for each other. It is made when the program starts: a running one is known by its key to all connected
 * machines.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, fileProblem } from "../../shared/problems.js";
import { makePrivateFolder, writePrivateFile } from "../../storage/private-files.js";
import { TRUST_FILE } from "../trust/trust-store.js";
import { IDENTITY_FILE, loadIdentity } from "./identity.js";

const REQUEST_FILE = "new-identity";
/** Owners of tasks are named by device ID. */
const TASKS_FILE = "tasks.json";

/** Makes the next start create a new identity. @throws ProblemError when the request cannot be saved. */
export async function requestNewIdentity(dataDir: string): Promise<void> {
  try {
    await makePrivateFolder(dataDir);
    await writeFile(join(dataDir, REQUEST_FILE), "", { mode: 0o600 });
  } catch (error) {
    throw fileProblem("The request for a new identity could not be saved", error);
  }
}

/**
 * Makes a new identity if one was requested. The old one is kept beside it. Paired machines knew this one by the old
 * key, so the pairings are removed; the tasks of this machine stay its own. Only for the process that holds the data
 * folder, before anything in it is read.
 *
 * @throws ProblemError when it cannot be created; the next start tries again.
 */
export async function renewIfAsked(dataDir: string): Promise<void> {
  const request = join(dataDir, REQUEST_FILE);
  try {
    if ((await readIfThere(request)) === undefined) return;
    const before = await loadIdentity(dataDir);
    const path = join(dataDir, IDENTITY_FILE);
    await rename(path, `${path}.before`);
    const { deviceId } = await loadIdentity(dataDir);
    await rm(join(dataDir, TRUST_FILE), { force: true });
    const tasks = join(dataDir, TASKS_FILE);
    const kept = await readIfThere(tasks);
    if (kept !== undefined) await writePrivateFile(tasks, kept.replaceAll(before.deviceId, deviceId));
    await rm(request);
  } catch (error) {
    throw fileProblem("A new identity could not be created", error);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
