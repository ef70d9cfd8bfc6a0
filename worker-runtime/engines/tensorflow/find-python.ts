import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isFullPath } from "../../programs/find-program.js";
import { neutralFolder, runProgram } from "../../programs/run-program.js";

/** Starting a Python and asking it takes 50 ms; one on a sleeping network drive must not block the search. */
const DEADLINE_MILLIS = 5_000;

/** A way to call a Python: the program and the arguments that go first. */
export interface PythonCommand {
  readonly command: string;
  readonly args: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Pythons to query, the active environment's first. They may not exist. */
export function pythonCommands(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): PythonCommand[] {
  const windows = platform === "win32";
  const environments = [env.VIRTUAL_ENV, env.CONDA_PREFIX].filter(
    (folder) => folder !== undefined && isFullPath(folder, platform),
  );
  const commands: PythonCommand[] = environments.map((folder) => ({
    command: windows
      ? ([path.join(folder ?? "", "Scripts", "python.exe"), path.join(folder ?? "", "python.exe")].find(
          existsSync,
        ) ?? path.join(folder ?? "", "python.exe"))
      : path.join(folder ?? "", "bin", "python"),
    args: [],
  }));
  if (windows) {
    commands.push({ command: "py", args: ["-3"] }, { command: "python", args: [] });
  } else {
    commands.push({ command: "python3", args: [] }, { command: "python", args: [] });
  }
  return commands;
}

const answerSchema = z.object({
  executable: z.string(),
  /** [major, minor] */
  version: z.tuple([z.number(), z.number()]),
  /** The folder of the tensorflow package, null when there is none. */
  tensorflow: z.string().nullable(),
  /** The folder of the Python installation itself: on Windows its DLL lies there. */
  base: z.string(),
  pip: z.boolean(),
});

export type PythonAnswer = z.infer<typeof answerSchema>;

// find_spec of a top-level package finds it without running any of it.
const question = `
import importlib.util, json, os, sys
def folder(name):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    places = list(spec.submodule_search_locations or []) if spec else []
    return os.path.abspath(places[0]) if places else None
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:2]),
  "tensorflow": folder("tensorflow"), "base": sys.base_prefix, "pip": folder("pip") is not None}))
`;

/** The facts that a Python reports; undefined if it does not exist, does not answer, or is not a Python 3. */
export async function askPython(
  python: PythonCommand,
  signal?: AbortSignal,
): Promise<PythonAnswer | undefined> {
  const { error, stdout } = await runProgram(python.command, [...python.args, "-c", question], {
    timeoutMillis: DEADLINE_MILLIS,
    // A tensorflow.py in the folder that the user happens to be in is not a package.
    cwd: neutralFolder(),
    signal,
  });
  return error === undefined ? parseAnswer(stdout) : undefined;
}

function parseAnswer(text: string): PythonAnswer | undefined {
  try {
    const parsed = answerSchema.safeParse(JSON.parse(text.trim().split("\n").at(-1) ?? ""));
    return parsed.success && parsed.data.version[0] === 3 ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Every Python that answers, in order of preference, each executable once. */
export async function findPythons(
  env: Environment = process.env,
  signal?: AbortSignal,
): Promise<PythonAnswer[]> {
  const answers = await Promise.all(pythonCommands(env).map((python) => askPython(python, signal)));
  const seen = new Set<string>();
  return answers.filter((answer): answer is PythonAnswer => {
    if (answer === undefined || seen.has(answer.executable)) {
      return false;
    }
    seen.add(answer.executable);
    return true;
  });
}
