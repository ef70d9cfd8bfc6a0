/**
 * How steps of the undo history are stored with a draft: each is a part with a number, and what several steps share (a
 * library of functions, the feeds of a configuration) is a part of its own, which they name by its number.
 */
import { z } from "zod";
import { bytesSchema } from "../../../main/api/documents.js";
import { annotationsSchema } from "../annotations.js";
import { clusterRowsSchema } from "../cluster-config.js";
import { runSettingsSchema } from "../run-config-file.js";

/** Older steps are not kept. */
export const MAX_KEPT_STEPS = 50;
/** The size of all kept steps together. */
export const MAX_KEPT_BYTES = 4 << 20;

const partId = z.number().int().nonnegative();
const pointSchema = z.object({ x: z.number(), y: z.number() });

/** A run configuration; `feeds` is the part that holds its feeds. */
const storedRunSchema = z.object({ settings: runSettingsSchema, feeds: partId });
export type StoredRun = z.infer<typeof storedRunSchema>;

const storedRunsSchema = z.object({
  runConfig: storedRunSchema,
  otherRuns: z.array(storedRunSchema),
  defaultRun: z.string(),
});
export type StoredRuns = z.infer<typeof storedRunsSchema>;

const storedOperationSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("nodes"),
    changes: z.array(
      z.object({
        /** Serialized NodeDefs. */
        before: bytesSchema.optional(),
        after: bytesSchema.optional(),
        index: z.number().int().nonnegative(),
      }),
    ),
  }),
  z.object({
    type: z.literal("layout"),
    moves: z.array(z.object({ node: z.string(), from: pointSchema.optional(), to: pointSchema.optional() })),
  }),
  z.object({ type: z.literal("run-config"), before: storedRunSchema, after: storedRunSchema }),
  z.object({ type: z.literal("run-configs"), before: storedRunsSchema, after: storedRunsSchema }),
  z.object({ type: z.literal("cluster"), before: clusterRowsSchema, after: clusterRowsSchema }),
  z.object({ type: z.literal("annotations"), before: annotationsSchema, after: annotationsSchema }),
  z.object({ type: z.literal("meta-graph"), before: partId, after: partId }),
]);
export type StoredOperation = z.infer<typeof storedOperationSchema>;

export const storedStepSchema = z.object({
  label: z.string(),
  operations: z.array(storedOperationSchema),
  select: z.array(z.string()).optional(),
  within: z.string().optional(),
  keepsValues: z.boolean().optional(),
});

/** A serialized MetaGraphDef or FunctionDefLibrary without what is in parts of its own. */
export const storedMetaGraphSchema = z.object({ rest: bytesSchema, library: partId.optional() });
export const storedLibrarySchema = z.object({ rest: bytesSchema, functions: z.array(partId) });

export const outlineSchema = z.object({
  /** Oldest first; those that are undone come last, the one that was undone first at the very end. */
  steps: z.array(partId).max(MAX_KEPT_STEPS),
  /** So many of them are done. */
  done: z.number().int().nonnegative(),
  /** So many of them are in the document's file; absent: its state can no longer be reached. */
  saved: z.number().int().nonnegative().optional(),
  /** Names of the run configurations, the chosen one first: files have them in another order. */
  runs: z.array(z.string()).min(1),
});
export type Outline = z.infer<typeof outlineSchema>;
