/** The modules that a script needs of its Python, as far as its text says so. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Modules of the script's own folder that are looked into. */
const MOST_SOURCES = 200;
const MOST_SOURCE_BYTES = 1_000_000;
/** Modules that a machine is asked for; a script that needs more says so when it runs. */
export const MOST_MODULES = 500;
/** A name that another machine can be asked for; Python's grammar allows more letters than packages have. */
export const MODULE_NAME = /^[A-Za-z_]\w{0,99}$/;

const textsAndComments = /#[^\n]*|("""|''')[\s\S]*?(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const ownPath = /\bsys\.path\b|\baddsitedir\b/;

/**
 * The dotted names of the modules that a source imports at its left margin: these are needed whenever it runs. What is
 * imported within functions, conditions or `try` may never be needed.
 */
export function importsOf(source: string): string[] {
  const code = source.replace(textsAndComments, "");
  const lines = code.split(/\r?\n/).filter((line) => /^\S/.test(line));
  return [...new Set(lines.flatMap((line) => line.split(";").flatMap(importsOfStatement)))];
}

function importsOfStatement(statement: string): string[] {
  const text = statement.trimStart();
  const from = /^from\s+([\w.]+)\s+import\b/.exec(text)?.[1];
  if (from !== undefined) return from.startsWith(".") ? [] : [from];
  const names = /^import\s+(.*)$/.exec(text)?.[1] ?? "";
  return names.split(",").flatMap((name) => /^\s*([\w.]+)/.exec(name)?.[1] ?? []);
}

/**
 * The top-level modules that a script needs and its folder does not have: those that it imports when it starts, and
 * those that modules of the folder import for it. Of a script that adds folders to its path only `tensorflow` counts.
 *
 * @param folder where the tasks run.
 * @param script path within the folder, with slashes.
 */
export async function importedModules(folder: string, script: string): Promise<string[]> {
  const path = join(folder, ...script.split("/"));
  // Python looks for modules beside the script first.
  const scriptFolder = dirname(path);
  const needed = new Set<string>();
  const sources = [path];
  let isOwnPath = false;
  for (const source of sources) {
    const text = await readSource(source);
    isOwnPath ||= ownPath.test(text);
    for (const name of importsOf(text)) {
      const [top = ""] = name.split(".");
      if (!isInFolder(scriptFolder, top)) {
        if (MODULE_NAME.test(top)) needed.add(top);
        continue;
      }
      const inner = innerSources(scriptFolder, name).filter((found) => !sources.includes(found));
      sources.push(...inner.slice(0, Math.max(0, MOST_SOURCES - sources.length)));
    }
  }
  return [...needed].filter((name) => !isOwnPath || name === "tensorflow").slice(0, MOST_MODULES);
}

/** Empty for what is no file, or no source that a person has written. */
async function readSource(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > MOST_SOURCE_BYTES) return "";
  return await readFile(path, "utf8").catch(() => "");
}

function isInFolder(folder: string, name: string): boolean {
  return existsSync(join(folder, `${name}.py`)) || existsSync(join(folder, name));
}

/** Where the sources of a module and of the packages around it would be. */
function innerSources(folder: string, name: string): string[] {
  const parts = name.split(".");
  return parts.flatMap((_, index) => {
    const path = join(folder, ...parts.slice(0, index + 1));
    return [`${path}.py`, join(path, "__init__.py")];
  });
}
