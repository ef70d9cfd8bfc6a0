/** What all descriptions of a run share. */
import { z } from "zod";

/** The document of a run, as described by the window that started it. The application passes it
 * back, and chooses by it where checkpoints are saved. */
export const runOriginSchema = z.object({
  /** The document's name. */
  document: z.string().max(4096),
  /** Its file; absent for one that was never saved. */
  path: z.string().max(4096).optional(),
  /**
   * Digest of the graph and of the feeds: if it is unchanged, the values of the run still apply to the document.
   */
  digest: z.string().max(64),
});
export type RunOrigin = z.infer<typeof runOriginSchema>;

/** What tells the documents of runs apart: their files, or their names as long as they have none. */
export function documentKey({ document, path }: Pick<RunOrigin, "document" | "path">): string {
  return path === undefined ? `named ${document}` : `at ${path}`;
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
