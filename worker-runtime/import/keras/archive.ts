/** The entries of a .keras file, and how large they may be. */
import type { ZipArchive } from "../../io/zip.js";
import { invalidArgument } from "../../protocol/status.js";

export const CONFIG = "config.json";
export const METADATA = "metadata.json";
export const WEIGHTS = "model.weights.h5";

/** Far more than the configuration of any model takes. */
export const MAX_CONFIG_BYTES = 64 * 2 ** 20;
/** A graph holds at most this much in the window, and TensorFlow's messages twice as much. */
export const MAX_WEIGHT_BYTES = 2 ** 30;

/** One file of a .keras archive. @throws TensorFlowError INVALID_ARGUMENT if it is missing, damaged or too large */
export function partOf(archive: ZipArchive, name: string, file: string, maxBytes: number): Uint8Array {
  const entry = archive.entries.get(file);
  if (!entry) throw invalidArgument(`"${name}" is a zip archive, but not a Keras model: it has no ${file}.`);
  if (entry.size <= maxBytes) return archive.content(file, entry);
  throw invalidArgument(
    `${file} in "${name}" is too large: it unpacks to ${Math.ceil(entry.size / 2 ** 20)} MiB.`,
  );
}
