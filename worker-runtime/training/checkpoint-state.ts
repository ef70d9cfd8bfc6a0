/** The file "checkpoint" of a folder, which lists its checkpoints: CheckpointState in text format, as TensorFlow's. */
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { escapeText, tryDecodeUtf8, unescapeBytes } from "../graph/text-format/escapes.js";
import { replaceFile, syncFolder } from "../io/durable-files.js";
import { withFileErrors } from "../io/file-errors.js";
import { indexPath, temporaryPath } from "../io/tensor-bundle/bundle-files.js";
import { readWholeFile } from "../io/whole-file.js";

const STATE_FILE = "checkpoint";
/** It names some files. */
const MAX_STATE_BYTES = 16 * 2 ** 20;

/** Prefixes of checkpoints, as absolute paths or as the folder was given. */
export interface CheckpointState {
  readonly latest: string;
  /** The oldest first; the latest is among them. */
  readonly all: readonly string[];
}

/** The checkpoints that a folder lists; undefined if it lists none. */
export async function getCheckpointState(folder: string): Promise<CheckpointState | undefined> {
  const path = join(folder, STATE_FILE);
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const bytes = await withFileErrors(path, () => readWholeFile(path, { maxBytes: MAX_STATE_BYTES }));
  const text = bytes.toString("utf8");
  const prefixes = (field: string) =>
    [...text.matchAll(new RegExp(`^\\s*${field}:\\s*"((?:[^"\\\\]|\\\\.)*)"`, "gm"))].map((match) => {
      const prefix = tryDecodeUtf8(unescapeBytes(match[1] ?? "")) ?? "";
      return isAbsolute(prefix) ? prefix : join(folder, prefix);
    });
  const [latest] = prefixes("model_checkpoint_path");
  return latest === undefined ? undefined : { latest, all: prefixes("all_model_checkpoint_paths") };
}

/** The prefix of the newest checkpoint of a folder whose files exist; undefined if there is none. */
export async function latestCheckpoint(folder: string): Promise<string | undefined> {
  return (await existingCheckpoints(folder))[0];
}

/** The prefixes of a folder's checkpoints whose files exist, the newest first. */
export async function existingCheckpoints(folder: string): Promise<readonly string[]> {
  const state = await getCheckpointState(folder);
  if (!state) return [];
  const newestFirst = [...new Set([state.latest, ...[...state.all].reverse()])];
  const found = await Promise.all(
    newestFirst.map((prefix) =>
      stat(indexPath(prefix)).then(
        () => [prefix],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** Replaces the list, at once. Paths in the folder are written relative to it, so that it can be moved. */
export async function updateCheckpointState(folder: string, state: CheckpointState): Promise<void> {
  const line = (field: string, prefix: string) =>
    `${field}: "${escapeText(dirname(prefix) === folder ? relative(folder, prefix) : prefix)}"\n`;
  const text = [
    line("model_checkpoint_path", state.latest),
    ...state.all.map((prefix) => line("all_model_checkpoint_paths", prefix)),
  ].join("");
  const path = join(folder, STATE_FILE);
  await withFileErrors(path, () => replaceFile(path, temporaryPath(path), text));
  // Before checkpoints are deleted that are no longer listed.
  await syncFolder(folder);
}
