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
