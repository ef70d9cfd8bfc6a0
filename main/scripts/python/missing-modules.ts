/** Modules that a Python lacks, and what is to be done then. */
import { z } from "zod";
import { runProgram } from "../../../worker-runtime/programs/run-program.js";
import { problem } from "../../shared/problems.js";
import { HOW_TO_CHOOSE_PYTHON } from "./find-script-python.js";

const DEADLINE_MILLIS = 5_000;

/** Packages whose modules have other names. */
const packageOfModule = new Map([
  ["cv2", "opencv-python"],
  ["PIL", "pillow"],
  ["sklearn", "scikit-learn"],
  ["skimage", "scikit-image"],
  ["yaml", "pyyaml"],
  ["bs4", "beautifulsoup4"],
  ["google.protobuf", "protobuf"],
]);

// find_spec of a top-level module finds it without running any of it; for one that runs already it can raise ValueError.
const question = `
import importlib.util, json, sys
def is_missing(name):
    try:
        return importlib.util.find_spec(name) is None
    except ValueError:
        return False
print(json.dumps([name for name in sys.argv[1:] if is_missing(name)]))
`;

/** Those of some top-level modules that a Python does not have; none if it does not answer. */
export async function missingModules(
  python: string,
  modules: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  if (modules.length === 0) return [];
  const options = { timeoutMillis: DEADLINE_MILLIS, signal };
  const { error, stdout } = await runProgram(python, ["-c", question, ...modules], options);
  if (error !== undefined) return [];
  try {
    return z.array(z.string()).catch([]).parse(JSON.parse(stdout));
  } catch {
    return [];
  }
}

/** Where the Python of a script has its packages from. */
export interface PackageSource {
  /** Name of the file of requirements that it was made for. */
  readonly requirements?: string | undefined;
  /** True: it is the environment beside the script. */
  readonly isOwn?: boolean | undefined;
}

/** The step that makes modules available to a script, "Add opencv-python to requirements.txt." */
export function moduleRemedy(modules: readonly string[], { requirements, isOwn }: PackageSource): string {
  const names = modules.map(packageOf).join(", ");
  if (requirements !== undefined) return `Add ${names} to ${requirements}.`;
  const way = isOwn
    ? `Install ${names} into the environment beside the script`
    : `List ${names} in a requirements.txt beside the script`;
  return `${way}, or choose a Python that has ${modules.length === 1 ? "it" : "them"} (${HOW_TO_CHOOSE_PYTHON}).`;
}

/** "Python 3.11 lacks tensorflow, which the script imports." */
export function lackOfModules(version: string, modules: readonly string[], source: PackageSource) {
  const relative = modules.length === 1 ? "which" : "all of which";
  return problem(
    "FAILED_PRECONDITION",
    `Python ${version} lacks ${modules.join(", ")}, ${relative} the script imports.`,
    { remedy: moduleRemedy(modules, source) },
  );
}

function packageOf(module: string): string {
  const [top = module] = module.split(".");
  return packageOfModule.get(module) ?? packageOfModule.get(top) ?? top;
}
