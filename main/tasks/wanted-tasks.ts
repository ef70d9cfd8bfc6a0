/**
 * The tasks that should run on this machine, kept in a file so that they come back when it or the application restarts.
 */
import { z } from "zod";
import { engineSchema, gpuChoiceSchema, jobNameSchema } from "../api/cluster.js";
import { JsonFile } from "../storage/json-file.js";

const wantedTaskSchema = z.object({
  id: z.string().min(1),
  job: jobNameSchema,
  index: z.number().int().nonnegative(),
  engine: engineSchema,
  gpu: gpuChoiceSchema,
  owner: z.string(),
  port: z.number().int().min(1).max(65_535),
  isolate: z.boolean(),
  /** Whether it is to run; a task that was stopped stays stopped. */
  runs: z.boolean(),
  /** Addresses by index by job, of a task that was started with the whole ClusterSpec. */
  cluster: z.record(z.string(), z.record(z.coerce.number(), z.string())).optional(),
});
export type WantedTask = z.infer<typeof wantedTaskSchema>;

/** Invalid entries, as in a file of another version or a damaged one, are left out. */
const wantedTasksSchema = z.array(z.unknown()).transform((entries) =>
  entries.flatMap((entry) => {
    const parsed = wantedTaskSchema.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  }),
);

/** The file that keeps them. */
export function wantedTasksFile(path: string): JsonFile<WantedTask[]> {
  return new JsonFile(path, wantedTasksSchema, "The tasks");
}
