/** Runs that wait for those before them, of any document. */
import { z } from "zod";
import { method, nothing } from "./method.js";
import { documentIdSchema } from "./run-state.js";
import { runRequestSchema } from "./runs.js";

export const queuedRunSchema = z.object({
  queueId: z.string(),
  document: z.string().optional(),
  documentId: documentIdSchema.optional(),
  /** The name of its run configuration. */
  configuration: z.string().optional(),
  steps: z.number(),
});
export type QueuedRun = z.infer<typeof queuedRunSchema>;

export const runQueueMethods = {
  /** Begins a run when those before it are over, however they end; at once if none is. */
  "runs.enqueue": method(runRequestSchema, nothing),
  /** Takes a waiting run out; does nothing if it has begun. */
  "runs.dequeue": method(z.object({ queueId: z.string().max(64) }), nothing),
} as const;

export const runQueueEvents = {
  /** The waiting runs, the next one first. */
  runQueue: z.array(queuedRunSchema),
} as const;
