/** Types that all descriptions of a run share. */
import { z } from "zod";

/** Identifies a document from when it is made or opened until it is closed, and with its draft. */
export const documentIdSchema = z.string().max(64);

/** Tells the documents of runs apart. */
export const runDocumentSchema = z.object({
  id: documentIdSchema.optional(),
  /** The document's name. */
  document: z.string().max(4096),
  /** Its file; absent for one that was never saved. */
  path: z.string().max(4096).optional(),
});
export type RunDocument = z.infer<typeof runDocumentSchema>;

/** The document of a run, as described by the window that started it. The application passes it
 * back, and chooses by it where checkpoints are saved. */
export const runOriginSchema = runDocumentSchema.extend({
  /**
   * Digest of the graph and of the feeds: if it is unchanged, the values of the run still apply to the document.
   */
  digest: z.string().max(64),
});
export type RunOrigin = z.infer<typeof runOriginSchema>;

/** A run is of a document if it is the same one, whatever its name was, or of its file, which may have been closed since. */
export function isOfDocument(origin: RunDocument | undefined, { id, path, document }: RunDocument): boolean {
  if (origin === undefined) return false;
  // They went with the document when it was saved; an example may have been opened anew since.
  if (origin.path !== undefined && path === undefined) return false;
  if (origin.id !== undefined && origin.id === id) return true;
  if (origin.path !== undefined || path !== undefined) return origin.path === path;
  // Whoever runs graphs without a window has their names alone.
  return origin.id === undefined && id === undefined && origin.document === document;
}

export const runStateSchema = z.enum([
  "preparing",
  "running",
  "paused",
  "stopping",
  "done",
  "stopped",
  "failed",
]);
export type RunState = z.infer<typeof runStateSchema>;
