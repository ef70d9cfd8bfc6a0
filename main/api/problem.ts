import { z } from "zod";

/**
 * The message for the user when something goes wrong: what happened, why, and what to do. The same shape serves a failed
 * call, a failed task and a failed run.
 */
export const problemSchema = z.object({
  /** TensorFlow's name of the status: "INVALID_ARGUMENT", "UNAVAILABLE", … */
  code: z.string(),
  /** The event, in one sentence that names the machine, task, node or file. */
  message: z.string(),
  /** Why. Contains "probably" if it is a guess. */
  reason: z.string().optional(),
  /** The remedy that the user has. */
  remedy: z.string().optional(),
  /** The raw error text, shown under Details. */
  details: z.string().optional(),
  /** Name of the graph node concerned. */
  node: z.string().optional(),
  /** Name of the task concerned, as "worker/0". */
  task: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;
