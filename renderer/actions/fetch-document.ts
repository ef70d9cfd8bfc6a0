/** Fetches the content of documents that the application does not send whole. */
import type { HeldContent } from "../../main/api/contract.js";
import { type DocumentFile, PART_BYTES } from "../../main/api/documents.js";
import { ProblemError } from "../../main/api/wire.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { nextTask } from "../ui/next-task.js";

const words = texts.actions.fetchDocument;

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Called with the part of the content that is here, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * The document with all of its content. Rejects with the reason of the signal when it is aborted, and with the error of
 * what could not be fetched.
 */
export async function fetchWhole(
  file: DocumentFile,
  { signal, onProgress }: FetchOptions,
): Promise<DocumentFile> {
  const { more, ...described } = file;
  if (more === undefined) return file;
  const { id, sizeBytes } = more;
  const whole = new Uint8Array(sizeBytes);
  whole.set(file.metaGraph);
  let here = file.metaGraph.length;
  let paused = here;
  try {
    const rest = { id, offset: here };
    const pieces = client().readContent?.(rest) ?? partByPart(rest, sizeBytes);
    for await (const piece of pieces) {
      signal.throwIfAborted();
      whole.set(piece, here);
      here += piece.length;
      onProgress(here / sizeBytes);
      if (here - paused < PART_BYTES) continue;
      // Content that has arrived already is handed over without a pause, in which the window could react to input.
      await nextTask();
      paused = here;
    }
    signal.throwIfAborted();
  } finally {
    releaseRest(file);
  }
  if (here < sizeBytes) {
    throw new ProblemError({
      code: "UNAVAILABLE",
      message: words.message({ name: file.name }),
      reason: words.reason,
      remedy: words.remedy,
    });
  }
  return { ...described, metaGraph: whole };
}

/** Ends the parts of a document. */
export function releaseRest({ more }: DocumentFile): void {
  if (more === undefined) return;
  // Without a connection there is nothing left to release.
  client()
    .call("documents.releaseParts", { id: more.id })
    .catch(() => undefined);
}

/** Parts that are on their way at once: the next is read while one is received. */
const PARTS_AT_ONCE = 2;

async function* partByPart({ id, offset }: HeldContent, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const asked: Promise<Uint8Array>[] = [];
  let next = offset;
  const ask = () => {
    if (next >= sizeBytes) return;
    const part = client().call("documents.part", { id, offset: next });
    // It is awaited in its turn; until then its failure is not one that nobody handles.
    part.catch(() => undefined);
    asked.push(part);
    next += PART_BYTES;
  };
  for (let count = 0; count < PARTS_AT_ONCE; count++) ask();
  for (let part = asked.shift(); part; part = asked.shift()) {
    const bytes = await part;
    ask();
    yield bytes;
  }
}
