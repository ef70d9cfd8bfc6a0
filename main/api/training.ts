/** How a graph that was made trainable is trained. */
import { z } from "zod";

const names = z.array(z.string()).max(100_000).readonly();

/** As in documents and in requests to run; the members are those of TrainingPlan in worker-runtime/graph. */
export const trainingPlanSchema = z.object({
  scheme: z.enum(["single", "in-graph", "async", "sync", "ring"]),
  loss: z.string(),
  train: z.string(),
  init: z.string(),
  ready: z.object({ checks: z.string(), initializers: names }),
  globalStep: z.string(),
  examples: z.string().optional(),
  workers: z.array(z.string()).max(1000).readonly(),
  asynchronous: z.object({ before: z.string(), after: z.string() }).optional(),
  synchronous: z
    .object({ give: z.string(), required: z.string(), counts: names, takes: names, begin: z.string() })
    .optional(),
});
export type TrainingPlan = z.infer<typeof trainingPlanSchema>;

/** The last count of staleness is of gradients that were so many updates old, or more. */
export const MOST_STALE = 16;

/** The measurements of the workers of a run in which each has a session of its own. */
export const trainingFiguresSchema = z.object({
  workers: z.array(
    z.object({
      /** "worker/0" */
      name: z.string(),
      /** Finished in this run. */
      steps: z.number().int().nonnegative(),
      /** How many steps fewer than the worker with the most. */
      behind: z.number().int().nonnegative(),
      /** Mean of its newest steps, with what it waited; absent before the first. */
      stepMillis: z.number().optional(),
      /** The part of that in which it waited for the others and the update, from 0 to 1. */
      waitingShare: z.number().optional(),
      /** The step of the run after which the others went on without it. */
      lostAtStep: z.number().int().nonnegative().optional(),
      /** How often it has come back after it was lost; absent: never. */
      returns: z.number().int().positive().optional(),
    }),
  ),
  /** How many updates were by gradients 0, 1, 2, … MOST_STALE updates old; empty unless the training is asynchronous. */
  staleness: z.array(z.number().int().nonnegative()),
});
export type TrainingFigures = z.infer<typeof trainingFiguresSchema>;
