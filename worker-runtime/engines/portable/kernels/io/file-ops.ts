import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, withFileErrors } from "../../../../io/file-errors.js";
import { failedPrecondition, invalidArgument, StatusCode } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { FileAccess } from "../../resources/file-access.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { hasWildcard, matchesGlob } from "./glob.js";
import { scalarTextAt, textsOf } from "./string-inputs.js";

const readFileKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "ReadFile",
  create() {
    return async ({ inputs, step }) => {
      const path = scalarTextAt(inputs, 0, "Input filename tensor");
      const resolved = await step.files.resolve(path, "read");
      const bytes = await withFileErrors(path, async () => {
        // Pipes and devices have no end.
        if (!(await stat(resolved)).isFile()) {
          throw failedPrecondition(`${path}; Is a directory`);
        }
        return readFile(resolved, { signal: step.signal });
      });
      return [new Tensor("string", [], [bytes])];
    };
  },
};

const writeFileKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "WriteFile",
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

/** The names in a folder; none where there is no such folder. */
async function namesIn(folder: string, files: FileAccess): Promise<readonly string[]> {
  try {
    return await readdir(await files.resolve(folder === "" ? "." : folder, "read"));
  } catch (error) {
    const failure = fileError(error, folder);
    if (failure.code === StatusCode.NOT_FOUND || failure.code === StatusCode.FAILED_PRECONDITION) {
      return [];
    }
    throw failure;
  }
}

async function exists(path: string, files: FileAccess): Promise<boolean> {
  try {
    await stat(await files.resolve(path, "read"));
    return true;
  } catch (error) {
    const failure = fileError(error, path);
    if (failure.code === StatusCode.NOT_FOUND || failure.code === StatusCode.FAILED_PRECONDITION) {
      return false;
    }
    throw failure;
  }
}

/** The paths that a pattern fits. */
async function matchingPaths(pattern: string, files: FileAccess): Promise<readonly string[]> {
  if (!hasWildcard(pattern)) {
    return (await exists(pattern, files)) ? [pattern] : [];
  }
  const parts = pattern.split("/");
  const first = parts.findIndex(hasWildcard);
  let found = [parts.slice(0, first).join("/") + (first > 0 ? "/" : "")];
  for (const [index, part] of parts.slice(first).entries()) {
    const isLast = first + index === parts.length - 1;
    const next: string[] = [];
    for (const folder of found) {
      if (!hasWildcard(part)) {
        const path = folder + part;
        if (await exists(path, files)) {
          next.push(isLast ? path : `${path}/`);
        }
        continue;
      }
      for (const name of await namesIn(folder, files)) {
        if (matchesGlob(part, name)) {
          next.push(isLast ? folder + name : `${folder}${name}/`);
        }
      }
    }
    found = next;
  }
  return found;
}

const matchingFilesKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "MatchingFiles",
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
        paths.push(...(await matchingPaths(pattern, step.files)));
      }
      return [Tensor.of(paths.sort(), "string", [paths.length])];
    };
  },
};

/** Whole files and lists of them, within the folders that graphs may use. */
export const fileKernels: readonly StatefulKernelDefinition[] = [
  readFileKernel,
  writeFileKernel,
  matchingFilesKernel,
];
