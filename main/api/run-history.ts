/** Runs since the application started, and the scalars that they fetched, step by step. */
import { z } from "zod";
import { method, nothing } from "./method.js";
import { runOriginSchema, runStateSchema } from "./run-state.js";

const number = z.number().or(z.nan());

export const scalarSummarySchema = z.object({
  name: z.string(),
  /** Of the newest step; may be NaN or infinite. */
  last: number,
  /** Absent if no value was finite. */
  lowest: z.object({ value: z.number(), step: z.number() }).optional(),
  highest: z.object({ value: z.number(), step: z.number() }).optional(),
  /** Steps whose value was NaN or infinite. */
  notFinite: z.number(),
});
export type ScalarSummary = z.infer<typeof scalarSummarySchema>;

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
  /** Scalars that it fetched; at most 32. */
  scalars: z.array(scalarSummarySchema),
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
  "runs.scalars": method(z.object({ runId: z.string().max(64) }), z.array(scalarCurveSchema)),
} as const;
