/** What a .npy, .npz or CSV file holds, from as little of it as tells. */
import { basename } from "node:path";
import type { DType } from "../protocol/dtype.js";
import { csvColumns } from "./csv.js";
import { fileError, fileKind, readAll, readHead } from "./feed.js";
import { type NpyHeader, readNpyHeader } from "./npy-header.js";
import { npzHeaders } from "./npz.js";

export interface FeedFileContents {
  /** The array of a .npy file, without a name, or those of a .npz file. */
  readonly arrays: readonly {
    readonly name?: string;
    readonly dtype: DType;
    readonly shape: readonly number[];
  }[];
  /** The names of a table's columns; their numbers if it has no header. */
  readonly columns: readonly string[];
}

/** Enough for the header of any array, and for two rows of a table. */
const HEAD_BYTES = 64 * 1024;

/**
 * @param bytes all of a .npz file, the head of others
 * @throws TensorFlowError INVALID_ARGUMENT that describes the problem with the file
 */
export function describeFeedBytes(bytes: Uint8Array, name: string): FeedFileContents {
  switch (fileKind(bytes, name)) {
    case "npy":
      return { arrays: [arrayOf(readNpyHeader(bytes, name))], columns: [] };
    case "npz": {
      const headers = [...npzHeaders(bytes, name)];
      return { arrays: headers.map(([array, header]) => ({ name: array, ...arrayOf(header) })), columns: [] };
    }
    case "csv":
      return { arrays: [], columns: csvColumns(bytes, name) };
  }
}

/** @throws TensorFlowError that describes the problem; NOT_FOUND if there is no such file */
export async function describeFeedFile(path: string): Promise<FeedFileContents> {
  const name = basename(path);
  try {
    const head = await readHead(path, HEAD_BYTES);
    const bytes = fileKind(head, name) === "npz" ? await readAll(path, undefined) : head;
    return describeFeedBytes(bytes, name);
  } catch (error) {
    throw fileError(error, path);
  }
}

function arrayOf({ element, shape }: NpyHeader): { dtype: DType; shape: readonly number[] } {
  return { dtype: element.kind === "number" ? element.dtype : "string", shape };
}
