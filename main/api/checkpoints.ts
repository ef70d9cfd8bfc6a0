/** Checkpoints that a run saves of the variables that it changes. */
import { z } from "zod";
import { problemSchema } from "./problem.js";
import { MAX_RECOVERIES } from "./recoveries.js";

/** The most checkpoints that are kept of a document. */
export const MAX_KEPT_CHECKPOINTS = 100;
/** As many as tf.compat.v1.train.Saver keeps. */
export const KEPT_CHECKPOINTS = 5;
/** A month. */
export const MAX_MINUTES = 43_200;

/** Which checkpoint is the best: by a fetched, or evaluated, scalar. */
export const bestBySchema = z.object({ tensor: z.string(), mode: z.enum(["min", "max"]) });
export type BestBy = z.infer<typeof bestBySchema>;

export const checkpointPlanSchema = z.object({
  /** After so many steps each; in any case after the last one. */
  every: z.number().int().min(1).optional(),
  /** After so many minutes each. */
  minutes: z.number().positive().max(MAX_MINUTES).optional(),
  /** Keep the best besides the newest, of those with an evaluation, or of those that are saved. */
  best: bestBySchema.optional(),
  /** How many stay. */
  keep: z.number().int().min(1).max(MAX_KEPT_CHECKPOINTS),
  /** Absent: beside the document's file, or in the application's data folder. */
  folder: z.string().min(1).max(4096).optional(),
  /** How often a training that lost a task restores the newest one and goes on by itself; absent: when the user asks. */
  recoveries: z.number().int().min(1).max(MAX_RECOVERIES).optional(),
});
export type CheckpointPlan = z.infer<typeof checkpointPlanSchema>;

export const savedCheckpointSchema = z.object({
  /** The common beginning of the paths of its files. */
  prefix: z.string(),
  /** That the variable of TensorFlow's name for it counts, or the run. */
  step: z.number().int(),
  /** In milliseconds since 1970. */
  savedAt: z.number(),
  byteLength: z.number(),
  /** At that step; absent if no scalar was fetched, and for a checkpoint of an earlier run. */
  loss: z.number().optional(),
});
export type SavedCheckpoint = z.infer<typeof savedCheckpointSchema>;

export const runCheckpointsSchema = z.object({
  folder: z.string(),
  keep: z.number(),
  /** Absent: only when the user asks for one. */
  every: z.number().optional(),
  minutes: z.number().optional(),
  /** The best so far, which stays when newer ones are saved. */
  best: bestBySchema.extend({ value: z.number(), saved: savedCheckpointSchema }).optional(),
  saving: z.boolean(),
  /** The newest first. */
  saved: z.array(savedCheckpointSchema),
  /** Why the newest one could not be saved; the run goes on. */
  problem: problemSchema.optional(),
});
export type RunCheckpoints = z.infer<typeof runCheckpointsSchema>;
