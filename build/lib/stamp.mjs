// Detects from names, sizes and modification times whether a build step's inputs have changed since it last succeeded:
// reading a thousand files would noticeably delay every start, stat calls take 20 ms.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { outDir, root } from "./project.mjs";

const stampDir = join(outDir, ".stamps");

/** All files below the given files and folders (relative to the root) that `accept` selects, as relative paths. */
export function listFiles(paths, accept = () => true) {
  const found = [];
  const visit = (path) => {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return;
    if (!info.isDirectory()) {
      const name = relative(root, path).split(sep).join("/");
      if (accept(name)) found.push(name);
      return;
    }
    for (const entry of readdirSync(path)) {
      if (entry !== "node_modules" && !entry.startsWith(".")) visit(join(path, entry));
    }
  };
  for (const path of paths) visit(join(root, path));
  return found.sort();
}

/** A single line that changes whenever one of the files does. */
export function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const info = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${info?.size ?? -1}\0${info?.mtimeMs ?? -1}\n`);
  }
  return hash.digest("hex");
}

/** Whether the step last succeeded with exactly these inputs and its output is still there. */
export function isCurrent(step, inputs, output) {
  if (!existsSync(join(root, output))) return false;
  try {
    return readFileSync(join(stampDir, step), "utf8") === fingerprint(inputs);
  } catch {
    return false;
  }
}

/** Records that the step succeeded. `print` was computed before it ran, so an edit made meanwhile is not missed. */
export function markCurrent(step, print) {
  mkdirSync(stampDir, { recursive: true });
  writeFileSync(join(stampDir, step), print);
}

export function forget(step) {
  rmSync(join(stampDir, step), { force: true });
}
