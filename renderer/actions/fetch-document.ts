/** Fetches the content of documents that the application sends in parts. */
import { type DocumentFile, PART_BYTES } from "../../main/api/documents.js";
import { client } from "../transport/client.js";

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Called with the part of the content that is here, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Parts that are on their way at once: the next is read while one is received. */
const PARTS_AT_ONCE = 2;

/**
 * The document with all of its content. Rejects with the reason of the signal when it is aborted, and with the error of a
 * part that could not be fetched.
 */
export async function fetchWhole(file: DocumentFile, options: FetchOptions): Promise<DocumentFile> {
  const { more, ...rest } = file;
  if (more === undefined) return file;
  const { id, sizeBytes } = more;
  const whole = new Uint8Array(sizeBytes);
  whole.set(file.metaGraph);
  let here = file.metaGraph.length;
  let next = here;
  const fetchParts = async () => {
    while (next < sizeBytes) {
      const offset = next;
      next += PART_BYTES;
      options.signal.throwIfAborted();
      const part = await client().call("documents.part", { id, offset });
      whole.set(part, offset);
      here += part.length;
      options.onProgress(here / sizeBytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, fetchParts));
    options.signal.throwIfAborted();
  } finally {
    // Without a connection there is nothing left to release.
    client()
      .call("documents.releaseParts", { id })
      .catch(() => undefined);
  }
  return { ...rest, metaGraph: whole };
}
