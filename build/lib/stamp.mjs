// Detects from names, sizes and modification times whether a build step's inputs have changed since it last succeeded:
// reading a thousand files would noticeably delay every start, stat calls take 20 ms.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outDir, root } from "./project.mjs";

const stampDir = join(outDir, ".stamps");

/** Readings that steps with the same inputs share: the files below a path, and a line for each. A step that runs changes them. */
const listed = new Map();
const lines = new Map();

/** All files below the given files and folders (relative to the root) that `accept` selects, as relative paths. */
export function listFiles(paths, accept = () => true) {
  return paths.flatMap((path) => filesBelow(path).filter(accept)).sort();
}

function filesBelow(path) {
  let found = listed.get(path);
  if (found === undefined) {
    const info = statSync(join(root, path), { throwIfNoEntry: false });
    found = info === undefined ? [] : info.isDirectory() ? filesIn(path) : [path];
    listed.set(path, found);
  }
  return found;
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && !name.startsWith("."))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      // A link may lead to either.
      return entry.isFile() ? [path] : entry.isDirectory() ? filesIn(path) : filesBelow(path);
    });
}

/** A single line that changes whenever one of the files does. */
export function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(lineOf(file));
  return hash.digest("hex");
}

function readAnew() {
  listed.clear();
  lines.clear();
}

function lineOf(file) {
  let line = lines.get(file);
  if (line === undefined) {
    const info = statSync(join(root, file), { throwIfNoEntry: false });
    line = `${file}\0${info?.size ?? -1}\0${info?.mtimeMs ?? -1}\n`;
    lines.set(file, line);
  }
  return line;
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
  readAnew();
  mkdirSync(stampDir, { recursive: true });
  writeFileSync(join(stampDir, step), print);
}

/** The step is about to run. */
export function forget(step) {
  readAnew();
  rmSync(join(stampDir, step), { force: true });
}
