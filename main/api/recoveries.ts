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

/** The ways to go on with a run that failed because a task was lost. */
export const recoveryOfferSchema = z.object({
  ...loss,
  /** The step of the newest checkpoint. */
  checkpointStep: z.number().int().nonnegative(),
});
export type RecoveryOffer = z.infer<typeof recoveryOfferSchema>;

/** The run's reaction to the loss of a task. */
export const recoverySchema = z.object({
  ...loss,
  /** The step of the restored checkpoint. */
  checkpointStep: z.number().int().nonnegative(),
  /** The names of newer checkpoints that could not be read: "ckpt-600". */
  damaged: z.array(z.string()),
});
export type Recovery = z.infer<typeof recoverySchema>;
