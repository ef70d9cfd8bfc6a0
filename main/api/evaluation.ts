/** How a model is evaluated while it is trained. */
import { z } from "zod";
import { feedBatchesSchema, feedValueSchema } from "./feeds.js";

/** As many as a run keeps curves of. */
const MAX_EVALUATED = 32;

export const evaluationPlanSchema = z.object({
  /** After so many steps each, and after the last one. */
  every: z.number().int().min(1),
  /** Tensor names; of those that are scalars, the mean over the batches is told. */
  fetches: z.array(z.string()).min(1).max(MAX_EVALUATED),
  /** Instead of what the steps are fed. */
  feeds: z.array(z.object({ name: z.string(), value: feedValueSchema })),
  /** Each evaluation takes all rows once. */
  batches: feedBatchesSchema.optional(),
});
export type EvaluationPlan = z.infer<typeof evaluationPlanSchema>;

/** The newest evaluation of a run. */
export const evaluationSchema = z.object({
  /** The step of the run. */
  step: z.number().int(),
  values: z.array(z.object({ name: z.string(), value: z.number() })),
});
export type Evaluation = z.infer<typeof evaluationSchema>;
