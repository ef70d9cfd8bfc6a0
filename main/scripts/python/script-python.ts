/** The Python of a job on one machine, with the packages that the script needs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { environmentFor } from "./environments.js";
import { environmentPython, findScriptPython } from "./find-script-python.js";
import { findRequirements, type Requirements } from "./requirements.js";

export interface ScriptPythonOptions {
  /** Folder of the script on this machine. */
  readonly folder: string;
  /** The Python that the user chose, or the folder of its environment. */
  readonly python?: string | undefined;
  /** The file of requirements that the user chose, within the folder. */
  readonly requirements?: string | undefined;
  /** Folder of all environments that Tensordeck makes. */
  readonly environments: string;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface ScriptPython {
  readonly executable: string;
  /** The file of requirements that it has; undefined if it was found as it is. */
  readonly requirements?: string;
}

/** The requirements that the Python of a script has to have; undefined if it is one that exists already. */
export function wantedRequirements({
  folder,
  python,
  requirements,
}: Pick<ScriptPythonOptions, "folder" | "python" | "requirements">): Requirements | undefined {
  const isFound = requirements === undefined && (python !== undefined || hasOwnEnvironment(folder));
  return isFound ? undefined : findRequirements(folder, requirements);
}

/** Whether a folder has a virtual environment of its own. */
export function hasOwnEnvironment(folder: string): boolean {
  return [".venv", "venv"].some((name) => existsSync(environmentPython(join(folder, name))));
}

/**
 * The Python that was chosen; otherwise the .venv beside the script; otherwise one made for its requirements; otherwise
 * the system's.
 *
 * @throws ProblemError as `findScriptPython` and `environmentFor`.
 */
export async function scriptPython(options: ScriptPythonOptions): Promise<ScriptPython> {
  const { folder, python, environments, onProgress, signal } = options;
  const requirements = wantedRequirements(options);
  const found = await findScriptPython({ python, folder, signal });
  if (!requirements) return { executable: found.executable };
  const executable = await environmentFor({
    within: environments,
    requirements,
    python: found,
    onProgress,
    signal,
  });
  return { executable, requirements: requirements.file };
}
