/** Checks the lists of files that another machine sends, before anything is written. */
import { z } from "zod";
import { problem } from "../../shared/problems.js";
import type { ScriptFile } from "./script-files.js";
import { MOST_FILES } from "./script-files.js";

/** Limits on the files that another machine may place here for one job, or send back. */
export const MOST_JOB_BYTES = 2 ** 31;

/** Names that are devices on Windows, in any folder and with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Whether a path is one within a folder, on every system: relative, without "..", and without the characters with which
 * Windows names drives, streams and folders.
 */
export function isInnerPath(path: string): boolean {
  if (path.length === 0 || path.length > 1024) return false;
  const parts = path.split("/");
  return parts.length <= 64 && parts.every(isInnerName);
}

function isInnerName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || name.length > 255) return false;
  // Windows drops dots and spaces at the end, so that "..  " would be another name there.
  if (/[. ]$/.test(name) || deviceName.test(name)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  return !/[\\:*?"<>|\u0000-\u001f]/.test(name);
}

export const innerPathSchema = z.string().refine(isInnerPath, "must be a path within the folder");
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
export const fileSizeSchema = z.number().int().min(0).max(MOST_JOB_BYTES);

export const scriptFileSchema = z.object({
  path: innerPathSchema,
  size: fileSizeSchema,
  hash: hashSchema,
  executable: z.boolean(),
}) satisfies z.ZodType<ScriptFile>;

export const scriptFilesSchema = z.array(scriptFileSchema).max(MOST_FILES);

/** @throws ProblemError INVALID_ARGUMENT for files that contradict each other, RESOURCE_EXHAUSTED if they are too large. */
export function checkFiles(files: readonly ScriptFile[]): void {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > MOST_JOB_BYTES) {
    throw problem("RESOURCE_EXHAUSTED", `The files have ${Math.round(total / 1e6)} MB altogether.`, {
      reason: `A machine accepts ${Math.round(MOST_JOB_BYTES / 1e6)} MB of another one.`,
    });
  }
  // Some systems do not distinguish upper and lower case.
  const names = new Set(files.map(({ path }) => path.toLowerCase()));
  const isFolder = ({ path }: ScriptFile) =>
    path
      .split("/")
      .some((_, index, parts) => index > 0 && names.has(parts.slice(0, index).join("/").toLowerCase()));
  if (names.size === files.length && !files.some(isFolder)) return;
  throw problem("INVALID_ARGUMENT", "The list of files names one twice, or a file as a folder.");
}
