/** The state of the Python that a script needs on a machine, before the script comes there. */
import type { Problem } from "../../api/problem.js";
import { defined, problemOf } from "../../shared/problems.js";
import { checkInstaller, madeEnvironment } from "./environments.js";
import { findScriptPython } from "./find-script-python.js";
import { lackOfModules, missingModules, type PackageSource } from "./missing-modules.js";
import type { RequirementsDigest } from "./requirements.js";

export interface EnvironmentState {
  /** Whether the script can start at once; otherwise an environment is made first. */
  readonly ready: boolean;
  /** Version of the Python, "3.11". */
  readonly python?: string | undefined;
  /** Modules that the script needs and the Python lacks; empty while its environment is still to be made. */
  readonly missing?: readonly string[] | undefined;
  /** Why the script cannot run there. */
  readonly problem?: Problem | undefined;
}

export interface StateQuery {
  /** Folder of all environments that Tensordeck makes. */
  readonly environments: string;
  /** A folder without a script: what is looked for is the machine's own Python. */
  readonly folder: string;
  /** The Python that the user chose; undefined for the one that is found. */
  readonly python?: string | undefined;
  /** Undefined for a script that names none. */
  readonly requirements: RequirementsDigest | undefined;
  /** Top-level modules that the script needs. */
  readonly modules: readonly string[];
}

/** Looks only: nothing is made. */
export async function environmentState(
  { environments, folder, python: chosen, requirements, modules }: StateQuery,
  signal: AbortSignal,
): Promise<EnvironmentState> {
  let version: string | undefined;
  try {
    const python = await findScriptPython({ python: chosen, folder, signal });
    version = python.version.join(".");
    const made = requirements ? madeEnvironment(environments, requirements, python) : python.executable;
    if (made !== undefined) {
      return { ready: true, python: version, missing: await missingModules(made, modules, signal) };
    }
    if (requirements) await checkInstaller(requirements.kind, signal);
    return { ready: false, python: version };
  } catch (error) {
    signal.throwIfAborted();
    return { ready: false, python: version, problem: problemOf(error) };
  }
}

/** A state as it is shown: modules that are missing are why the script cannot run there. */
export function shownState(
  { ready, python, missing = [], problem }: EnvironmentState,
  source: PackageSource,
) {
  const lack = missing.length > 0 ? problemOf(lackOfModules(python ?? "", missing, source)) : undefined;
  return defined({ ready: ready && !lack, python, problem: problem ?? lack });
}
