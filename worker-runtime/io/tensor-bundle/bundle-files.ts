import { randomBytes } from "node:crypto";

/** Says where a path of a checkpoint may be opened. */
export interface BundleFiles {
  /** The path to open, symbolic links resolved. @throws TensorFlowError PERMISSION_DENIED where it must not be. */
  resolve(path: string, purpose: "read" | "write"): Promise<string>;
}

/** The file of names, shapes and places. */
export function indexPath(prefix: string): string {
  return `${prefix}.index`;
}

/** The file of the elements of one shard. */
export function dataPath(prefix: string, shard: number, shards: number): string {
  const digits = (value: number) => String(value).padStart(5, "0");
  return `${prefix}.data-${digits(shard)}-of-${digits(shards)}`;
}

/** A name beside `path` for a file that is not complete yet, as TensorFlow forms it. */
export function temporaryPath(path: string): string {
  return `${path}.tempstate${randomBytes(8).readBigUInt64LE()}`;
}
