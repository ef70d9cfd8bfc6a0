/**
 * The parts of opened documents that the application keeps besides the graph that a window edits: the rest of a SavedModel, so
 * that saving writes all of it, even under another name; and the version of the file that the window knows, so that
 * later changes by another program or window are not overwritten without asking.
 */
import { randomUUID } from "node:crypto";
import type { SavedModelSource } from "../../worker-runtime/graph/graph-file.js";
import type { FileVersion } from "../storage/file-version.js";

/** A source keeps a whole file in memory. One that has a path can be read again, so only the newest are kept. */
const MAX_HELD = 8;

export interface DocumentSource {
  /**
   * The file that has the rest of the SavedModel; absent for content that came from the browser and exists nowhere
   * else.
   */
  readonly path: string | undefined;
  original: SavedModelSource | undefined;
  /**
   * The version that the window knows of the file it saves to; absent before the first save of a document without a
   * path.
   */
  file: { readonly path: string; readonly version: FileVersion | undefined } | undefined;
}

export class DocumentSources {
  /** The newest last. */
  readonly #sources = new Map<string, DocumentSource>();

  /** @returns the id by which the window names it. */
  hold(source: DocumentSource): string {
    const id = randomUUID();
    this.#sources.set(id, source);
    const rereadable = [...this.#sources.values()].filter(
      (held) => held.path !== undefined && held.original !== undefined,
    );
    for (const held of rereadable.slice(0, -MAX_HELD)) held.original = undefined;
    return id;
  }

  get(id: string | undefined): DocumentSource | undefined {
    return id === undefined ? undefined : this.#sources.get(id);
  }
}
