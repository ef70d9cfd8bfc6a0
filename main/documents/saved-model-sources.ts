/**
 * What the application holds of opened SavedModels beyond the one graph that the window edits, so that saving, also
 * under another name, writes all of it.
 */
import { randomUUID } from "node:crypto";
import type { SavedModelSource } from "../../worker-runtime/graph/graph-file.js";

/** A source keeps a whole file in memory. One that has a path can be read again, so only the newest are kept. */
const MAX_HELD = 8;

interface Held {
  /** Absent for content that came from the browser and is nowhere else. */
  path: string | undefined;
  original: SavedModelSource | undefined;
}

export class SavedModelSources {
  /** The newest last. */
  readonly #held = new Map<string, Held>();

  /** @returns the id by which the window names it. */
  hold(original: SavedModelSource, path: string | undefined): string {
    const id = randomUUID();
    this.#held.set(id, { path, original });
    const rereadable = [...this.#held.values()].filter((held) => held.path !== undefined && held.original);
    for (const held of rereadable.slice(0, -MAX_HELD)) held.original = undefined;
    return id;
  }

  /** The source, or the path that it can be read from again. */
  get(id: string): { original: SavedModelSource | undefined; path: string | undefined } | undefined {
    return this.#held.get(id);
  }
}
