import { didYouMean } from "../graph/similar-names.js";
import { notFound } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { readNpy } from "./npy.js";
import { type NpyHeader, readNpyHeader } from "./npy-header.js";
import { checkUnpackedSize } from "./whole-file.js";
import { ZipArchive } from "./zip.js";

const KIND = ".npz file";

/**
 * One array of a .npz file, as numpy.savez and savez_compressed write them.
 * @param array the array's name; optional if the file holds only one
 * @throws TensorFlowError NOT_FOUND with the list of names if there is no such array, INVALID_ARGUMENT if damaged,
 *   RESOURCE_EXHAUSTED if it unpacks to more than 2 GiB or half of the free memory
 */
export function readNpz(bytes: Uint8Array, array: string | undefined, name = "arrays.npz"): Tensor {
  const archive = new ZipArchive(bytes, name, KIND);
  const names = arrayNames(archive);
  const chosen = array ?? (names.length === 1 ? names[0] : undefined);
  const list = names.length === 0 ? "It holds no arrays." : `It holds ${names.join(", ")}.`;
  if (chosen === undefined)
    throw notFound(`"${name}" holds more than one array, so one must be named. ${list}`);
  const entry = archive.entries.get(`${chosen}.npy`);
  if (entry === undefined) {
    throw notFound(`"${name}" has no array "${chosen}". ${list}${didYouMean(chosen, names)}`);
  }
  if (entry.size > entry.compressedSize) checkUnpackedSize(entry.size, `${name}:${chosen}`);
  return readNpy(archive.content(chosen, entry), `${name}:${chosen}`);
}

/** The arrays of a .npz file with their headers, by name. @throws TensorFlowError INVALID_ARGUMENT if damaged */
export function npzHeaders(bytes: Uint8Array, name = "arrays.npz"): Map<string, NpyHeader> {
  const archive = new ZipArchive(bytes, name, KIND);
  const headers = new Map<string, NpyHeader>();
  for (const array of arrayNames(archive)) {
    const entry = archive.entries.get(`${array}.npy`);
    if (entry) headers.set(array, readNpyHeader(archive.head(array, entry), `${name}:${array}`));
  }
  return headers;
}

function arrayNames({ entries }: ZipArchive): string[] {
  return [...entries.keys()].filter((entry) => entry.endsWith(".npy")).map((entry) => entry.slice(0, -4));
}
