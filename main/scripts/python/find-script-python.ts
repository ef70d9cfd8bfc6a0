/** The Python that runs a script: the one asked for, that of the folder's environment, or the system's. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  askPython,
  findPythons,
  type PythonAnswer,
} from "../../../worker-runtime/engines/tensorflow/find-python.js";
import { findProgram, namedProgram } from "../../../worker-runtime/programs/find-program.js";
import { problem } from "../../shared/problems.js";

/** How a user gives another Python, in the window and on the command line. */
export const HOW_TO_CHOOSE_PYTHON = "Python in the dialog, --python on the command line";

export interface PythonSearch {
  /** A Python or the folder of a virtual environment; undefined if the user did not say. */
  readonly python?: string | undefined;
  /** The script's folder, where a .venv is looked for. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/** The Python within a virtual environment. */
export function environmentPython(folder: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
}

/** A name without a folder is that of an installed Python, even if the current folder has an environment of that name. */
function namedPython(python: string): string | undefined {
  const inside = environmentPython(resolve(python));
  return findProgram(python) ?? (existsSync(inside) ? inside : namedProgram(python));
}

/** @throws ProblemError NOT_FOUND if there is none, or the one that was asked for is none. */
export async function findScriptPython({ python, folder, signal }: PythonSearch): Promise<PythonAnswer> {
  if (python !== undefined) {
    const command = namedPython(python);
    const answer = command === undefined ? undefined : await askPython({ command, args: [] }, signal);
    if (answer) return answer;
    throw problem("NOT_FOUND", `${python} is no Python 3.`, {
      reason: "It could not be started, or did not answer.",
      remedy: "Give the path of a Python 3 program or of a virtual environment.",
    });
  }
  for (const name of [".venv", "venv"]) {
    const command = environmentPython(join(folder, name));
    const answer = existsSync(command) ? await askPython({ command, args: [] }, signal) : undefined;
    if (answer) return answer;
  }
  const found = await findPythons(process.env, signal);
  // One without TensorFlow is right for a script that needs none.
  const best = found.find(({ tensorflow }) => tensorflow !== null) ?? found[0];
  if (best) return best;
  throw problem("NOT_FOUND", "There is no Python 3 on this machine.", {
    remedy: `Install Python 3, or give the path of one (${HOW_TO_CHOOSE_PYTHON}).`,
  });
}
