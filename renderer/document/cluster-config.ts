/** The cluster that a document wants, as a section of its settings. */
import { z } from "zod";
import { engineSchema, gpuChoiceSchema } from "../../main/api/cluster.js";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { readSettings, writeSection } from "../../worker-runtime/graph/document-settings.js";
import type { ClusterConfigRow } from "./model.js";

const SECTION = "cluster";
const MOST_ROWS = 512;

export const clusterRowsSchema = z
  .array(
    z.object({
      job: z.string(),
      index: z.number().int().nonnegative(),
      machine: z.string().default(""),
      address: z.string().default(""),
      engine: engineSchema.catch("tensorflow"),
      gpu: gpuChoiceSchema.catch("auto"),
    }),
  )
  .max(MOST_ROWS);

const storedSchema = z.looseObject({ tasks: clusterRowsSchema });

/** The rows in the collection; none if it holds no cluster or an unreadable one. */
export function readClusterConfig(collection: CollectionDef | undefined): readonly ClusterConfigRow[] {
  return storedSchema.safeParse(readSettings(collection)?.[SECTION]).data?.tasks ?? [];
}

/** The collection with the rows in it. A document that never had a cluster gets no collection for having none. */
export function writeClusterConfig(
  collection: CollectionDef | undefined,
  rows: readonly ClusterConfigRow[],
): CollectionDef | undefined {
  if (rows.length > 0) return writeSection(collection, SECTION, { tasks: rows });
  return readSettings(collection)?.[SECTION] === undefined
    ? collection
    : writeSection(collection, SECTION, undefined);
}
