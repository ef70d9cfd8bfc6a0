/**
 * What the application holds of opened documents beyond the graph that a window edits: the rest of a SavedModel, so that
 * saving, also under another name, writes all of it; and the version of the file that the window knows, so that what
 * another program or window wrote since is not overwritten unasked.
 */
import { randomUUID } from "node:crypto";
import type { SavedModelSource } from "../../worker-runtime/graph/graph-file.js";
import type { FileVersion } from "../storage/file-version.js";

/** A source keeps a whole file in memory. One that has a path can be read again, so only the newest are kept. */
const MAX_HELD = 8;

export interface DocumentSource {
  /** Where the rest of the SavedModel can be read; absent for content that came from the browser and is nowhere else. */
  readonly path: string | undefined;
  original: SavedModelSource | undefined;
  /** What the window knows of the file that it saves to; absent before its first save of a document without a path. */
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
