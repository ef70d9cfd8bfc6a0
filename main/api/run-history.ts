/** The newest runs, with those of saved documents from before the application started, what they fetched last, and their scalars, step by step. */
import { z } from "zod";
import { feedBatchesSchema } from "./feeds.js";
import { method, nothing } from "./method.js";
import { recoveryOfferSchema } from "./recoveries.js";
import { runDocumentSchema, runOriginSchema, runStateSchema } from "./run-state.js";
import { runUpdateSchema } from "./runs.js";

const number = z.number().or(z.nan());

export const scalarSummarySchema = z.object({
  name: z.string(),
  /** The value of the newest step; may be NaN or infinite. */
  last: number,
  /** Absent if no value was finite. */
  lowest: z.object({ value: z.number(), step: z.number() }).optional(),
  highest: z.object({ value: z.number(), step: z.number() }).optional(),
  /** Steps whose value was NaN or infinite. */
  notFinite: z.number(),
});
export type ScalarSummary = z.infer<typeof scalarSummarySchema>;

/** The request for a run, as far as it tells runs apart. */
export const runSettingsSchema = z.object({
  /** The name of its configuration. */
  configuration: z.string().optional(),
  fetches: z.array(z.string()),
  targets: z.array(z.string()),
  /** The feed of each tensor, as a short text. */
  feeds: z.array(z.object({ name: z.string(), text: z.string() })),
  batches: feedBatchesSchema.optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** One of the runs that are kept, the newest first. */
export const runSummarySchema = z.object({
  runId: z.string(),
  /** Counts up from 1 with every run of the application. */
  number: z.number(),
  origin: runOriginSchema.optional(),
  /** In milliseconds since the epoch. */
  startedAt: z.number(),
  state: runStateSchema,
  step: z.number(),
  steps: z.number(),
  elapsedMillis: z.number(),
  settings: runSettingsSchema,
  /** Steps whose traces are kept, in their order. */
  tracedSteps: z.array(z.number()),
  /** Scalars that it fetched; at most 32. */
  scalars: z.array(scalarSummarySchema),
  /** The offer of a failed run that `runs.goOn` can continue. */
  recovery: recoveryOfferSchema.optional(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** A scalar over the steps; all lists are of one length, at most 2,048. */
export const scalarCurveSchema = z.object({
  name: z.string(),
  /** How many steps each point stands for; 1 as long as every step has one. */
  stepsPerPoint: z.number(),
  /** The last step of each point. */
  steps: z.array(z.number()),
  /** The value of that step; may be NaN or infinite. */
  values: z.array(number),
  /** The lowest and the highest finite value of the point's steps; NaN if none was finite. */
  low: z.array(number),
  high: z.array(number),
});
export type ScalarCurve = z.infer<typeof scalarCurveSchema>;

export const runHistoryMethods = {
  "runs.history": method(nothing, z.array(runSummarySchema)),
  /** How many runs of before the application started could not be read, and were removed. */
  "runs.dropped": method(nothing, z.number()),
  /** The last news of a run: its values and its trace. */
  "runs.kept": method(z.object({ runId: z.string().max(64) }), runUpdateSchema),
  /** Forgets the runs of a document that have ended. */
  "runs.clear": method(runDocumentSchema, nothing),
  /** A document that had no file was saved as one: its runs are those of the file from now on. */
  "runs.documentSaved": method(runDocumentSchema.required(), nothing),
  "runs.scalars": method(z.object({ runId: z.string().max(64) }), z.array(scalarCurveSchema)),
} as const;
