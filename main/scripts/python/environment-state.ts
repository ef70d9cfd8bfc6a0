/** What a machine has of the Python that a script needs, before the script comes there. */
import type { Problem } from "../../api/problem.js";
import { problemOf } from "../../shared/problems.js";
import { checkInstaller, hasEnvironmentFor } from "./environments.js";
import { findScriptPython } from "./find-script-python.js";
import type { RequirementsDigest } from "./requirements.js";

export interface EnvironmentState {
  /** Whether the script can start at once; otherwise an environment is made first. */
  readonly ready: boolean;
  /** Version of the Python, "3.11.2". */
  readonly python?: string | undefined;
  /** Why the script cannot run there. */
  readonly problem?: Problem | undefined;
}

export interface StateQuery {
  /** Folder of all environments that Tensordeck makes. */
  readonly environments: string;
  /** A folder without a script: what is looked for is the machine's own Python. */
  readonly folder: string;
  /** Undefined for a script that names none. */
  readonly requirements: RequirementsDigest | undefined;
}

/** Looks only: nothing is made. */
export async function environmentState(
  { environments, folder, requirements }: StateQuery,
  signal: AbortSignal,
): Promise<EnvironmentState> {
  let version: string | undefined;
  try {
    const python = await findScriptPython({ folder, signal });
    version = python.version.join(".");
    if (!requirements || hasEnvironmentFor(environments, requirements, python))
      return { ready: true, python: version };
    await checkInstaller(requirements.kind, signal);
    return { ready: false, python: version };
  } catch (error) {
    signal.throwIfAborted();
    return { ready: false, python: version, problem: problemOf(error) };
  }
}
