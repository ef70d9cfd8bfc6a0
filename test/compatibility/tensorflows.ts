/** Environments with one TensorFlow each, made on demand in .cache. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fillEnvironment, pythonOf, TENSORFLOW_PACKAGE } from "../../build/lib/peers/python.mjs";
import { ask, findProgram } from "../../build/lib/programs.mjs";
import { repositoryRoot } from "../support/find-peers.js";

/** The minor versions of Python 3 that PyPI has wheels of a TensorFlow for: the first and the last. */
const PYTHONS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  "2.9": [7, 10],
  "2.13": [8, 11],
  "2.16": [9, 12],
  "2.19": [9, 12],
  "2.21": [10, 13],
};

/** Oldest first. */
export const VERSIONS: readonly string[] = Object.keys(PYTHONS);

export interface InstalledTensorflow {
  /** As it reports itself, such as `2.16.2`. */
  readonly version: string;
  readonly python: string;
  /** Whether the wheel carries a libtensorflow_cc, which engine `tensorflow` can load. */
  readonly hasLibrary: boolean;
  /** Folder of its package `tensorflow`. */
  readonly packageFolder: string;
}

const LOOK = `
import importlib.metadata as m, importlib.util as u, json, os, sys
version = next(d.version for d in m.distributions() if d.metadata["Name"].lower().replace("_", "-") in ("tensorflow-cpu", "tensorflow"))
folder = os.path.dirname(u.find_spec("tensorflow").origin)
library = any(name.startswith("libtensorflow_cc") for name in os.listdir(folder))
print(json.dumps({"version": version, "hasLibrary": library, "packageFolder": folder}))
`;

function look(python: string): Omit<InstalledTensorflow, "python"> | undefined {
  const { ok, stdout } = ask(python, ["-c", LOOK]);
  return ok ? (JSON.parse(stdout) as Omit<InstalledTensorflow, "python">) : undefined;
}

/** The newest Python that has a wheel of a TensorFlow. @throws Error that names those that would do. */
function pythonFor(version: string): string {
  const [first, last] = PYTHONS[version] ?? [0, -1];
  for (let minor = last; minor >= first; minor -= 1) {
    // A program of that name may be a launcher that knows of no such Python.
    const program = findProgram(`python3.${minor}`);
    if (program !== undefined && ask(program, ["-c", "import venv, ensurepip"]).ok) return program;
  }
  throw new Error(
    `TensorFlow ${version} has wheels for Python 3.${first} to 3.${last}, and none of them is on PATH with its venv module.`,
  );
}

/**
 * The environment of a TensorFlow, made and filled if it is not there: some 250 MB to fetch and 1.5 GB on disk.
 *
 * @throws Error if there is no such version in the list, no Python for it, or pip fails, with the reason.
 */
export async function bringTensorflow(version: string): Promise<InstalledTensorflow> {
  if (!Object.hasOwn(PYTHONS, version)) {
    throw new Error(`There is no TensorFlow ${version} in the list; there are ${VERSIONS.join(", ")}.`);
  }
  const folder = join(repositoryRoot, ".cache", "compatibility", version);
  const python = pythonOf(folder);
  const present = existsSync(python) ? look(python) : undefined;
  if (present !== undefined) return { ...present, python };
  await mkdir(folder, { recursive: true });
  const why = await fillEnvironment(folder, pythonFor(version), [
    `${TENSORFLOW_PACKAGE}==${version}.*`,
    // TensorFlow up to 2.15 was built against NumPy 1 and does not say so in every release.
    ...(Number(version.split(".")[1]) < 16 ? ["numpy<2"] : []),
  ]);
  if (why !== undefined) throw new Error(why);
  const found = look(python);
  if (found === undefined) throw new Error("pip installed it, and yet it is not found.");
  return { ...found, python };
}
