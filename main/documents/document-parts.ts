/**
 * Sends large documents in parts: as one message they would keep the window busy for as long as they take to receive. What
 * was not fetched yet is kept here.
 */
import { randomUUID } from "node:crypto";
import { type DocumentFile, PART_BYTES } from "../api/documents.js";
import { problem } from "../shared/problems.js";

/** A window that went away never fetches the rest of its document, so only the newest are kept. */
const MAX_HELD = 4;

export class DocumentParts {
  /** The newest last. */
  readonly #held = new Map<string, Uint8Array>();

  /** The document with the first part of its content. */
  begin(file: DocumentFile): DocumentFile {
    const { metaGraph } = file;
    if (metaGraph.length <= PART_BYTES) return file;
    const id = randomUUID();
    this.#held.set(id, metaGraph);
    for (const oldest of [...this.#held.keys()].slice(0, -MAX_HELD)) this.#held.delete(oldest);
    return { ...file, metaGraph: partOf(metaGraph, 0), more: { id, sizeBytes: metaGraph.length } };
  }

  /**
   * The part that begins at an offset; empty at the end.
   *
   * @throws ProblemError NOT_FOUND when the content is no longer here.
   */
  part(id: string, offset: number): Uint8Array {
    const content = this.#held.get(id);
    if (content === undefined) {
      throw problem("NOT_FOUND", "The rest of the document is no longer here.", {
        reason: "Other documents were opened meanwhile, or it was fetched already.",
        remedy: "Open it again.",
      });
    }
    return partOf(content, offset);
  }

  /** The window has all of it, or no longer wants it. */
  release(id: string): void {
    this.#held.delete(id);
  }
}

/** A copy: between processes, a view would take the whole of its content with it. */
function partOf(content: Uint8Array, offset: number): Uint8Array {
  return new Uint8Array(content.subarray(offset, offset + PART_BYTES));
}
