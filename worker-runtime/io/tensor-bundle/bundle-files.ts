import { randomBytes } from "node:crypto";
import { writerMark } from "../unfinished-files.js";

/** Resolves the paths of a checkpoint and checks access to them. */
export interface BundleFiles {
  /** The path to open, symbolic links resolved. @throws TensorFlowError PERMISSION_DENIED if access is not allowed. */
  resolve(path: string, purpose: "read" | "write"): Promise<string>;
}

/** The file of names, shapes and offsets. */
export function indexPath(prefix: string): string {
  return `${prefix}.index`;
}

/** The file of the elements of one shard. */
export function dataPath(prefix: string, shard: number, shards: number): string {
  const digits = (value: number) => String(value).padStart(5, "0");
  return `${prefix}.data-${digits(shard)}-of-${digits(shards)}`;
}

/** A name next to `path` for an incomplete file, as in TensorFlow, with the process that writes it. */
export function temporaryPath(path: string): string {
  return `${path}.tempstate${randomBytes(8).readBigUInt64LE()}-${writerMark()}`;
}
