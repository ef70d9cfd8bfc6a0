import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { withSharedSignal } from "../../../../cancellation/shared-signal.js";
import { fileError, withFileErrors } from "../../../../io/file-errors.js";
import {
  failedPrecondition,
  invalidArgument,
  StatusCode,
  TensorFlowError,
} from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { FileAccess } from "../../resources/file-access.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { noTypes } from "../support/dtypes.js";
import { stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { foundPath, hasWildcard, matchesFileName, patternOf } from "./glob.js";
import { scalarTextAt, textsOf } from "./string-inputs.js";

const readFileKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "ReadFile",
  types: noTypes,
  create() {
    return async ({ inputs, step }) => {
      const path = scalarTextAt(inputs, 0, "Input filename tensor");
      const resolved = await step.files.resolve(path, "read");
      const bytes = await withFileErrors(path, async () => {
        // Pipes and devices have no end.
        if (!(await stat(resolved)).isFile()) {
          throw failedPrecondition(`${path}; Is a directory`);
        }
        return withSharedSignal(step.signal, (signal) => readFile(resolved, { signal }));
      });
      return [new Tensor("string", [], [bytes])];
    };
  },
};

const writeFileKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "WriteFile",
  types: noTypes,
  create() {
    return async ({ inputs, step }) => {
      const path = scalarTextAt(inputs, 0, "Input filename tensor");
      const contents = tensorAt(inputs, 1);
      if (contents.shape.length !== 0) {
        throw invalidArgument(
          `Contents tensor must be scalar, but had shape: ${cppShapeText(contents.shape)}`,
        );
      }
      const resolved = await step.files.resolve(path, "write");
      await withFileErrors(path, async () => {
        await mkdir(dirname(resolved), { recursive: true });
        await writeFile(resolved, stringsOf(contents)[0] ?? new Uint8Array(0));
      });
      return [];
    };
  },
};

/** System errors that TensorFlow treats as "not found"; ELOOP is a cycle of links. */
const NOTHING_THERE = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

function isNothingThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && NOTHING_THERE.has(String(error.code));
}

/** The result of `look` for a path; undefined if nothing exists there. */
async function lookAt<T>(
  path: string,
  files: FileAccess,
  look: (resolved: string) => Promise<T>,
): Promise<T | undefined> {
  const resolved = await files.resolve(path === "" ? "." : path, "read");
  try {
    return await look(resolved);
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw fileError(error, path);
  }
}

/**
 * Like `lookAt`, for matches of a wildcard. Pipes, and links that lead out of the folders that graphs may use, do not
 * match; a graph that names one explicitly gets the error.
 */
async function lookAtFound<T>(
  path: string,
  files: FileAccess,
  look: (resolved: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await lookAt(path, files, look);
  } catch (error) {
    if (error instanceof TensorFlowError && error.code === StatusCode.PERMISSION_DENIED) return undefined;
    throw error;
  }
}

/** The paths that match a pattern. */
async function matchingPaths(pattern: string, files: FileAccess): Promise<readonly string[]> {
  if (!hasWildcard(pattern)) {
    return (await lookAt(pattern, files, stat)) === undefined ? [] : [pattern];
  }
  const parts = pattern.replace(/\/+$/, "").split("/");
  const first = parts.findIndex(hasWildcard);
  let found = [parts.slice(0, first).join("/") + (first > 0 ? "/" : "")];
  for (const [index, part] of parts.slice(first).entries()) {
    const isLast = first + index === parts.length - 1;
    const look = index === 0 ? lookAt : lookAtFound;
    const next: string[] = [];
    for (const folder of found) {
      const names = (await look(folder, files, (index) => readdir(index))) ?? [];
      for (const name of names.filter((one) => matchesFileName(part, one))) {
        next.push(isLast ? folder + name : `${folder}${name}/`);
      }
    }
    found = next;
  }
  return found;
}

const matchingFilesKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "MatchingFiles",
  types: noTypes,
  create() {
    return async ({ inputs, step }) => {
      const patterns = tensorAt(inputs, 0);
      if (patterns.shape.length > 1) {
        throw invalidArgument(
          `Input patterns tensor must be scalar or vector, but had shape: ${cppShapeText(patterns.shape)}`,
        );
      }
      const paths: string[] = [];
      for (const pattern of textsOf(patterns)) {
        step.signal.throwIfAborted();
        const found = await matchingPaths(patternOf(pattern), step.files);
        paths.push(...found.map((path) => foundPath(path)));
      }
      return [Tensor.of(paths.sort(), "string", [paths.length])];
    };
  },
};

/** Reads, writes and lists files within the folders that graphs may use. */
export const fileKernels: readonly StatefulKernelDefinition[] = [
  readFileKernel,
  writeFileKernel,
  matchingFilesKernel,
];
