/**
 * The state of the cluster that the application saves across its own restarts; tasks are kept by the machines that run
 * them.
 */
import { z } from "zod";
import { accessSchema, jobNameSchema, membershipSchema } from "../api/cluster.js";
import { JsonFile } from "../storage/json-file.js";

const storedClusterSchema = z.object({
  membership: membershipSchema.catch("dynamic"),
  /** An unreadable file must not open the cluster. */
  access: accessSchema.catch("secure"),
  foreign: z
    .array(
      z.object({
        id: z.string().min(1),
        address: z.string().min(1),
        job: jobNameSchema,
        index: z.number().int().nonnegative(),
      }),
    )
    .catch([]),
  /** Colours by task id. */
  colours: z.record(z.string(), z.number().int().nonnegative()).catch({}),
  /** The server on which a graph has variables, by task id. */
  variables: z.record(z.string(), z.string()).catch({}),
});
export type StoredCluster = z.infer<typeof storedClusterSchema>;

/** The file that keeps it. Invalid values are replaced by their defaults. */
export function clusterFile(path: string): JsonFile<StoredCluster> {
  return new JsonFile(path, storedClusterSchema, "The cluster");
}
