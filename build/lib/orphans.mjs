// Removes what a source left in build/out that is no longer there: neither the compiler nor the copying does, and packages
// would contain it.
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The folders of build/out whose files have one source each. */
const FOLDERS = ["main", "protos", "worker-runtime"];

/** The files that the compiler makes of a source; undefined for one that is copied as it is. */
function outputsOf(source) {
  const [, path, prefix = ""] = /^(.*?)\.(c?)tsx?$/.exec(source) ?? [];
  if (path === undefined) return [source];
  return [`.${prefix}js`, `.d.${prefix}ts`].flatMap((ending) => [`${path}${ending}`, `${path}${ending}.map`]);
}

/**
 * Removes all files of the folders that none of the sources makes, and the folders that are then empty.
 *
 * @param {string} outDir build/out, or what stands for it
 * @param {readonly string[]} sources paths relative to the root of the repository, with "/"
 * @returns {string[]} the removed files, relative to the folder
 */
export function removeOrphans(outDir, sources) {
  const wanted = new Set(sources.flatMap(outputsOf));
  const removed = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        visit(path);
        if (readdirSync(path).length === 0) rmdirSync(path);
        continue;
      }
      const name = relative(outDir, path).split(sep).join("/");
      // The compiler's own notes; without them it would compile all again.
      if (wanted.has(name) || entry.name.startsWith(".tsbuildinfo")) continue;
      rmSync(path);
      removed.push(name);
    }
  };
  for (const folder of FOLDERS) if (existsSync(join(outDir, folder))) visit(join(outDir, folder));
  return removed.sort();
}
