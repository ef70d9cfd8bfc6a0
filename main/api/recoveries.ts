/** Trainings that lose a task, and go on from a checkpoint. */
import { z } from "zod";

/** The most times that a training may go on by itself. */
export const MAX_RECOVERIES = 100;

const loss = {
  /** "ps/0" */
  task: z.string(),
  /** The step of the run after which it was lost. */
  afterStep: z.number().int().nonnegative(),
};

/** What a run can be asked to do that failed because a task was lost. */
export const recoveryOfferSchema = z.object({
  ...loss,
  /** What the newest checkpoint counts. */
  checkpointStep: z.number().int().nonnegative(),
});
export type RecoveryOffer = z.infer<typeof recoveryOfferSchema>;

/** What it has done after a task was lost. */
export const recoverySchema = z.object({
  ...loss,
  /** What the restored checkpoint counts. */
  checkpointStep: z.number().int().nonnegative(),
  /** The names of newer checkpoints that could not be read: "ckpt-600". */
  damaged: z.array(z.string()),
});
export type Recovery = z.infer<typeof recoverySchema>;
