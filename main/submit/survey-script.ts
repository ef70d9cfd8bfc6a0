/** The conditions of a script's run: the files that are sent, its packages, and how it distributes its training. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { decodeText } from "../../worker-runtime/io/text-encoding.js";
import type { ScriptLocation, ScriptPackages, ScriptSurvey } from "../api/scripts.js";
import { isInnerPath } from "../scripts/files/file-paths.js";
import { surveyFolder } from "../scripts/files/script-files.js";
import { environmentState, shownState } from "../scripts/python/environment-state.js";
import { importedModules } from "../scripts/python/imported-modules.js";
import { type Requirements, requirementsDigest } from "../scripts/python/requirements.js";
import { hasOwnEnvironment, wantedRequirements } from "../scripts/python/script-python.js";
import { findStrategy } from "../scripts/strategy.js";
import { defined, fileProblem, problem, problemOf } from "../shared/problems.js";
import { DEFAULT_MAX_MB } from "./job-settings.js";

const MOST_SHOWN = 200;
/** Folders around a script's that may be sent instead of it. */
const MOST_FOLDERS = 4;

export interface Located {
  readonly folder: string;
  /** Path of the script within the folder, with slashes. */
  readonly script: string;
}

/**
 * The folder of a script and the script's path in it.
 *
 * @throws ProblemError NOT_FOUND, INVALID_ARGUMENT.
 */
export async function locateScript({ path, folder = dirname(path) }: ScriptLocation): Promise<Located> {
  const found = isAbsolute(path) ? await stat(path).catch(() => undefined) : undefined;
  if (!found?.isFile()) {
    throw problem("NOT_FOUND", `There is no script ${path}.`, {
      remedy: "Choose a Python script on the machine that runs Tensordeck.",
    });
  }
  const script = relative(folder, path).split(sep).join("/");
  if (isInnerPath(script)) return { folder, script };
  throw problem("INVALID_ARGUMENT", `${basename(path)} is not within ${folder}.`, {
    remedy: "Choose the script's folder or one around it.",
  });
}

/** @throws ProblemError NOT_FOUND, INVALID_ARGUMENT; Node's own if the script cannot be read. */
export async function surveyScript(
  location: ScriptLocation,
  environments: string,
  signal: AbortSignal,
): Promise<ScriptSurvey> {
  const { folder, script } = await locateScript(location);
  const { path } = location;
  const source = await readFile(path, "utf8").catch((error: unknown) => {
    throw fileProblem(`${basename(path)} could not be read`, error);
  });
  const [files, packages] = await Promise.all([
    filesOf(folder, signal),
    packagesOf({ folder, script, python: location.python }, environments, signal),
  ]);
  return defined({
    ...{ path, script, folder, packages },
    folders: foldersAround(path),
    ...files,
    strategy: findStrategy(source),
  });
}

async function filesOf(
  folder: string,
  signal: AbortSignal,
): Promise<Pick<ScriptSurvey, "files" | "problem">> {
  try {
    const { files, totalBytes, leftOut } = await surveyFolder(folder, DEFAULT_MAX_MB * 1e6, signal);
    const largest = [...files].sort((a, b) => b.size - a.size).slice(0, MOST_SHOWN);
    return {
      files: {
        ...{ count: files.length, bytes: totalBytes, leftOutCount: leftOut.length },
        largest: largest.map(({ path, size }) => ({ path, bytes: size })),
        leftOut: leftOut.slice(0, MOST_SHOWN),
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: problemOf(error) };
  }
}

async function packagesOf(
  { folder, script, python }: Located & Pick<ScriptLocation, "python">,
  environments: string,
  signal: AbortSignal,
): Promise<ScriptPackages> {
  const wanted = wantedRequirements({ folder, python });
  const isOwn = python === undefined && hasOwnEnvironment(folder);
  const kind = python !== undefined ? "chosen" : wanted ? "requirements" : isOwn ? "own" : "system";
  const file = wanted && basename(wanted.file);
  const listed = wanted && { file, count: await countOf(wanted) };
  try {
    const [requirements, modules] = await Promise.all([
      wanted && requirementsDigest(wanted),
      importedModules(folder, script),
    ]);
    const state = await environmentState({ environments, folder, python, requirements, modules }, signal);
    return { kind, ...listed, ...shownState(state, { requirements: file, isOwn }) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind, ...listed, ready: false, problem: problemOf(error) };
  }
}

async function countOf({ file }: Requirements): Promise<number> {
  const text = decodeText(await readFile(file).catch(() => Buffer.alloc(0)));
  const isList = file.endsWith(".txt");
  // A line names a package, a file or an address, unless it is an option or a comment.
  return text.match(isList ? /^[ \t]*[^\s#-]/gm : /^\[\[packages?\]\]/gm)?.length ?? 0;
}

/** The script's folder and those around it, up to that of its repository. */
function foldersAround(path: string): string[] {
  const folders = [dirname(path)];
  while (folders.length < MOST_FOLDERS && !existsSync(join(folders.at(-1) ?? "", ".git"))) {
    const last = folders.at(-1) ?? "";
    if (dirname(last) === last) break;
    folders.push(dirname(last));
  }
  return folders;
}
